package loop

import (
	"fmt"
	"strings"
	"time"

	"kosumi/train/selfplay"
)

// Progress of a stage of the loop.
type Progress struct {
	Iteration  int
	Stage      string        // "self-play", "training" or "gating match"
	Done, Goal int64         // in this stage; Goal 0: unknown
	Unit       string        // games, rows or samples
	Text       string        // moves, speed, losses
	Left       time.Duration // 0: not known yet
}

// String is the progress in a line.
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
	progress  func(p Progress)  // within stages, instead of status; nil: lines
	beat      time.Duration     // longest pause between two lines within a stage
}

// say passes on a line about something done.
func (r *reporter) say(format string, args ...any) {
	if r.status != nil {
		r.status(fmt.Sprintf("iteration %d: ", *r.iteration) + fmt.Sprintf(format, args...))
	}
}

// tell passes on the progress of a stage.
func (r *reporter) tell(p Progress) {
	p.Iteration = *r.iteration
	if r.progress != nil {
		r.progress(p)
		return
	}
	r.say("... %s", p.String())
}

// heartbeat reports progress at intervals. It calls of on another goroutine, so of must not
// read the state.
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

// stretch estimates the progress of self-play since it began.
type stretch struct {
	began      time.Time
	games      int64 // games and rows of the loop then
	rows       int64
	goalGames  int64 // goals, 0 for none
	goalRows   int64
	before     int64   // games or rows of this iteration before the stretch
	length     float64 // moves of a game, from the iteration before or guessed
	rowsOfMove float64 // rows that a move makes; 0: unknown
	parallel   int     // games at a time: the first to end are short ones
}

// newStretch starts an estimate. limit is the games that remain of the run; 0: no bound.
func newStretch(s *State, c *Recipe, limit int64) stretch {
	t := stretch{began: time.Now(), games: s.Games, rows: s.Rows, goalGames: s.GoalGames, goalRows: s.GoalRows, parallel: c.Selfplay.Parallel}
	if limit > 0 && (t.goalGames == 0 || s.Games+limit < t.goalGames) && t.goalRows == 0 {
		t.goalGames = s.Games + limit
	}
	area := float64(c.Selfplay.Boards[0].Size().Area())
	t.length = 1.2 * area
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		t.before = s.Games - last.Games
		if t.goalGames == 0 {
			t.before = s.Rows - last.Rows
		}
		if st := &last.Stats; st.Games > 0 && st.Length > 0 && last.Network != orNone("") {
			t.length = st.MeanLength()
			t.rowsOfMove = float64(st.Rows) / float64(st.Length)
		}
	}
	return t
}

// progress estimates from the statistics of the stretch.
func (t *stretch) progress(st *selfplay.Stats, evals uint64) Progress {
	took := time.Since(t.began)
	p := Progress{Stage: "self-play", Unit: "games", Done: t.before + int64(st.Games), Goal: t.before + t.goalGames - t.games}
	length, perMove := t.length, t.rowsOfMove
	if st.Games >= 2*t.parallel {
		length = st.MeanLength()
	}
	if st.Games >= 2*t.parallel || st.Games > 0 && perMove == 0 {
		perMove = float64(st.Rows) / float64(max(1, st.Length))
	}
	moves := length * float64(t.goalGames-t.games)
	if t.goalGames == 0 {
		p.Unit, p.Done, p.Goal = "rows", t.before+int64(st.Rows), t.before+t.goalRows-t.rows
		moves = 0
		if perMove > 0 {
			moves = float64(t.goalRows-t.rows) / perMove
		}
	}
	played := max(st.Moves, st.Length)
	if played > 0 && moves > 0 {
		// Games under way count by their moves. If games are longer than estimated, the
		// finished ones bound the estimate.
		ended := min(float64(p.Done-t.before)/float64(max(1, p.Goal-t.before)), 1)
		share := min(max(float64(played)/moves, ended), (1+ended)/2, 0.999)
		p.Left = max(time.Second, time.Duration(float64(took)*(1-share)/share))
	}
	var parts []string
	if t.goalGames == 0 {
		parts = append(parts, fmt.Sprintf("%d games", st.Games))
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
