package web

import (
	"strconv"
	"time"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

func number(n int64) string {
	if n == 0 {
		n = 1 << 50 // no limit: KataGo's default of maxVisits
	}
	return strconv.FormatInt(n, 10)
}

func (g *game) state() *api.GameState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked()
}

// stateLocked returns the state that pages are sent. The caller holds mu.
func (g *game) stateLocked() *api.GameState {
	size, moves := g.rec.Size(), g.rec.Board.Moves()
	st := &api.GameState{
		Game: g.rec.Head.ID, Rev: g.rec.Rev, Phase: g.rec.Phase, Size: g.rec.Head.Size, Rules: wire.RulesName(g.rec.Board.Rules()), Komi: g.rec.Head.Komi,
		Handicap: g.rec.Head.Handicap, Setup: wire.Vertices(size, g.rec.Setup, len(g.rec.Setup)), Colour: g.rec.Head.Colour, Seat: g.rec.Head.Seat, Stones: wire.Stones(g.rec.Board), ToMove: wire.Letter(g.rec.Board.ToMove()),
		Moves: make([]string, len(moves)), First: "b", Clock: g.rec.Head.Clock, Clocks: g.rec.ClockStates(g.ran), Paused: g.rec.Paused, Trouble: g.trouble, Restored: g.rec.Restored, Unsaved: g.pending.why,
		Captures: [2]int{g.rec.Board.Board().Captured(board.White), g.rec.Board.Board().Captured(board.Black)},
		CanUndo:  g.rec.CanUndo() > 0, CanRedo: g.rec.CanRedo(), Result: g.rec.Result, ByPlayer: g.rec.ByWord, Hints: g.rec.Hints, Undone: g.rec.Undos, Helped: g.rec.Helped, Teach: g.rec.Teach, Advice: g.advice(), Counts: g.rec.Counts(), Enough: g.rec.Head.Enough(), Fit: g.fit,
	}
	for i, m := range moves {
		st.Moves[i] = size.Vertex(m.Point)
	}
	if len(moves) > 0 {
		st.First = wire.Letter(moves[0].Color)
	} else if g.rec.Phase != store.Place {
		st.First = st.ToMove
	}
	st.Thinking = g.task != nil && (g.rec.Phase == store.Play || g.rec.Phase == store.Place)
	if p := g.rec.Board.Board().KoPoint(); p >= 0 {
		st.Ko = size.Vertex(p)
	}
	st.Legal = g.rec.Legal()
	if g.rec.Phase == store.Counting || g.rec.Phase == store.Over && g.rec.Marking.Dead != nil {
		st.Count = g.rec.Count()
	}
	return st
}

// accept ends the game with the count as marked.
func (g *game) accept() error {
	if g.rec.Marking.Dead == nil {
		return api.Refuse("busy", "the count is not ready")
	}
	c := g.rec.Count()
	why := ""
	if len(c.Differs) > 0 {
		why = "player"
	}
	// The marking is kept even if nobody changed it: the engine might judge differently another
	// time.
	if err := g.commit(store.Step{K: "dead", Dead: c.Dead}); err != nil {
		return err
	}
	return g.commit(store.Step{K: "over", Result: sgf.ScoreResult(-c.Score), Why: why})
}

// Record returns the game as SGF, when it began, and whether it is over.
func (g *game) Record() (root *sgf.Node, began time.Time, over bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rec.SGF().Tree(), g.rec.Head.Created, g.rec.Phase == store.Over
}

func (g *game) card() api.GameCard {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := api.GameCard{Game: g.rec.Head.ID, Size: g.rec.Head.Size, Move: g.rec.Board.NumMoves(), Colour: g.rec.Head.Colour, Seat: g.rec.Head.Seat, Stones: wire.Stones(g.rec.Board),
		Yours: g.rec.Phase == store.Play && g.rec.Board.ToMove() == g.rec.Player(), Phase: g.rec.Phase, Result: g.rec.Result, Counts: g.rec.Counts(), Changed: g.rec.Changed.Unix()}
	c.Begun = g.rec.CanUndo() > 0 || g.rec.Undos > 0 || g.rec.Head.Free && c.Colour == "b" && len(g.rec.Setup) > 0
	if m := g.rec.Board.LastMove(0); m.Point != board.NoPoint {
		c.Last = g.rec.Size().Vertex(m.Point)
	}
	if g.rec.Phase == store.Play && g.rec.Clocks[0].Limited() {
		c.Clock, c.Timing = new(g.rec.ClockStates(g.ran)[g.rec.Player()-board.Black]), &g.rec.Head.Clock
	}
	return c
}
