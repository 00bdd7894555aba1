// Package drill makes problems from the mistakes of reviews, schedules them, keeps the
// answers, and asks the problems in a terminal.
package drill

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Session asks the problems of a set and logs the answers.
type Session struct {
	In       io.Reader // commands and moves, one per line
	Out      io.Writer
	Log      *Log // receives each answer
	Schedule *Schedule
	// Random draws an orientation and colours for each problem; nil: as in the game.
	Random *rand.Rand
	// Judge judges moves that are not among the answers. Its error ends the session.
	Judge Judge

	lines  chan string // lines of In; closed at its end
	failed error       // error of reading In; valid after lines is closed
	last   *Attempt    // the attempt that "again" changes
}

// Run asks the problems that are due, and new ones; fresh bounds the number of new problems. It
// logs each answer at once. It returns when the input or ctx ends.
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
	right, tried, missed := 0, 0, []string(nil)
	for i, p := range due {
		fmt.Fprintf(s.Out, "\nProblem %d of %d (%s)\n", i+1, len(due), p.Title())
		first, quit, err := s.ask(ctx, p)
		if err != nil {
			return err
		}
		if first != nil {
			tried++
			if first.Solved() {
				right++
			} else {
				missed = append(missed, strconv.Itoa(i+1))
			}
		}
		if quit {
			break
		}
	}
	fmt.Fprintf(s.Out, "\n%d of %d right at the first try.", right, tried)
	if len(missed) > 0 {
		fmt.Fprintf(s.Out, " Missed: %s.", strings.Join(missed, ", "))
	}
	fmt.Fprintln(s.Out, s.nextDue(set))
	return nil
}

// listen sends the lines of In to s.lines, so that ctx can end a session that waits for input. A
// blocked read outlives the session.
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

// ask asks one problem until it is solved, shown or skipped. first is the first attempt, nil if
// there was no answer.
func (s *Session) ask(ctx context.Context, p *Problem) (first *Attempt, quit bool, err error) {
	random := s.Random
	if p.answers != nil {
		random = nil // the author's comments name points and colours
	}
	v := viewOf(p, random)
	v.show(s.Out, p)
	for {
		fmt.Fprint(s.Out, "> ")
		var line string
		more := false
		select {
		case <-ctx.Done():
			return first, true, nil
		case line, more = <-s.lines:
		}
		if !more {
			return first, true, s.failed
		}
		words := strings.Fields(strings.ToLower(line))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "quit", "q", "exit":
			return first, true, nil
		case "skip", "next":
			return first, false, nil
		case "board", "showboard":
			v.show(s.Out, p)
			continue
		case "hint":
			s.hint(p, v)
			continue
		case "help":
			fmt.Fprintln(s.Out, "a point (Q16) or pass; hint, show, skip, board, quit; again: ask the last problem again soon")
			continue
		case "again":
			if err := s.again(); err != nil {
				return first, true, err
			}
			continue
		case "show", "solution":
			first, err = s.grade(p, v, first, nil)
			fmt.Fprintf(s.Out, "Best:%s\n", v.inWords(lineOf(v.best)))
			s.sayWhy(p, v)
			return first, err != nil, err
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
		t, err := p.Play(ctx, append(v.moves, move), s.Judge)
		if err == nil && t.Reply == "" {
			first, err = s.grade(p, v, first, &t.Answer)
		}
		if err != nil {
			return first, true, err
		}
		if t.Text != "" {
			fmt.Fprintln(s.Out, t.Text)
		}
		switch {
		case t.Reply != "":
			v.moves, v.best = append(v.moves, move, t.Reply), t.Best
			fmt.Fprintf(s.Out, "Right so far. The answer is %s.\n", v.vertex(t.Reply))
			v.show(s.Out, p)
		case t.Accepted:
			s.sayWhy(p, v)
			return first, false, nil
		default:
			fmt.Fprintln(s.Out, "Try again, or type show.")
		}
	}
}

// sayWhy says why the move of the game was a mistake.
func (s *Session) sayWhy(p *Problem, v *view) {
	if p.Played != "" && len(p.Claims) > 0 {
		fmt.Fprintln(s.Out, v.reason(p))
	}
}

func (s *Session) hint(p *Problem, v *view) {
	if p.Played == "" || len(v.moves) > 0 {
		fmt.Fprintf(s.Out, "The move is on line %d, counted from the edge.\n", v.line(v.best.Move))
		return
	}
	fmt.Fprintf(s.Out, "%s was played, and loses %.1f points (%s).\n", v.vertex(p.Played), p.Loss, p.Kind)
}

// again changes the grade of the last attempt to AgainGrade, so that its problem is due soon.
func (s *Session) again() (err error) {
	if s.last == nil {
		fmt.Fprintln(s.Out, "No problem has been answered yet.")
		return nil
	}
	s.last.Grade = AgainGrade
	if err := s.Log.Add(*s.last); err != nil {
		return err
	}
	if s.Schedule, err = NewSchedule(s.Log.Attempts); err == nil {
		s.sayDue(s.last.ID)
	}
	return err
}

func (s *Session) sayDue(id string) {
	if at, ok := s.Schedule.Next(id); ok {
		fmt.Fprintf(s.Out, "It comes again in %s.\n", inWords(time.Until(at)))
	}
}

// grade prints the judgement of an answer, and logs the first attempt at a problem. A nil answer
// means that the player gave up.
func (s *Session) grade(p *Problem, v *view, first *Attempt, a *Answer) (*Attempt, error) {
	switch {
	case a == nil && first == nil:
		fmt.Fprintln(s.Out, "Given up.")
	case a == nil:
	case a.Accepted && len(v.moves) > 0:
		fmt.Fprintf(s.Out, "Right: %s solves it.\n", v.vertex(a.Move))
	case a.Accepted && p.Task != "":
		fmt.Fprintf(s.Out, "Right: %s alone does.\n", v.vertex(a.Move))
	case a.Accepted && p.Played != "":
		fmt.Fprintf(s.Out, "Right: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	case a.Accepted:
		fmt.Fprintf(s.Out, "Right: %s.\n", v.vertex(a.Move))
	case p.Played == "" || len(v.moves) > 0:
		fmt.Fprintf(s.Out, "Wrong: %s fails.\n", v.vertex(a.Move))
	case a.Move == p.Played:
		fmt.Fprintf(s.Out, "Wrong: %s was played in the game; it loses %.1f points.\n", v.vertex(a.Move), p.Loss)
	default:
		fmt.Fprintf(s.Out, "Not good enough: %s loses %.1f points.\n", v.vertex(a.Move), a.Loss)
	}
	if a != nil && len(a.Line) > 1 {
		fmt.Fprintf(s.Out, "It goes on:%s\n", v.inWords(a.Line))
	}
	if first != nil {
		return first, nil
	}
	attempt := p.Attempt(v.moves, a, time.Since(v.began))
	if err := s.Log.Add(attempt); err != nil {
		return nil, err
	}
	s.last = &attempt
	if err := s.Schedule.Add(attempt); err != nil {
		return nil, err
	}
	s.sayDue(p.ID)
	return s.last, nil
}
