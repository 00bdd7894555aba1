package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/web/api"
)

// Game is a game's state after all steps of its journal. Only [Game.Apply] and, for the marking,
// [Game.Judge] change it; callers run its clocks.
type Game struct {
	Head     Header
	Board    *board.Game
	Setup    []board.Point // handicap stones
	Rev      int
	Since    int // Rev after the last change of the position
	Phase    string
	Changed  time.Time
	Clocks   [2]clock.Clock
	turn     *[2]api.ClockState // clocks at the start of this turn; nil: unknown
	Paused   string
	Restored string // RestoredAll or RestoredPart if the journal was damaged; else empty
	Made     []Step // moves on the board
	Undone   []Step // moves taken back; redo plays the last
	Marking  Marking
	Result   string
	ByWord   bool // the player's count overrules the engine's
	help
	Helped []int // plies played after a hint, after a take-back, or by the player while teaching was on
}

// help is the help that the player had in a game.
type help struct {
	Hints  int
	Undos  int
	Teach  string // strictness of teaching; empty: off
	Taught bool   // moves were made while teaching was on
}

// step notes what a step of the journal changes.
func (h *help) step(kind, why string) {
	switch kind {
	case "help":
		h.Hints++
	case "undo":
		h.Undos++
	case "teach":
		h.Teach = why
	case "move", "redo":
		h.Taught = h.Taught || h.Teach != ""
	}
}

// Counts returns "yes" if an adaptive game counts for the player's rank, else why not, see
// [api.GameState.Counts]; "" for other games.
func (g *Game) Counts() string {
	return g.counts(&g.Head, g.Phase == Over, g.Board.NumMoves())
}

func (h *help) counts(of *Header, over bool, moves int) string {
	switch {
	case !of.Seat.Auto:
		return ""
	case h.Hints > 0:
		return "hint"
	case h.Undos > 0:
		return "undo"
	case h.Taught || h.Teach != "" && !over:
		return "teach"
	case over && moves < of.Enough():
		return "short"
	}
	return "yes"
}

// Enough is the number of moves from which on the result of an adaptive game counts.
func (h *Header) Enough() int { return h.Size[0] * h.Size[1] * 3 / 10 }

// Marking is the marking of dead stones while counting.
type Marking struct {
	Dead   map[board.Point]bool
	Judged []board.Point // dead stones in the engine's opinion
	Open   []board.Point // stones that may live or die in the engine's opinion
	Sure   bool          // Judged and Open are set
}

// Phases of a game.
const (
	Place    = "place" // Black puts down handicap stones
	Play     = "play"
	Counting = "count"
	Over     = "over"
)

// Player returns the colour of the person.
func (g *Game) Player() board.Color {
	if g.Head.Colour == "w" {
		return board.White
	}
	return board.Black
}

// Size is the size of the board.
func (g *Game) Size() board.Size { return board.Size{W: g.Head.Size[0], H: g.Head.Size[1]} }

// NewGame returns a game before its first move.
func NewGame(h Header) (*Game, error) {
	g := &Game{Head: h, Phase: Play, Changed: h.Created, help: help{Teach: h.Teach}}
	rules, err := board.ParseRules(h.Rules)
	if err != nil {
		return nil, err
	}
	rules.Komi = float32(h.Komi)
	if g.Board, err = board.NewGame(g.Size(), rules); err != nil {
		return nil, err
	}
	set, err := TimeSettings(h.Clock)
	if err != nil {
		return nil, err
	}
	g.Clocks = [2]clock.Clock{clock.New(set, clock.Strict), clock.New(set, clock.Strict)}
	switch {
	case h.Handicap > 1 && h.Free:
		g.Phase = Place
	case h.Handicap > 1:
		return g, g.placeHandicap(board.FixedHandicap(g.Size(), h.Handicap))
	}
	return g, nil
}

func (g *Game) placeHandicap(stones []board.Point) error {
	g.Setup, g.Phase = stones, Play
	if err := g.Board.Setup(stones, nil, board.White); err != nil {
		return err
	}
	g.Board.SetHandicapStones(len(stones))
	return nil
}

