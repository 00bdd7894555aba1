package loop

import (
	"fmt"
	"strings"
	"time"

	"kosumi/train/selfplay"
)

// Progress is the progress of a stage of the loop.
type Progress struct {
	Iteration  int
	Stage      string        // "self-play", "training" or "gating match"
	Done, Goal int64         // within this stage; Goal 0: unknown
	Unit       string        // games, rows or samples
	Text       string        // details: moves, speed, losses
	Left       time.Duration // time left; 0: not known yet
}

// String returns the progress as one line.
func (p *Progress) String() string {
	parts := []string{fmt.Sprintf("%s: %d of %d %s", p.Stage, p.Done, p.Goal, p.Unit)}
	if p.Text != "" {
		parts = append(parts, p.Text)
	}
	if p.Left > 0 {
		parts = append(parts, "about "+p.Left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

// reporter passes status lines and progress to the caller.
type reporter struct {
	iteration *int
	status    func(line string) // nil: silent
	progress  func(p Progress)  // gets the progress within stages in place of status lines; may be nil
	beat      time.Duration     // longest pause between two status lines within a stage
}

func (r *reporter) say(format string, args ...any) {
	if r.status != nil {
		r.status(fmt.Sprintf("iteration %d: ", *r.iteration) + fmt.Sprintf(format, args...))
	}
}

func (r *reporter) tell(p Progress) {
	p.Iteration = *r.iteration
	if r.progress != nil {
		r.progress(p)
		return
	}
	r.say("... %s", p.String())
}

// heartbeat calls a function at intervals and reports its results. The function runs on another
// goroutine, so it must not read the state.
func (r *reporter) heartbeat(of func() Progress) (done func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		beat := r.pulse()
		for {
			select {
			case <-time.After(time.Until(beat.next)):
				beat.due(time.Now())
				r.tell(of())
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}

// pulse times the reports of a stage: with a progress function twice a second, else after ten
// seconds, then at intervals that double up to a minute.
type pulse struct {
	wait, most time.Duration
	next       time.Time
}

func (r *reporter) pulse() *pulse {
	p := &pulse{wait: min(10*time.Second, r.beat), most: r.beat}
	if r.progress != nil {
		p.wait = min(time.Second/2, r.beat)
		p.most = p.wait
	}
	p.next = time.Now().Add(p.wait)
	return p
}

// due reports whether a report is due, and schedules the next.
func (p *pulse) due(now time.Time) bool {
	if now.Before(p.next) {
		return false
	}
	p.wait = min(2*p.wait, p.most)
	p.next = now.Add(p.wait)
	return true
}

// stretch estimates the progress of a stretch of self-play, from its beginning to the goal.
type stretch struct {
	began        time.Time
	rows         bool    // the goal counts rows, not games
	before, goal int64   // rows or games of the iteration: when timing began, and in the end
	moves        float64 // moves expected from before to goal; 0: unknown
}

// newStretch starts an estimate. limit is the number of games that remain of the run; 0: no bound.
func newStretch(s *State, c *Recipe, limit int64) stretch {
	last := s.last()
	length, rowsOfMove := 1.2*float64(c.Selfplay.Boards[0].Size().Area()), 0.0
	if st := &last.Stats; st.Games > 0 && st.Length > 0 && last.Network != randomMoves {
		length, rowsOfMove = st.MeanLength(), float64(st.Rows)/float64(st.Length)
	}
	t := stretch{began: time.Now(), rows: s.GoalRows > 0}
	if t.rows {
		t.before, t.goal = s.Rows-last.Rows, s.GoalRows-last.Rows
		if rowsOfMove > 0 {
			t.moves = float64(t.goal-t.before) / rowsOfMove
		}
		return t
	}
	goal := s.GoalGames
	if limit > 0 {
		goal = min(goal, s.Games+limit)
	}
	t.before, t.goal = s.Games-last.Games, goal-last.Games
	t.moves = length * float64(t.goal-t.before)
	return t
}

// progress estimates the progress from the statistics of the stretch.
func (t *stretch) progress(st *selfplay.Stats, evals uint64) Progress {
	took, played := time.Since(t.began), max(st.Moves, st.Length)
	p := Progress{Stage: "self-play", Unit: "games", Done: t.before + int64(st.Games), Goal: t.goal}
	var parts []string
	if t.rows {
		p.Unit, p.Done = "rows", t.before+int64(st.Rows)
		parts = append(parts, fmt.Sprintf("%d games", st.Games))
	}
	// Games under way count by their moves, but at most for half of the share that ended games leave,
	// in case games are longer than expected.
	ended := min(float64(p.Done-t.before)/float64(max(1, p.Goal-t.before)), 1)
	share := ended
	if t.moves > 0 {
		share = min(max(float64(played)/t.moves, ended), (1+ended)/2, 0.999)
	}
	if share > 0 {
		p.Left = max(time.Second, time.Duration(float64(took)*(1-share)/share))
	}
	parts = append(parts, fmt.Sprintf("%d moves", played))
	if evals > 0 {
		parts = append(parts, fmt.Sprintf("%.0f evals/s", float64(evals)/took.Seconds()))
	}
	if st.Games > 0 {
		parts = append(parts, fmt.Sprintf("%.0f games/h", float64(st.Games)/took.Hours()))
	}
	p.Text = strings.Join(parts, ", ")
	return p
}
