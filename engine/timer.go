package engine

import (
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
)

// timer keeps the time of the engine's moves: both clocks, when the clock of the side to move was
// started, and by how much moves exceed their planned time.
type timer struct {
	clocks    [2]clock.Clock         // Black's, White's
	before    map[int][2]clock.Clock // by move number: the clocks before each move since time was last set
	lastEvent time.Time              // when the opponent's move or the engine's last reply ended
	overrun   time.Duration          // average over the engine's last moves
}

func (t *timer) set(s clock.Settings) error {
	s, err := s.Normalize()
	if err != nil {
		return err
	}
	t.clocks, t.before = [2]clock.Clock{clock.New(s, clock.Forgiving), clock.New(s, clock.Forgiving)}, map[int][2]clock.Clock{}
	return nil
}

// mark stores the clocks before the next move; moves is the number of moves so far.
func (t *timer) mark(moves int) {
	if t.before != nil {
		t.before[moves] = t.clocks
	}
}

// takeBack restores the clocks to their state before the last n moves, or as far back as stored.
func (t *timer) takeBack(moves, n int) {
	for i := moves - n; i < moves; i++ {
		if c, known := t.before[i]; known {
			t.clocks = c
			return
		}
	}
}

func (t *timer) clock(c board.Color) *clock.Clock { return &t.clocks[c-board.Black] }

// maxUnseen is the longest time from the opponent's move to the command for a move for which the clock runs
// from the opponent's move, as it does in controllers. If the command comes later, the clock runs from the
// command: a person who replays a game and then asks for a move has started no clock.
const maxUnseen = time.Second

// start returns when the clock of the current move began to run.
func (t *timer) start(now time.Time) time.Time {
	if since := now.Sub(t.lastEvent); since > maxUnseen {
		return now
	}
	return t.lastEvent
}

// book subtracts the time since start from a clock.
func (t *timer) book(c board.Color, start time.Time) {
	t.lastEvent = time.Now()
	k := t.clock(c)
	k.Run(t.lastEvent.Sub(start))
	k.Moved()
}

// learnOverrun records by how much a move exceeded its planned time. A search ends only when its
// pending evaluations have returned, which takes long on a busy machine or with a slow network.
// Later searches are shortened by the average overrun, in which the last few moves count most.
func (t *timer) learnOverrun(d time.Duration) {
	t.overrun += (max(d, 0) - t.overrun) / 4
}

// leastLag is the minimum time assumed until the controller receives a move.
const leastLag = 20 * time.Millisecond

// budget returns the time for the next move of a colour by its clock.
func (t *timer) budget(c board.Color, game *board.Game, lag time.Duration) clock.Budget {
	b := game.Board()
	stones := b.Stones(board.Black) + b.Stones(board.White)
	return t.clock(c).Budget(b.Size().Area(), stones, max(lag, leastLag))
}

// hurryBelow is the time for a move below which chains are not judged. Judging takes evaluations
// one after the other, each of which may wait for the processor: 0.2 s in all with twelve programs
// on a core. The search leaves half of hurryBelow for the evaluations; if less than a quarter is
// left, they are not begun.
const hurryBelow = 500 * time.Millisecond

// turn is the time of one move: its budget and start.
type turn struct {
	budget clock.Budget
	start  time.Time
}

func (t turn) used() time.Duration { return time.Since(t.start) }

// hurried reports whether the turn leaves no time for anything besides the search.
func (t turn) hurried() bool { return hurried(t.budget, t.used()) }

// hurried reports whether the rest of a budget leaves no time for anything besides the search.
func hurried(b clock.Budget, used time.Duration) bool {
	return !b.Unlimited && (b.Recommended < hurryBelow || b.Rest(used) < hurryBelow/4)
}

// afterSearch is the part of a move's time reserved for what may follow the search: judging
// chains before a pass, and the short searches of friendlyPass.
func afterSearch(b clock.Budget, g *board.Game, cleanup bool) time.Duration {
	on := g.Board()
	switch {
	case b.Unlimited || b.Recommended < hurryBelow:
		return 0
	case g.LastMove(0).Point == board.Pass:
		return max(b.Recommended/4, hurryBelow/2)
	case cleanup || 2*(on.Stones(board.Black)+on.Stones(board.White)) > on.Size().Area():
		return hurryBelow / 2
	}
	return 0
}
