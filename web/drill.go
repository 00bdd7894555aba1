package web

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// freshADay is how many problems that were never asked before come on one day.
const freshADay = 10

// graded is an answer whose grade may still be overruled.
type graded struct {
	sync.Mutex
	set     bool
	attempt review.Attempt
}

// drills reads problems and answers: engine drill may have asked some meanwhile.
func (rs *reviews) drills(use func(*review.Drills, *review.Log, *review.Schedule) error) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	set, err := rs.folder.Drills()
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	log, err := rs.folder.Answers()
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	defer log.Close()
	schedule, err := review.NewSchedule(log.Attempts)
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	return use(set, log, schedule)
}

// oneDrill lets a connection's commands about problems come one after the other.
func oneDrill(do func(*conn, json.RawMessage) (any, error)) func(*conn, json.RawMessage) (any, error) {
	return func(c *conn, d json.RawMessage) (any, error) {
		c.drill.Lock()
		defer c.drill.Unlock()
		return do(c, d)
	}
}

// note writes an answer down, or the one before again with another grade.
func (rs *reviews) note(a review.Attempt) error {
	return rs.drills(func(_ *review.Drills, log *review.Log, _ *review.Schedule) error {
		if err := log.Add(a); err != nil {
			return api.NotSaved(err)
		}
		return nil
	})
}

// nextDrill returns the problem that is due.
func (c *conn) nextDrill(n *api.NextDrill) (any, error) {
	c.drill.set = false
	var d api.Drill
	err := c.s.reviews.drills(func(set *review.Drills, log *review.Log, schedule *review.Schedule) error {
		now := time.Now()
		d.Total = len(set.Problems)
		fresh := max(0, freshADay-startedOn(log.Attempts, now))
		due := schedule.Due(set, now, fresh)
		for _, p := range due {
			if _, known := schedule.Next(p.ID); known {
				d.Due++
			} else {
				d.Fresh++
			}
		}
		for i := range set.Problems {
			if at, known := schedule.Next(set.Problems[i].ID); known && (d.Next == 0 || at.Unix() < d.Next) {
				d.Next = at.Unix()
			}
		}
		if len(due) > 1 && due[0].ID == n.Not {
			due = due[1:]
		}
		if len(due) > 0 {
			var err error
			d.Problem, err = wireProblem(due[0])
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// startedOn counts the problems that were asked for the first time on a day.
func startedOn(attempts []review.Attempt, day time.Time) int {
	first := map[string]time.Time{}
	for _, a := range attempts {
		if at, known := first[a.ID]; !known || a.Time.Before(at) {
			first[a.ID] = a.Time
		}
	}
	n := 0
	y, m, d := day.Date()
	for _, at := range first {
		if fy, fm, fd := at.Local().Date(); fy == y && fm == m && fd == d {
			n++
		}
	}
	return n
}

func wireProblem(p *review.Problem) (*api.Problem, error) {
	g, err := p.Position()
	if err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	legal := make([]byte, g.Size().Area())
	for i := range legal {
		legal[i] = '0'
		if g.Legal(g.ToMove(), board.Point(i)) == nil {
			legal[i] = '1'
		}
	}
	return &api.Problem{ID: p.ID, Game: wire.Shown(p.Game, 200), Number: p.Number, Size: [2]int{p.Width, p.Height}, Stones: wire.ReviewedStones(p.Stones), ToMove: p.ToMove,
		Last: p.Last, Loss: p.Loss, Legal: string(legal)}, nil
}

// answerDrill judges an answer.
func (c *conn) answerDrill(a *api.DrillAnswer) (any, error) {
	c.drill.set = false
	var p review.Problem
	err := c.s.reviews.drills(func(set *review.Drills, _ *review.Log, _ *review.Schedule) error {
		i := slices.IndexFunc(set.Problems, func(q review.Problem) bool { return q.ID == a.ID })
		if i < 0 {
			return api.Refuse("not_found", "no such problem")
		}
		p = set.Problems[i]
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := api.DrillVerdict{Played: p.Played, Loss: p.Loss, Kind: string(p.Kind), Reason: p.Reason, Best: *wireVerdict(&p, &p.Answers[0])}
	took := time.Duration(max(0, min(a.Seconds, 3600)) * float64(time.Second))
	attempt := review.Attempt{ID: p.ID, Time: time.Now().UTC(), Seconds: wire.Round(took.Seconds(), 1)}
	var answer *review.Answer
	if a.Move != "" {
		v, err := c.verdict(&p, a.Move)
		if err != nil {
			return nil, err
		}
		out.Verdict = *v
		attempt.Answer, attempt.Loss = v.Move, v.Loss
		answer = &review.Answer{Move: v.Move, Loss: v.Loss, Accepted: v.Accepted}
	}
	attempt.Grade = p.Grade(answer, took)
	out.Grade = int(attempt.Grade)
	if out.Due, err = c.s.reviews.dueBy(attempt); err != nil {
		return nil, err
	}
	if err := c.s.reviews.note(attempt); err != nil {
		return nil, err
	}
	c.drill.set, c.drill.attempt = true, attempt
	return out, nil
}

// dueBy says when a problem would come again, by grade.
func (rs *reviews) dueBy(a review.Attempt) (due [4]int64, err error) {
	err = rs.drills(func(_ *review.Drills, log *review.Log, _ *review.Schedule) error {
		for g := review.AgainGrade; g <= review.EasyGrade; g++ {
			a.Grade = g
			s, err := review.NewSchedule(append(slices.Clone(log.Attempts), a))
			if err != nil {
				return api.Refuse("internal", "%v", err)
			}
			if at, ok := s.Next(a.ID); ok {
				due[g-1] = at.Unix()
			}
		}
		return nil
	})
	return due, err
}

// gradeDrill overrules the grade of the last answer.
func (c *conn) gradeDrill(g *api.GradeDrill) (any, error) {
	if g.Grade < int(review.AgainGrade) || g.Grade > int(review.EasyGrade) {
		return nil, api.Refuse("bad_request", "grade: 1 to 4")
	}
	if !c.drill.set || c.drill.attempt.ID != g.ID {
		return nil, api.Refuse("stale", "the next problem has been asked for")
	}
	other := c.drill.attempt
	other.Grade = review.Grade(g.Grade)
	if err := c.s.reviews.note(other); err != nil {
		return nil, err
	}
	c.drill.attempt = other
	return nil, nil
}
