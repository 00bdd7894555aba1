package board

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors of Setup. All of them wrap ErrSetup; one about a chain without liberties also wraps ErrNoLiberty.
var (
	ErrSetup     = errors.New("invalid set-up")
	ErrNoLiberty = errors.New("a chain has no liberty")
)

// Setup replaces the position by the given stones and drops the moves played so far. The points
// must be on the board and differ, and every chain needs a liberty. Errors wrap ErrSetup, and
// ErrNoLiberty if a chain lacks one.
func (g *Game) Setup(black, white []Point, toMove Color) error {
	colors := make([]Color, g.Size().Area())
	for c, list := range [][]Point{Black: black, White: white} {
		for _, p := range list {
			if !g.Size().Contains(p) {
				return fmt.Errorf("%w: a stone off the board", ErrSetup)
			}
			if colors[p] != Empty {
				return fmt.Errorf("%w: two stones on %s", ErrSetup, g.Size().Vertex(p))
			}
			colors[p] = Color(c)
		}
	}
	return g.setup(g.Size(), colors, toMove, 0)
}

// SetupBoard is like Setup, but takes the stones and the size of the board from b. Stones captured
// on b earlier count as captured.
func (g *Game) SetupBoard(b *Board, toMove Color) error {
	if err := g.setup(b.Size(), b.appendColors(nil), toMove, 0); err != nil {
		return err
	}
	g.board.state.captured = b.state.captured
	g.beginPoints()
	return nil
}

// Restart makes the current position the start of the game: it drops the history but keeps
// the captures and the phase.
func (g *Game) Restart(toMove Color) {
	captured := g.board.state.captured
	if err := g.setup(g.Size(), g.board.appendColors(nil), toMove, g.phase); err != nil {
		panic(err) // cannot fail: the position was reached by play
	}
	g.board.state.captured = captured
	g.beginPoints()
}

// PlaceStones returns a board with stones placed one after the other, as KataGo does: a later stone
// replaces an earlier one on its point and captures chains without liberties; a stone that would
// have no liberty is left out.
func PlaceStones(s Size, stones []Move) *Board {
	b := NewBoard(s)
	for _, m := range stones {
		switch old := b.At(m.Point); {
		case old == m.Color:
			continue
		case old != Empty:
			colors := b.appendColors(nil)
			colors[m.Point] = Empty
			captured := b.state.captured
			b = NewBoard(s)
			if err := b.setUp(colors); err != nil {
				panic(err) // cannot fail: with fewer stones no chain has fewer liberties
			}
			b.state.captured = captured
			if b.IsSuicide(m.Color, m.Point) {
				continue
			}
		case b.IsIllegalSuicide(m.Color, m.Point, true):
			continue
		}
		b.Play(m.Color, m.Point)
	}
	b.ClearKo()
	return b
}

// StartInPhase restarts the game at its start position in a clean-up phase, or in the main phase
// again. Phases 1 and 2 need territory scoring.
func (g *Game) StartInPhase(phase int) error {
	if phase < 0 || phase > 2 || phase > 0 && g.rules.Scoring != ScoringTerritory {
		return fmt.Errorf("%w: no phase %d under %v scoring", ErrSetup, phase, g.rules.Scoring)
	}
	s := *g.start
	s.phase = phase
	g.begin(&s)
	return nil
}

func (g *Game) setup(size Size, colors []Color, toMove Color, phase int) error {
	if toMove != Black && toMove != White {
		return fmt.Errorf("%w: %w, got %v", ErrSetup, ErrColor, toMove)
	}
	if err := NewBoard(size).setUp(colors); err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	g.points.stones = -1
	g.begin(&start{size: size, colors: colors, toMove: toMove, phase: phase})
	return nil
}

// setUp replaces the position by the given stones, one colour a point. Counters,
// ko point and undo record start anew. After an error the board is empty.
func (b *Board) setUp(colors []Color) error {
	b.reset(b.geo)
	// The stones are added one by one. An incomplete chain has liberties where its stones are still
	// missing, so nothing can be captured before its chain is complete: a capture means that the
	// chain has no liberty in the final position.
	for p, c := range colors {
		if c == Empty {
			continue
		}
		n := b.Play(c, Point(p))
		if n > 0 || b.cells[p].color != c {
			b.reset(b.geo)
			return fmt.Errorf("%w near %s", ErrNoLiberty, b.geo.size.Vertex(Point(p)))
		}
	}
	b.state.ko = NoPoint
	b.vacated = pointSet{}
	b.forget()
	return nil
}

// SetToMove forces the side to move and forgets the simple ko point, or the whole history under
// GameOptions.ForgetOutOfTurn. Before the first move it also changes the side that begins. It does
// nothing if c is to move already.
func (g *Game) SetToMove(c Color) {
	if c == g.toMove || c != Black && c != White {
		return
	}
	if len(g.moves) == 0 {
		s := *g.start
		s.toMove = c
		g.begin(&s)
		return
	}
	if g.options.ForgetOutOfTurn {
		g.forget(c)
		return
	}
	g.toMove = c
	g.board.ClearKo()
}

// Undo takes the last move back and reports whether there was one. Set-up stones
// are not moves. The game is replayed from its start.
func (g *Game) Undo() bool { return g.UndoMoves(1) }

// UndoMoves takes the last n moves back, at the cost of one Undo, and restores the turn. If there
// are fewer moves it changes nothing and returns false.
func (g *Game) UndoMoves(n int) bool {
	if n < 1 || n > len(g.moves) {
		return false
	}
	keep := len(g.moves) - n
	side := g.moves[keep].Color
	if slices.Contains(g.strays, keep) {
		side = side.Opponent()
	}
	g.replay(g.moves[:keep])
	if !g.options.ForgetOutOfTurn {
		g.SetToMove(side)
	}
	return true
}

// SetRules changes the rules, komi included, and replays the game under them.
// Moves that are illegal under the new rules stay. Errors wrap ErrRules.
func (g *Game) SetRules(r Rules) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.Scoring != ScoringTerritory && g.start.phase > 0 {
		return fmt.Errorf("%w: a game that began in a clean-up phase needs territory scoring", ErrRules)
	}
	r.Komi += 0
	g.rules = r
	g.replayAll()
	return nil
}

// Remember replays the moves. This undoes SetToMove and restores the history that SetToMove dropped.
func (g *Game) Remember() {
	if len(g.moves) > 0 {
		g.replay(g.moves)
	}
}

// SetOptions changes the options and replays the game under them.
func (g *Game) SetOptions(o GameOptions) {
	g.options = o
	g.replayAll()
}

// ContinueWith changes the options for later moves only.
func (g *Game) ContinueWith(o GameOptions) { g.options = o }

// SetKomi changes komi and nothing else. A komi that Rules.Check refuses is
// ignored.
func (g *Game) SetKomi(k float32) {
	if math.Abs(float64(k)) <= maxKomi {
		g.rules.Komi = k + 0 // never minus zero
	}
}

// SetHandicapStones says how many handicap stones White's bonus counts; -1 lets
// the game infer the number from its start. Setup sets it back to -1.
func (g *Game) SetHandicapStones(n int) {
	g.points.stones = max(n, -1)
	g.replayAll()
}

// replayAll replays the whole game and keeps the side to move, which may have
// been forced.
func (g *Game) replayAll() {
	side := g.toMove
	g.replay(g.moves)
	g.SetToMove(side)
}
