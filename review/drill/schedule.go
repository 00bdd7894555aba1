package drill

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	fsrs "github.com/open-spaced-repetition/go-fsrs/v4"
)

type Grade int

// The grades, as FSRS counts them.
const (
	AgainGrade Grade = iota + 1
	HardGrade
	GoodGrade
	EasyGrade
)

func (g Grade) String() string {
	if g < AgainGrade || g > EasyGrade {
		return fmt.Sprintf("grade %d", int(g))
	}
	return [...]string{"again", "hard", "good", "easy"}[g-AgainGrade]
}

// Bounds of the grades.
const (
	easyWithin = 10 * time.Second
	easyLoss   = 0.5 // points
	againShare = 0.5 // share of the mistake's loss
)

// Grade grades an answer: AgainGrade for the played move or a wrong one that loses at least half as
// much, EasyGrade for a good and quick one. A nil answer means that the player gave up.
func (p *Problem) Grade(a *Answer, took time.Duration) Grade {
	switch {
	case a == nil || !a.Accepted && (a.Move == p.Played || a.Loss >= againShare*p.Loss):
		return AgainGrade
	case !a.Accepted:
		return HardGrade
	case a.Loss <= easyLoss && took <= easyWithin:
		return EasyGrade
	}
	return GoodGrade
}

// Attempt returns the log's entry for the answer a; nil means that the player gave up. moves are the moves
// before the answer, by the player and the opponent in turn. took is the time that the player needed for all
// moves; the grade depends on the mean time of a move.
func (p *Problem) Attempt(moves []string, a *Answer, took time.Duration) Attempt {
	x := Attempt{ID: p.ID, Time: time.Now().UTC(), Grade: p.Grade(a, took/time.Duration(1+len(moves)/2)), Seconds: float64(took.Milliseconds()) / 1000}
	for i := 0; i < len(moves) && a != nil; i += 2 {
		x.Answer += moves[i] + " "
	}
	if a != nil {
		x.Answer, x.Loss, x.Right = x.Answer+a.Move, a.Loss, a.Accepted
	}
	return x
}

// Schedule holds the times at which problems are due, by FSRS-6 with its published weights
// (github.com/open-spaced-repetition). Create one with [NewSchedule].
type Schedule struct {
	fsrs  *fsrs.FSRS
	cards map[string]fsrs.Card
}

// NewSchedule computes the schedule from attempts in the order in which they were made.
func NewSchedule(attempts []Attempt) (*Schedule, error) {
	s := &Schedule{fsrs: fsrs.NewFSRS(fsrs.DefaultParam()), cards: map[string]fsrs.Card{}}
	for i := range attempts {
		if err := s.Add(attempts[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add adds an attempt. If the previous attempt at the problem has a later time, because the clock was
// set back, the previous attempt counts as made at the time of the new one.
func (s *Schedule) Add(a Attempt) error {
	card, err := s.after(a)
	if err == nil {
		s.cards[a.ID] = card
	}
	return err
}

// DueBy returns when the problem of an attempt is due again if the attempt gets grade g.
func (s *Schedule) DueBy(a Attempt, g Grade) (time.Time, error) {
	a.Grade = g
	card, err := s.after(a)
	return card.Due, err
}

func (s *Schedule) after(a Attempt) (card fsrs.Card, err error) {
	if a.Grade < AgainGrade || a.Grade > EasyGrade {
		return card, fmt.Errorf("attempt at %s: %v is not a grade", a.ID, a.Grade)
	}
	card, known := s.cards[a.ID]
	if !known {
		card = fsrs.NewCard(a.Time)
	}
	if a.Time.Before(card.LastReview) {
		card.LastReview = a.Time
	}
	next, err := s.fsrs.Next(card, a.Time, fsrs.Rating(a.Grade))
	if err != nil {
		return card, fmt.Errorf("attempt at %s: %w", a.ID, err)
	}
	return next.Card, nil
}

// Next returns when a problem is due; false if it is new.
func (s *Schedule) Next(id string) (time.Time, bool) {
	card, known := s.cards[id]
	return card.Due, known
}

// Due returns the problems to ask now: those that are due, the longest overdue first, then up to
// fresh new problems, the worst mistake first.
func (s *Schedule) Due(d *Set, now time.Time, fresh int) []*Problem {
	var due, unseen []*Problem
	for i := range d.Problems {
		p := &d.Problems[i]
		switch next, known := s.Next(p.ID); {
		case !known:
			unseen = append(unseen, p)
		case !next.After(now) || s.cards[p.ID].LastReview.After(now): // the last attempt lies in the future if the clock was ahead then
			due = append(due, p)
		}
	}
	slices.SortStableFunc(due, func(a, b *Problem) int { return s.cards[a.ID].Due.Compare(s.cards[b.ID].Due) })
	slices.SortStableFunc(unseen, func(a, b *Problem) int { return cmp.Compare(b.Loss, a.Loss) })
	return append(due, unseen[:min(max(fresh, 0), len(unseen))]...)
}
