// Package drill makes problems from the mistakes of reviews, schedules them, keeps the
// answers, and asks the problems in a terminal.
package drill

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/life"
	"kosumi/review"
)

// Session asks the problems of a set and logs the answers.
type Session struct {
	In       io.Reader // commands and moves, one a line
	Out      io.Writer
	Log      *Log // gets each answer
	Schedule *Schedule
	// Random draws the orientation and colours in which a problem is shown; nil: its own.
	Random *rand.Rand
	// Judge searches a position if a move is not among the answers. Its error ends the
	// session.
	Judge func(ctx context.Context, g *board.Game) (*review.Eval, error)

	lines  chan string // of In; closed at its end
	failed error       // In's error; valid after lines is closed
}

// Run asks the problems that are due and at most fresh new ones. It logs each answer at once.
// The end of the input or of ctx ends it.
func (s *Session) Run(ctx context.Context, set *Set, fresh int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.lines = make(chan string)
	go s.listen(ctx)
	due := s.Schedule.Due(set, time.Now(), fresh)
	if len(due) == 0 {
		fmt.Fprintf(s.Out, "Nothing is due: %d problems, none to be asked now.%s\n", len(set.Problems), s.nextDue(set))
		return nil
	}
	right, tried := 0, 0
	for i, p := range due {
		fmt.Fprintf(s.Out, "\nProblem %d of %d (%s, move %d)\n", i+1, len(due), p.Game, p.Number)
		grade, quit, err := s.ask(ctx, p)
		if err != nil {
			return err
		}
		if grade > 0 {
			tried++
			if grade >= GoodGrade {
				right++
			}
		}
		if quit {
			break
		}
	}
	fmt.Fprintf(s.Out, "\n%d of %d right.%s\n", right, tried, s.nextDue(set))
	return nil
}

// listen sends the lines of In to s.lines, so that ctx can end a session that waits for
// input. A blocked read stays behind.
func (s *Session) listen(ctx context.Context) {
	defer close(s.lines)
	in := bufio.NewScanner(s.In)
	for in.Scan() {
		select {
		case s.lines <- in.Text():
		case <-ctx.Done():
			return
		}
	}
	s.failed = in.Err()
}

// nextDue returns a sentence about the next due problem.
func (s *Session) nextDue(set *Set) string {
	var first time.Time
	for i := range set.Problems {
		if at, ok := s.Schedule.Next(set.Problems[i].ID); ok && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	switch wait := time.Until(first); {
	case first.IsZero():
		return ""
	case wait > 0:
		return fmt.Sprintf(" The next one is due in %s.", inWords(wait))
	}
	return " One is due again now."
}

func inWords(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return "a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// ask asks one problem until it is answered, given up or skipped. grade is 0 without an
// answer.
func (s *Session) ask(ctx context.Context, p *Problem) (grade Grade, quit bool, err error) {
	v := viewOf(p, s.Random)
	v.show(s.Out, p)
	for {
		fmt.Fprint(s.Out, "> ")
		var line string
		more := false
		select {
		case <-ctx.Done():
			return 0, true, nil
		case line, more = <-s.lines:
		}
		if !more {
			return 0, true, s.failed
		}
		words := strings.Fields(strings.ToLower(line))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "quit", "q", "exit":
			return 0, true, nil
		case "skip", "next":
			return 0, false, nil
		case "board", "showboard":
			v.show(s.Out, p)
			continue
		case "hint":
			if p.Played == "" || len(v.moves) > 0 {
				fmt.Fprintf(s.Out, "The move is on line %d, counted from the edge.\n", v.line(v.best.Move))
				continue
			}
			fmt.Fprintf(s.Out, "What was played is %s, and loses %.1f points (%s).\n", v.vertex(p.Played), p.Loss, p.Kind)
			continue
		case "help":
			fmt.Fprintln(s.Out, "a point (Q16) or pass; hint, show, skip, board, quit")
			continue
		case "show", "solution":
			return s.grade(p, v, nil)
		case "play":
			words = words[len(words)-1:]
		}
		move, err := v.parse(words[0])
		if err == nil {
			_, err = p.After(append(v.moves, move))
		}
		if err != nil {
			fmt.Fprintf(s.Out, "%v; help lists the commands\n", err)
			continue
		}
		answer, err := s.judge(ctx, p, v, move)
		if err != nil {
			return 0, true, err
		}
		if answer != nil {
			return s.grade(p, v, answer)
		}
	}
}

// grade logs the attempt and prints the solution. A nil answer gives up.
func (s *Session) grade(p *Problem, v *view, a *Answer) (Grade, bool, error) {
	attempt := p.Attempt(v.moves, a, time.Since(v.began))
	switch {
	case a == nil:
		fmt.Fprintln(s.Out, "Given up.")
	case a.Accepted && len(v.moves) > 0:
		fmt.Fprintf(s.Out, "Right: %s solves it.\n", v.vertex(a.Move))
	case p.Task != "" && a.Accepted:
		fmt.Fprintf(s.Out, "Right: %s alone does.\n", v.vertex(a.Move))
	case p.Task != "" && len(a.Line) > 1:
		fmt.Fprintf(s.Out, "Wrong: %s fails; the answer is %s.\n", v.vertex(a.Move), v.vertex(a.Line[1]))
	case p.Task != "":
		fmt.Fprintf(s.Out, "Wrong: %s fails.\n", v.vertex(a.Move))
	case a.Accepted:
		fmt.Fprintf(s.Out, "Right: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	case a.Move == p.Played:
		fmt.Fprintf(s.Out, "Wrong: %s is what was played; it loses %.1f points.\n", v.vertex(a.Move), p.Loss)
	default:
		fmt.Fprintf(s.Out, "Not good enough: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	}
	if len(v.moves) == 0 || a == nil || !a.Accepted {
		var line []string
		for _, m := range v.best.Line {
			line = append(line, v.vertex(m))
		}
		fmt.Fprintf(s.Out, "Best: %s %s (%s)\n", v.vertex(v.best.Move), strings.Join(line[min(1, len(line)):], " "), p.Kind)
	}
	if err := s.Log.Add(attempt); err != nil {
		return 0, true, err
	}
	if err := s.Schedule.Add(attempt); err != nil {
		return 0, true, err
	}
	if at, ok := s.Schedule.Next(p.ID); ok {
		fmt.Fprintf(s.Out, "Graded %s; asked again in %s.\n", attempt.Grade, inWords(time.Until(at)))
	}
	return attempt.Grade, false, nil
}

// judge returns the judgement of a legal move, by a search if the problem has none; nil if the
// other side has replied and the problem continues.
func (s *Session) judge(ctx context.Context, p *Problem, v *view, move string) (*Answer, error) {
	if p.Task != "" {
		t, err := p.Play(ctx, append(v.moves, move), life.Options{})
		if err != nil || t.Reply == "" {
			return &t.Answer, err
		}
		v.moves, v.best = append(v.moves, move, t.Reply), Answer{Move: t.Best}
		fmt.Fprintf(s.Out, "Right so far. The answer is %s.\n", v.vertex(t.Reply))
		v.show(s.Out, p)
		return nil, nil
	}
	if a := p.Answer(move); a != nil {
		return a, nil
	}
	return p.Search(func(g *board.Game) (*review.Eval, error) { return s.Judge(ctx, g) }, move)
}
