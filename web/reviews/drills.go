package reviews

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// freshADay is the maximum number of new problems that are asked on one day.
const freshADay = 10

// Attempt is a client's last answer, whose grade may still be changed. The zero Attempt means that
// there is no answer.
type Attempt struct {
	mu      sync.Mutex // held during a command
	set     bool
	attempt drill.Attempt
}

// Drills are three kinds of problems (from mistakes in reviews, from the player's own files, built-in) and the player's answers.
type Drills struct {
	folder   *drill.Folder
	whose    func(name string) (mine, other bool)
	sides    func() map[string]string // the player's side by the name of the game, see [api.ReviewCard]
	judge    judge
	strength func() (level.Rank, bool)
	// collection returns the built-in problems for a level; 0 is all levels. They fill up the
	// problems of a day, and become drills once they have been answered.
	collection func(level int) []drill.Problem
	mu         sync.Mutex // guards the files
	own        own
}

// use reads the problems, answers and schedule again, since the command "engine drill" may have changed
// the files, and calls f with them. Mistakes that are known to be another player's are left out.
func (ds *Drills) use(f func(*drill.Set, *drill.Log, *drill.Schedule) error) error {
	sides := ds.sides()
	ds.mu.Lock()
	defer ds.mu.Unlock()
	set, err := ds.folder.Drills()
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	log, err := ds.folder.Answers()
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	defer log.Close()
	schedule, err := drill.NewSchedule(log.Attempts)
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	set.Problems = slices.DeleteFunc(set.Problems, func(p drill.Problem) bool {
		side := sides[p.Game]
		_, other := ds.whose(p.Player)
		return side == "none" || (side == "b" || side == "w") && side != p.ToMove || side == "" && other
	})
	fit := 0
	if at, known := ds.strength(); known {
		fit = drill.LevelFor(int(at))
	}
	set.Problems = slices.Concat(set.Problems, ds.own.problems(""), ds.collection(fit))
	return f(set, log, schedule)
}

// collect reads the stored problems made from reviews, calls change with them, and writes them.
func (ds *Drills) collect(change func(*drill.Set)) error {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d, err := ds.folder.Drills()
	if err != nil {
		return err
	}
	change(d)
	_, err = ds.folder.WriteDrills(d)
	return err
}

// note writes an answer to a log. If the log has the same answer with another grade, a replaces that answer.
func note(log *drill.Log, a drill.Attempt) error {
	if err := log.Add(a); err != nil {
		return api.NotSaved(err)
	}
	return nil
}

// solved records a new problem as solved, since the player has corrected its mistake in the review.
func (ds *Drills) solved(p *drill.Problem) {
	_ = ds.use(func(set *drill.Set, log *drill.Log, schedule *drill.Schedule) error { // after an error the problem is still asked
		for _, id := range []string{p.ID, p.ID + drill.LifeSuffix} {
			if _, known := schedule.Next(id); !known && find(set, id) != nil {
				return log.Add(drill.Attempt{ID: id, Time: time.Now().UTC(), Grade: drill.GoodGrade, Right: true})
			}
		}
		return nil
	})
}

// Next returns the first due problem, or the one after n.Not, and counts the due and the new problems.
func (ds *Drills) Next(last *Attempt, n *api.NextDrill) (d api.Drill, err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	last.set = false
	err = ds.use(func(set *drill.Set, log *drill.Log, schedule *drill.Schedule) error {
		now := time.Now()
		fresh := max(0, freshADay-startedOn(log.Attempts, now))
		if n.Set != "" {
			set.Problems, fresh = ds.own.problems(n.Set), math.MaxInt
		}
		set.Problems = slices.DeleteFunc(set.Problems, func(p drill.Problem) bool {
			_, known := schedule.Next(p.ID)
			return p.Level > 0 && !known
		})
		d.Total = len(set.Problems)
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
		if len(due) == 0 {
			return nil
		}
		at := slices.IndexFunc(due, func(p *drill.Problem) bool { return p.ID == n.Not })
		var err error
		d.Problem, err = ds.wireProblem(due[(at+1)%len(due)], nil)
		return err
	})
	return d, err
}

