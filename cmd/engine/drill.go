package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/review"
)

func drillCommand() *cobra.Command {
	s := defaultSettings()
	s.Play.Limits.Visits = 100
	var log string
	fresh, turn := 10, true
	c := &cobra.Command{
		Use:   "drill FILE",
		Short: "Ask problems made of one's own mistakes, and repeat them when they are due",
		Long: `Asks the problems of a file that "engine review --drills" made, in text: it shows
a position, and waits for a move such as Q16. Several moves may be right: those
that lose no more than a point, or a quarter of what the mistake lost. Moves
that the review did not search are searched on the spot.

Each answer is written to a file beside the problems, and says when a problem is
asked again: soon after a wrong answer, after days, weeks and months after right
ones (FSRS). Positions are turned, mirrored and their colours exchanged at random,
so that they are not learnt as pictures.

Commands: a point or pass; hint, show (counts as wrong), skip, board, help, quit.
GTP's play b Q16 is understood too.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			return runDrill(cmd, &s, args[0], log, fresh, turn)
		},
	}
	f := c.Flags()
	s.networkFlags(f)
	f.StringVar(&log, "answers", "", "`FILE` that remembers the answers; default: beside the problems")
	f.IntVar(&fresh, "new", fresh, "most problems that were never asked before")
	f.BoolVar(&turn, "turn", turn, "turn, mirror and exchange colours at random")
	s.flagAs(f, "visits", "visits for a move that has to be searched")
	s.searchFlags(f)
	return c
}

func runDrill(cmd *cobra.Command, s *settings, file, answers string, fresh int, turn bool) error {
	f, err := os.Open(file)
	if err != nil {
		return usageError{err}
	}
	set, err := review.ReadDrills(f)
	f.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if answers == "" {
		answers = review.AnswersFile(file)
	}
	log, err := review.OpenLog(answers)
	if err != nil {
		return err
	}
	defer log.Close()
	schedule, err := review.NewSchedule(log.Attempts)
	if err != nil {
		return fmt.Errorf("%s: %w", answers, err)
	}
	d := &drill{s: s, in: bufio.NewScanner(cmd.InOrStdin()), out: cmd.OutOrStdout(), log: log, schedule: schedule}
	defer d.close()
	if d.random = rand.New(rand.NewPCG(s.Play.Seed, 1)); s.Play.Seed == 0 {
		d.random = rand.New(rand.NewPCG(rand.Uint64(), 1))
	}
	d.turn = turn
	return d.run(cmd.Context(), set, fresh)
}

// drill asks problems.
type drill struct {
	s        *settings
	in       *bufio.Scanner
	out      io.Writer
	log      *review.Log
	schedule *review.Schedule
	random   *rand.Rand
	turn     bool
	net      *network // opened for the first move that has to be searched
	judge    *review.Judge
}

func (d *drill) close() {
	if d.net != nil {
		d.net.Close()
	}
}

func (d *drill) run(ctx context.Context, set *review.Drills, fresh int) error {
	due := d.schedule.Due(set, time.Now(), fresh)
	if len(due) == 0 {
		fmt.Fprintf(d.out, "Nothing is due: %d problems, none to be asked now.%s\n", len(set.Problems), d.nextDue(set))
		return nil
	}
	right, tried := 0, 0
	for i, p := range due {
		fmt.Fprintf(d.out, "\nProblem %d of %d (%s, move %d)\n", i+1, len(due), p.Game, p.Number)
		grade, quit, err := d.ask(ctx, p)
		if err != nil {
			return err
		}
		if grade > 0 {
			tried++
			if grade >= review.GoodGrade {
				right++
			}
		}
		if quit {
			break
		}
	}
	fmt.Fprintf(d.out, "\n%d of %d right.%s\n", right, tried, d.nextDue(set))
	return nil
}

// nextDue says when the next problem is due.
func (d *drill) nextDue(set *review.Drills) string {
	var first time.Time
	for i := range set.Problems {
		if at, ok := d.schedule.Next(set.Problems[i].ID); ok && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() {
		return ""
	}
	if wait := time.Until(first); wait > 0 {
		return fmt.Sprintf(" The next one is due in %s.", inWords(wait))
	}
	return " One is due again now."
}

func inWords(d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", max(1, d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// ask asks one problem until it is answered, given up or skipped. grade is 0 where
// there was no answer.
func (d *drill) ask(ctx context.Context, p *review.Problem) (grade review.Grade, quit bool, err error) {
	v := viewOf(p, d.random, d.turn)
	v.show(d.out, p)
	began := time.Now()
	for {
		fmt.Fprint(d.out, "> ")
		if ctx.Err() != nil || !d.in.Scan() {
			return 0, true, d.in.Err()
		}
		words := strings.Fields(strings.ToLower(d.in.Text()))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "quit", "q", "exit":
			return 0, true, nil
		case "skip", "next":
			return 0, false, nil
		case "board", "showboard":
			v.show(d.out, p)
			continue
		case "hint":
			fmt.Fprintf(d.out, "What was played is %s, and loses %.1f points (%s).\n", v.vertex(p.Played), p.Loss, p.Kind)
			continue
		case "help":
			fmt.Fprintln(d.out, "a point (Q16) or pass; hint, show, skip, board, quit")
			continue
		case "show", "solution":
			return d.grade(p, v, nil, began)
		case "play":
			words = words[len(words)-1:]
		}
		move, err := v.parse(words[0])
		if err != nil {
			fmt.Fprintf(d.out, "%v; help lists the commands\n", err)
			continue
		}
		answer, err := d.judgeMove(ctx, p, move)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, errNoNetwork) {
				return 0, true, err
			}
			fmt.Fprintln(d.out, err)
			continue
		}
		return d.grade(p, v, answer, began)
	}
}

// grade writes the attempt down and says what is right. A nil answer was given up.
func (d *drill) grade(p *review.Problem, v *view, a *review.Answer, began time.Time) (review.Grade, bool, error) {
	took := time.Since(began)
	attempt := review.Attempt{ID: p.ID, Time: time.Now().UTC(), Grade: p.Grade(a, took), Seconds: float64(took.Milliseconds()) / 1000}
	if a != nil {
		attempt.Answer, attempt.Loss = a.Move, a.Loss
	}
	switch {
	case a == nil:
		fmt.Fprintln(d.out, "Given up.")
	case a.Accepted:
		fmt.Fprintf(d.out, "Right: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	case a.Move == p.Played:
		fmt.Fprintf(d.out, "Wrong: %s is what was played; it loses %.1f points.\n", v.vertex(a.Move), p.Loss)
	default:
		fmt.Fprintf(d.out, "Not good enough: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	}
	best := p.Answers[0]
	var line []string
	for _, m := range best.Line {
		line = append(line, v.vertex(m))
	}
	fmt.Fprintf(d.out, "Best: %s %s (%s)\n", v.vertex(best.Move), strings.Join(line[min(1, len(line)):], " "), p.Kind)
	if err := d.log.Add(attempt); err != nil {
		return 0, true, err
	}
	if err := d.schedule.Add(attempt); err != nil {
		return 0, true, err
	}
	if at, ok := d.schedule.Next(p.ID); ok {
		fmt.Fprintf(d.out, "Graded %s; asked again in %s.\n", attempt.Grade, inWords(time.Until(at)))
	}
	return attempt.Grade, false, nil
}

// judgeMove returns what a move is worth, searched on the spot if the problem does
// not know.
func (d *drill) judgeMove(ctx context.Context, p *review.Problem, move string) (*review.Answer, error) {
	if a := p.Answer(move); a != nil {
		return a, nil
	}
	start, err := p.Position()
	if err != nil {
		return nil, err
	}
	at, err := start.Size().ParseVertex(move)
	if err != nil {
		return nil, err
	}
	if err := start.Legal(start.ToMove(), at); err != nil {
		return nil, err
	}
	if d.net == nil {
		fmt.Fprintln(d.out, "That move was not searched yet; one moment.")
		d.net = openNetwork(d.s, start.Size(), d.s.stderr)
		if d.judge, err = review.NewJudge(d.net, d.s.params(), d.s.Play.Limits.Visits); err != nil {
			return nil, err
		}
	}
	if err := d.net.wait(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoNetwork, err)
	}
	return p.Search(func(g *board.Game) (*review.Eval, error) { return d.judge.Position(ctx, g) }, move)
}

// view is how a problem is shown: turned, mirrored, with colours exchanged.
type view struct {
	size board.Size // of the problem
	turn board.Symmetry
	swap bool
}

func viewOf(p *review.Problem, random *rand.Rand, turn bool) *view {
	v := &view{size: board.Size{W: p.Width, H: p.Height}}
	if turn {
		v.turn, v.swap = board.Symmetry(random.IntN(v.size.Symmetries())), random.IntN(2) == 1
	}
	return v
}

// vertex turns a move of the problem into one of what is shown.
func (v *view) vertex(move string) string {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return move
	}
	return v.size.Vertex(v.size.SymMap(v.turn, p))
}

// parse turns a move of what is shown into one of the problem.
func (v *view) parse(move string) (string, error) {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return "", err
	}
	return v.size.Vertex(v.size.SymMap(v.turn.Inverse(), p)), nil
}

// show writes the position.
func (v *view) show(w io.Writer, p *review.Problem) {
	shown := make([]byte, len(p.Stones))
	for i := range len(p.Stones) {
		c := p.Stones[i]
		if v.swap && c != '.' {
			c = 'X' + 'O' - c
		}
		shown[v.size.SymMap(v.turn, board.Point(i))] = c
	}
	last := board.NoPoint
	if p.Last != "" {
		if at, err := v.size.ParseVertex(p.Last); err == nil {
			last = v.size.SymMap(v.turn, at)
		}
	}
	columns := "   "
	for x := range v.size.W {
		columns += " " + strings.TrimRight(v.size.Vertex(v.size.Point(x, 0)), "0123456789")
	}
	fmt.Fprintln(w, columns)
	for y := range v.size.H {
		row := fmt.Sprintf("%3d", v.size.H-y)
		for x := range v.size.W {
			at := v.size.Point(x, y)
			switch {
			case at == last:
				row += "(" + string(shown[at])
			case x > 0 && v.size.Point(x-1, y) == last:
				row += ")" + string(shown[at])
			default:
				row += " " + string(shown[at])
			}
		}
		if last >= 0 && last == v.size.Point(v.size.W-1, y) {
			row += ")"
		}
		fmt.Fprintln(w, row)
	}
	side, mark := "Black", "X"
	if (p.ToMove == "w") != v.swap {
		side, mark = "White", "O"
	}
	fmt.Fprintf(w, "%s (%s) to play.\n", side, mark)
}
