package board

import "slices"

// GameOptions are the parts of a game's conduct that rules do not say.
type GameOptions struct {
	// PreventEncore keeps territory games out of the clean-up phases: two passes
	// then only set PastPhaseEnd.
	PreventEncore bool
	// StartBlackMovesAreHandicap counts the moves that Black makes before
	// White's first as handicap stones.
	StartBlackMovesAreHandicap bool
	// ForgetOutOfTurn lets a game begin anew where a colour moves that is not to
	// move, or is made to: nothing of what was before counts any more, but that
	// Undo goes back there. Handicap stones count on.
	ForgetOutOfTurn bool
	AreaModes
}

// AreaModes are ways to judge areas that some networks were trained with: KataGo's
// modes of a history. Where the rules leave nothing to judge so they mean nothing.
type AreaModes struct {
	// PassAliveUnderSuicide judges pass-alive areas as if suicide were legal.
	PassAliveUnderSuicide bool
	// ExcludeTerritoryAdjacentToAtari takes, under territory scoring without a tax, an
	// empty point of a seki-like part for nobody's where a chain of its owner beside it
	// is in atari (KataGo's rules version 3).
	ExcludeTerritoryAdjacentToAtari bool
}

// under returns the modes that change anything under the rules.
func (m AreaModes) under(r *Rules) AreaModes {
	m.PassAliveUnderSuicide = m.PassAliveUnderSuicide && !r.Suicide
	m.ExcludeTerritoryAdjacentToAtari = m.ExcludeTerritoryAdjacentToAtari && r.Scoring == ScoringTerritory && r.Tax == TaxNone
	return m
}

// start is the position a game begins with. It never changes once made, so
// copies of a game share it.
type start struct {
	size   Size
	colors []Color
	toMove Color
	phase  int
}

// ending is how far a game is on its way to the end.
type ending struct {
	passes       int // passes in a row that count towards the end
	validTurns   int
	finished     bool
	noResult     bool
	pastPhaseEnd bool
}

// points are White's points besides board and komi.
type points struct {
	bonus        float32 // button, and one point for each move under territory scoring
	handicap     float32
	stones       int    // handicap stones said outright, -1 to infer them
	first        [2]int // stones of Black and White at the beginning
	whiteMoved   bool   // White has made a move that is not a pass
	buttonOnSide bool   // the button is not yet taken
}

// encore is what the clean-up phases of territory scoring remember.
type encore struct {
	blocked     pointSet // stones that may not be retaken in ko without a pass for ko
	blockedHash Hash
	captures    []koCapture
	second      []Color // the stones at the start of the second phase, nil before it
}

// koCapture is a ko capture of a clean-up phase, which may be made once only.
type koCapture struct {
	stones Hash
	at     Point
	player Color
}

// Game is a game under rules: a board, the side to move, and the memory that
// superko, passes, clean-up phases and bonus points need. Make one with NewGame
// and copy it with CopyFrom.
//
// It has more methods than other types since most of them are questions of one rule each
// (who moves, what is legal, what it scores), which share all of its state.
type Game struct {
	rules   Rules
	options GameOptions
	start   *start
	board   Board
	toMove  Color
	phase   int
	end     ending
	points  points
	moves   []Move
	strays  []int // the moves that were made out of turn
	known   int   // the moves before are forgotten, see GameOptions.ForgetOutOfTurn
	ko      koMemory
	encore  encore
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
	g := &Game{rules: r, options: GameOptions{PreventEncore: true}}
	g.points.stones = -1
	g.board.reset(geometryOf(s))
	g.begin(&start{size: s, colors: make([]Color, s.Area()), toMove: Black})
	return g, nil
}

// CopyFrom makes g equal to src and reuses g's storage, so that it allocates
// nothing once g has held a game as long. The zero Game may be copied to.
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

func (e *encore) copyFrom(src *encore) {
	e.blocked, e.blockedHash = src.blocked, src.blockedHash
	e.captures = append(e.captures[:0], src.captures...)
	e.second = append(e.second[:0], src.second...)
}

func (e *encore) reset() {
	e.blocked, e.blockedHash = pointSet{}, Hash{}
	e.captures = e.captures[:0]
	e.second = e.second[:0]
}

// StartAt returns the colour of a point in the position that the game began with.
func (g *Game) StartAt(p Point) Color { return g.start.colors[p] }

// StartToMove returns the side that was to move in that position.
func (g *Game) StartToMove() Color { return g.start.toMove }

// Board returns the board of the game, for reading only.
func (g *Game) Board() *Board { return &g.board }

// Size returns the size of the board.
func (g *Game) Size() Size { return g.board.geo.size }

// Rules returns the rules with the present komi.
func (g *Game) Rules() Rules { return g.rules }

// Options returns the game's options.
func (g *Game) Options() GameOptions { return g.options }

// ToMove returns the side to move.
func (g *Game) ToMove() Color { return g.toMove }

