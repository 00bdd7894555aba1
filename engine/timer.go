package engine

import (
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search"
)

// timer keeps the time of the engine's moves: it owns both clocks, since when the one
// of the side to move runs, and by how much moves run over their time.
type timer struct {
	clocks    [2]clock.Clock         // of Black, of White
	before    map[int][2]clock.Clock // each of the moves since they were set, by the number of those before it
	lastEvent time.Time              // when the opponent's move or our last reply was done
	overrun   time.Duration          // of our last moves, on average
}

// set starts both clocks anew under these settings.
func (t *timer) set(s clock.Settings) error {
	s, err := s.Normalize()
	if err != nil {
		return err
	}
	t.clocks, t.before = [2]clock.Clock{clock.New(s, clock.Forgiving), clock.New(s, clock.Forgiving)}, map[int][2]clock.Clock{}
	return nil
}

// mark notes the clocks before the next move of a game of so many.
func (t *timer) mark(moves int) {
	if t.before != nil {
		t.before[moves] = t.clocks
	}
}

// takeBack sets the clocks to what they were before the last n of the game's moves, or
// before the first of these that is known.
func (t *timer) takeBack(moves, n int) {
	for i := moves - n; i < moves; i++ {
		if c, known := t.before[i]; known {
			t.clocks = c
			return
		}
	}
}

func (t *timer) clock(c board.Color) *clock.Clock { return &t.clocks[c-board.Black] }

// event notes that a move was made.
func (t *timer) event() { t.lastEvent = time.Now() }

// maxUnseen is how much thinking time may have run before the command that asks
// for a move: controllers start the clock at the opponent's move, but a person
// who replays a game and then asks for a move has started no clock.
const maxUnseen = time.Second

// start is when the clock of the move that is asked for now began to run.
func (t *timer) start(now time.Time) time.Time {
	if since := now.Sub(t.lastEvent); since > maxUnseen {
		return now
	}
	return t.lastEvent
}

// book takes the time of a move that began at start off a clock.
func (t *timer) book(c board.Color, start time.Time) {
	t.event()
	k := t.clock(c)
	k.Run(t.lastEvent.Sub(start))
	k.Moved()
}

// learnOverrun books by how much a move took longer than its search was given:
// evaluations that were under way have to come back, and on a machine that is
// busy, or with a network that is slow, that takes time which the next moves
// leave for it. Overruns of the last few moves count most.
func (t *timer) learnOverrun(d time.Duration) {
	t.overrun += (max(d, 0) - t.overrun) / 4
}

// leastLag is what a move's answer takes at least until the controller has it.
const leastLag = 20 * time.Millisecond

// budget is how long the next move of a colour may take by its clock.
func (t *timer) budget(c board.Color, game *board.Game, lag time.Duration) clock.Budget {
	b := game.Board()
	stones := b.Stones(board.Black) + b.Stones(board.White)
	return t.clock(c).Budget(b.Size().Area(), stones, max(lag, leastLag))
}

// hurryBelow is the time for a move below which chains are not judged: that takes
// evaluations of its own, one after the other, and on a busy machine each may
// have to wait for the processor: 0.2 s in all where twelve programs share a core.
// The search leaves half of it for them, and a quarter has to be there.
const hurryBelow = 500 * time.Millisecond

// turn is the time of one move: how long it may take, and since when it does.
type turn struct {
	budget clock.Budget
	start  time.Time
}

func (t turn) used() time.Duration { return time.Since(t.start) }

// bound bounds limits that know no clock by the longest time for the move.
func (t turn) bound(l search.Limits) search.Limits {
	if !t.budget.Unlimited {
		l.Time = max(t.budget.Rest(t.used()), time.Nanosecond)
	}
	return l
}

// hurried reports whether the turn leaves no time for anything beside the search.
func (t turn) hurried() bool { return hurried(t.budget, t.used()) }

// hurried reports whether a budget of which some is used leaves no time for anything
// beside the search.
func hurried(b clock.Budget, used time.Duration) bool {
	return !b.Unlimited && (b.Recommended < hurryBelow || b.Rest(used) < hurryBelow/4)
}

// afterSearch is how much of a move's time a search leaves for what may follow it:
// judging chains before a pass, and the short searches for a friendly one.
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