// startedOn counts the problems that were first answered on the given day.
func startedOn(attempts []drill.Attempt, day time.Time) int {
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

// wireProblem converts a problem for pages. The position is the one after the moves in after.
func (ds *Drills) wireProblem(p *drill.Problem, after []string) (*api.Problem, error) {
	g, err := p.After(after)
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
	yours, _ := ds.whose(p.Player)
	set := ""
	if p.Kind == drill.OwnKind {
		set = idOf(p.Game)
	}
	return &api.Problem{ID: p.ID, Player: wire.Shown(p.Player, 100), Yours: yours, Game: wire.Shown(p.Game, 200), Against: wire.Shown(p.Against, 100), Text: p.Text, Set: set, Number: p.Number, Task: p.Task, Group: p.Group, Level: p.Level, Size: [2]int{p.Width, p.Height}, Stones: wire.Stones(g), ToMove: p.ToMove,
		Last: append([]string{p.Last}, after...)[len(after)], Loss: p.Loss, Legal: string(legal), After: after}, nil
}

// Answer judges an answer.
func (ds *Drills) Answer(ctx context.Context, last *Attempt, a *api.DrillAnswer) (out api.DrillVerdict, err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	last.set = false
	var p drill.Problem
	err = ds.use(func(set *drill.Set, _ *drill.Log, _ *drill.Schedule) error {
		q := find(set, a.ID)
		if q == nil {
			return api.Refuse("not_found", "no such problem")
		}
		p = *q
		return nil
	})
	if err != nil {
		return out, err
	}
	out = api.DrillVerdict{Played: p.Played, Loss: p.Loss, Kind: string(p.Kind), Reason: p.Reason, Claims: wireClaims(p.Claims), Best: *wireVerdict(&p.Answers[0], p.Played)}
	took := time.Duration(max(0, min(a.Seconds, 3600)) * float64(time.Second))
	var answer *drill.Answer
	if a.Move != "" || len(a.After) > 0 { // giving up in the middle counts as a pass
		t, err := ds.judge.verdict(ctx, &p, a.After, cmp.Or(a.Move, "pass"))
		if err != nil {
			return out, err
		}
		if a.Move != "" {
			answer, out.Verdict, out.Text = &t.Answer, *wireVerdict(&t.Answer, p.Played), t.Text
		}
		if t.Reply != "" && a.Move != "" {
			out.Next, err = ds.wireProblem(&p, append(slices.Clip(a.After), t.Move, t.Reply))
			return out, err
		}
		if len(a.After) > 0 {
			out.Best = *wireVerdict(&t.Best, "")
		}
	}
	if a.Again {
		return out, nil
	}
	attempt := p.Attempt(a.After, answer, took)
	out.Grade = int(attempt.Grade)
	err = ds.use(func(_ *drill.Set, log *drill.Log, schedule *drill.Schedule) error {
		for i := range out.Due {
			at, err := schedule.DueBy(attempt, drill.Grade(i+1))
			if err != nil {
				return api.Refuse("internal", "%v", err)
			}
			out.Due[i] = at.Unix()
		}
		return note(log, attempt)
	})
	if err == nil {
		last.set, last.attempt = true, attempt
	}
	return out, err
}

// Grade changes the grade of the last answer.
func (ds *Drills) Grade(last *Attempt, g *api.GradeDrill) error {
	last.mu.Lock()
	defer last.mu.Unlock()
	if g.Grade < int(drill.AgainGrade) || g.Grade > int(drill.EasyGrade) {
		return api.Refuse("bad_request", "grade: 1 to 4")
	}
	if !last.set || last.attempt.ID != g.ID {
		return api.Refuse("stale", "the next problem has been asked for")
	}
	other := last.attempt
	other.Grade = drill.Grade(g.Grade)
	err := ds.use(func(_ *drill.Set, log *drill.Log, _ *drill.Schedule) error { return note(log, other) })
	if err == nil {
		last.attempt = other
	}
	return err
}