// At returns the colour of a point.
func (g *Game) At(p Point) Color { return g.board.cells[p].color }

// Moves returns the moves since the start or the last set-up, oldest first. The
// slice is only good until the game changes, and must not be written to.
func (g *Game) Moves() []Move { return g.moves }

// NumMoves returns the number of moves since the start or the last set-up.
func (g *Game) NumMoves() int { return len(g.moves) }

// Forgotten returns how many of the moves are forgotten: those before the last
// one out of turn, under GameOptions.ForgetOutOfTurn.
func (g *Game) Forgotten() int { return g.known }

// forget makes the position a beginning, with c to move.
func (g *Game) forget(c Color) {
	g.toMove, g.end, g.known = c, ending{}, len(g.moves)
	g.board.ClearKo()
	g.encore.reset()
	if g.phase == 2 {
		for p := range g.Size().Area() {
			g.encore.second = append(g.encore.second, g.board.At(Point(p)))
		}
	}
	g.beginPoints()
	g.forgetPositions()
	for i := range g.ko.passKeys {
		g.ko.passKeys[i].reset()
	}
	g.ko.keys.add(g.koKey(c))
}

// beginPoints sets the points that the position, as a beginning, gives White.
// Under territory scoring stones that were taken count as moves made before.
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

// Finished reports whether the game is over. Moves may still be played; the game
// then goes on.
func (g *Game) Finished() bool { return g.end.finished }

// NoResult reports whether the game ended without result by a repetition that the
// rules do not forbid. Finished is true then.
func (g *Game) NoResult() bool { return g.end.noResult }

// PastPhaseEnd reports whether two passes would have begun a clean-up phase but
// for PreventEncore.
func (g *Game) PastPhaseEnd() bool { return g.end.pastPhaseEnd }

// Ended reports whether the game is over, also one whose clean-up phases players leave
// out: Finished or PastPhaseEnd.
func (g *Game) Ended() bool { return g.end.finished || g.end.pastPhaseEnd }

// Phase returns 0 in the main phase, 1 and 2 in the clean-up phases of
// territory scoring.
func (g *Game) Phase() int { return g.phase }

// ConsecutivePasses returns how many of the last moves were passes that count
// towards the end of the phase.
func (g *Game) ConsecutivePasses() int { return g.end.passes }

// ValidTurns returns how many of the last moves belong to the present phase:
// what networks are shown of the history.
func (g *Game) ValidTurns() int { return g.end.validTurns }

// HasButton reports whether the button can still be taken.
func (g *Game) HasButton() bool { return g.points.buttonOnSide }

// BonusScore returns the points that the button and the moves of a territory
// game have given to White so far.
func (g *Game) BonusScore() float32 { return g.points.bonus }

// HandicapBonusScore returns the points that White has for handicap stones.
func (g *Game) HandicapBonusScore() float32 { return g.points.handicap }

// KoRecapBlocked reports whether the stone on p may not be retaken in ko without a
// pass for ko. Only in the clean-up phases it may be so.
func (g *Game) KoRecapBlocked(p Point) bool { return g.encore.blocked.has(p) }

// SecondEncoreStart returns the colour that stood on p when the second clean-up
// phase began, Empty before that phase.
func (g *Game) SecondEncoreStart(p Point) Color {
	if len(g.encore.second) == 0 {
		return Empty
	}
	return g.encore.second[p]
}

// PastBoard copies to dst the board as it was ago moves before now (0 to 8),
// with the simple ko point of that time. It returns false, and leaves dst alone,
// if there is no such board: fewer moves, or a bigger ago.
func (g *Game) PastBoard(dst *Board, ago int) bool {
	if ago < 0 || ago > min(keptUndo, g.board.CanUndo()) {
		return false
	}
	dst.CopyFrom(&g.board)
	for range ago {
		dst.Undo()
	}
	return true
}

// begin sets the game to its start.
func (g *Game) begin(s *start) {
	g.start = s
	g.board.geo = geometryOf(s.size)
	if err := g.board.setUp(s.colors); err != nil {
		panic(err) // checked before a start is made
	}
	g.toMove, g.phase, g.end = s.toMove, s.phase, ending{}
	g.moves, g.strays, g.known = g.moves[:0], g.strays[:0], 0
	g.encore.reset()
	if s.phase == 2 {
		g.encore.second = append(g.encore.second, s.colors...)
	}
	g.beginPoints()
	g.ko.reset()
	g.ko.keys.add(g.koKey(g.toMove))
}

// replay plays moves again from the start, under the present rules and options.
func (g *Game) replay(moves []Move) {
	moves = slices.Clone(moves)
	strays := slices.DeleteFunc(slices.Clone(g.strays), func(i int) bool { return i >= len(moves) })
	g.begin(g.start)
	for _, m := range moves {
		g.apply(m.Color, m.Point)
	}
	g.strays = strays // a side that was forced to move was in turn, though nothing forces it now
}
