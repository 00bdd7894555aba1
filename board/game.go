package board

import (
	"fmt"
	"slices"
)

// start is the position a game begins with. It never changes once made, so
// copies of a game share it.
type start struct {
	size   Size
	colors []Color
	toMove Color
	phase  int
}

// Game is a game under rules: a start, the moves since, and the state that they lead to.
// Make one with NewGame and copy it with CopyFrom.
type Game struct {
	position
	start  *start
	moves  []Move
	strays []int // numbers of the moves made out of turn
	known  int   // moves before this one are forgotten, see GameOptions.ForgetOutOfTurn
}

// NewGame returns a game on an empty board, Black to move, without clean-up
// phases (PreventEncore). Errors wrap ErrSize or ErrRules.
func NewGame(s Size, r Rules) (*Game, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	r.Komi += 0 // never minus zero
	g := &Game{position: position{rules: r, options: GameOptions{PreventEncore: true}}}
	g.points.stones = -1
	g.board.reset(geometryOf(s))
	g.begin(&start{size: s, colors: make([]Color, s.Area()), toMove: Black})
	return g, nil
}

// CopyFrom makes g equal to src and reuses g's storage, so that it allocates nothing once g has
// held a game as long as src. The zero Game may be copied to.
func (g *Game) CopyFrom(src *Game) {
	if g == src {
		return
	}
	g.rules, g.options, g.start = src.rules, src.options, src.start
	g.toMove, g.phase, g.end, g.points = src.toMove, src.phase, src.end, src.points
	g.board.CopyFrom(&src.board)
	g.moves, g.known = append(g.moves[:0], src.moves...), src.known
	g.strays = append(g.strays[:0], src.strays...)
	g.ko.copyFrom(&src.ko)
	g.encore.copyFrom(&src.encore)
}

func (g *Game) Clone() *Game {
	c := new(Game)
	c.CopyFrom(g)
	return c
}

// StartAt returns the colour of a point in the position that the game began with.
func (g *Game) StartAt(p Point) Color { return g.start.colors[p] }

// StartToMove returns the side to move in the position that the game began with.
func (g *Game) StartToMove() Color { return g.start.toMove }

// Moves returns the moves since the start or the last set-up, oldest first. The slice is only valid
// until the game changes, and must not be written to.
func (g *Game) Moves() []Move { return g.moves }

// NumMoves returns the number of moves since the start or the last set-up.
func (g *Game) NumMoves() int { return len(g.moves) }

// Forgotten returns how many of the moves are forgotten under GameOptions.ForgetOutOfTurn: those
// before the last move out of turn or the last SetToMove.
func (g *Game) Forgotten() int { return g.known }

// forget makes the position a new start, with c to move.
func (g *Game) forget(c Color) {
	g.toMove, g.end, g.known = c, ending{}, len(g.moves)
	g.board.ClearKo()
	g.encore.reset()
	if g.phase == 2 {
		g.encore.second = g.board.appendColors(g.encore.second)
	}
	g.beginPoints()
	g.forgetAll()
}

// beginPoints sets White's bonuses for a game that starts from the position. Under territory scoring
// each stone on the board, and each captured one, counts as an earlier move.
func (g *Game) beginPoints() {
	b := &g.board
	black, white := b.Stones(Black), b.Stones(White)
	g.points = points{stones: g.points.stones, first: [2]int{black, white}, buttonOnSide: g.rules.Button && g.phase == 0}
	if g.rules.Scoring == ScoringTerritory {
		g.points.bonus = float32(black + b.Captured(Black) - white - b.Captured(White))
	}
	g.points.handicap = g.handicapBonus()
}

// LastMove returns the move i turns ago, 0 being the newest. Its Point is
// NoPoint if there was none.
func (g *Game) LastMove(i int) Move {
	if i < 0 || i >= len(g.moves) {
		return Move{Empty, NoPoint}
	}
	return g.moves[len(g.moves)-1-i]
}

func (g *Game) begin(s *start) {
	g.start = s
	g.board.geo = geometryOf(s.size)
	if err := g.board.setUp(s.colors); err != nil {
		panic(err) // cannot fail: checked before the start was made
	}
	g.toMove, g.phase, g.end = s.toMove, s.phase, ending{}
	g.moves, g.strays, g.known = g.moves[:0], g.strays[:0], 0
	g.encore.reset()
	if s.phase == 2 {
		g.encore.second = append(g.encore.second, s.colors...)
	}
	g.beginPoints()
	g.forgetAll()
}

// replay plays moves again from the start, under the present rules and options.
func (g *Game) replay(moves []Move) {
	moves = slices.Clone(moves)
	strays := slices.DeleteFunc(slices.Clone(g.strays), func(i int) bool { return i >= len(moves) })
	g.begin(g.start)
	for _, m := range moves {
		g.apply(m.Color, m.Point)
	}
	g.strays = strays // apply has listed too many moves as out of turn, since replaying repeats no SetToMove
}

// Play makes a legal move of c, which may be a pass, and gives the turn to the opponent. It returns
// ErrColor or an error of Legal, and then has changed nothing.
func (g *Game) Play(c Color, p Point) error {
	if c != Black && c != White {
		return fmt.Errorf("%w, got %v", ErrColor, c)
	}
	if err := g.Legal(c, p); err != nil {
		return err
	}
	g.apply(c, p)
	return nil
}

// PlayTolerant makes a move as records of games need it: ko, superko and suicide
// are no obstacle. It refuses only points that are occupied or not on the board.
func (g *Game) PlayTolerant(c Color, p Point) error {
	if c != Black && c != White {
		return fmt.Errorf("%w, got %v", ErrColor, c)
	}
	if p != Pass {
		if !g.Size().Contains(p) {
			return ErrOffBoard
		}
		if g.board.cells[p].color != Empty && g.passForKo(c, p) == NoPoint {
			return ErrOccupied
		}
	}
	g.apply(c, p)
	return nil
}

// apply plays a move that PlayTolerant would allow.
func (g *Game) apply(c Color, p Point) {
	if c != g.toMove {
		g.strays = append(g.strays, len(g.moves))
		if g.options.ForgetOutOfTurn {
			g.forget(c)
		}
	}
	g.countLeading(c, p)
	g.advance(c, p)
	g.moves = append(g.moves, Move{c, p})
	if c == Black && !g.points.whiteMoved {
		g.points.handicap = g.handicapBonus()
	}
}