// Apply changes g by a step: a new one, or one read from the journal.
func (g *Game) Apply(e *Step) error {
	g.Rev, g.Changed = e.Rev, e.At
	if !slices.Contains([]string{"pause", "resume", "help", "teach", "restored"}, e.K) {
		g.Since = e.Rev
	}
	if e.Clocks != nil {
		for i := range g.Clocks {
			g.Clocks[i].Left = leftOf(e.Clocks[i])
		}
	}
	g.step(e.K, e.Why)
	switch e.K {
	case "stone":
		p, err := g.Size().ParseVertex(e.M)
		if err != nil {
			return err
		}
		if g.Setup = append(g.Setup, p); len(g.Setup) == g.Head.Handicap {
			return g.placeHandicap(g.Setup)
		}
		return g.Board.Setup(g.Setup, nil, board.Black)
	case "move", "redo":
		return g.applyMove(e)
	case "undo":
		for range e.N {
			if !g.Board.Undo() {
				return errors.New("nothing to undo")
			}
			m := g.Made[len(g.Made)-1]
			g.Made, g.Undone, g.turn = g.Made[:len(g.Made)-1], append(g.Undone, m), m.Was
		}
		g.Phase, g.Paused = Play, ""
		g.Helped = append(g.Helped, len(g.Made))
		g.Marking = Marking{}
	case "dead":
		g.Marking.Dead = map[board.Point]bool{}
		for _, v := range e.Dead {
			p, err := g.Size().ParseVertex(v)
			if err != nil {
				return err
			}
			g.Marking.Dead[p] = true
		}
	case "playon":
		g.Phase = Play
		g.Marking = Marking{}
	case "over":
		g.Phase, g.Result, g.ByWord, g.Paused = Over, e.Result, e.Why == "player", ""
	case "pause", "resume":
		g.Paused = e.Why // a resume has no reason
	case "help":
		g.Helped = append(g.Helped, len(g.Made))
	case "teach": // see step
	case "restored":
		g.Restored = e.Why
	default:
		return fmt.Errorf("unknown step %q", e.K)
	}
	return nil
}

func (g *Game) applyMove(e *Step) error {
	p, err := g.Size().ParseVertex(e.M)
	if err != nil {
		return err
	}
	if err := g.Board.Play(g.Board.ToMove(), p); err != nil {
		return err
	}
	m := *e
	if n := len(g.Undone) - 1; e.K == "redo" && n >= 0 {
		m, g.Undone = g.Undone[n], g.Undone[:n]
	} else {
		g.Undone = nil
	}
	if g.Teach != "" && g.Board.LastMove(0).Color == g.Player() {
		g.Helped = append(g.Helped, len(g.Made))
	}
	g.Paused, g.Made, g.turn = "", append(g.Made, m), m.Clocks
	switch {
	case g.Board.NoResult():
		g.Phase, g.Result = Over, "Void"
	case g.Board.ConsecutivePasses() >= 2:
		g.Phase = Counting
	}
	return nil
}

// EnginesTurn reports whether the engine has to move or to place its handicap stones.
func (g *Game) EnginesTurn() bool {
	return g.Phase == Play && g.Board.ToMove() != g.Player() || g.Phase == Place && g.Player() == board.White
}

// CanUndo is how many moves undo takes back; 0 if undo is not possible.
func (g *Game) CanUndo() int {
	if g.Phase != Play && g.Phase != Counting {
		return 0
	}
	for i, m := range slices.Backward(g.Board.Moves()) {
		if m.Color == g.Player() {
			return g.Board.NumMoves() - i
		}
	}
	return 0
}

// CanRedo reports whether the player can play again what was taken back.
func (g *Game) CanRedo() bool {
	return len(g.Undone) > 0 && g.Phase == Play && g.Board.ToMove() == g.Player()
}

// HeadStart estimates the player's advantage at the start in points, from komi and handicap; it may be negative.
func (g *Game) HeadStart() float64 {
	ahead := 7 - g.Head.Komi
	if g.Head.Handicap > 1 {
		ahead += 15 * float64(g.Head.Handicap-1)
	}
	if g.Player() == board.White {
		return -ahead
	}
	return ahead
}

// ClockStates returns the clocks of both players. ran is when the clock of the side to move was
// last updated; zero: it is stopped.
func (g *Game) ClockStates(ran time.Time) [2]api.ClockState {
	var all [2]api.ClockState
	for i := range all {
		running := !ran.IsZero() && int(g.Board.ToMove()-board.Black) == i
		all[i] = clockState(g.Clocks[i], time.Since(ran), running)
	}
	return all
}
