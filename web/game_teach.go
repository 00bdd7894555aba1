package web

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// lesson is the verdict of a teaching game on the player's last move.
type lesson struct {
	rev    int         // rev after the player's move; 0: no verdict yet
	advice *api.Advice // advice against the move; nil: none
	kept   bool        // the player keeps the move
}

// teaches reports whether the player's last move has to be examined before the engine
// answers.
func (g *game) teaches() bool {
	if g.rec.Teach == "" || g.rec.Phase != store.Play || !g.rec.EnginesTurn() || g.taught.rev == g.rec.Since ||
		g.rec.Board.NumMoves() == 0 || g.rec.Board.LastMove(0).Point == board.Pass {
		return false
	}
	before := g.rec.Board.Clone()
	before.Undo()
	return before.Hash() != g.offered.to || !slices.Contains(g.offered.moves, g.rec.Board.LastMove(0).Point)
}

// advice returns the advice on the player's last move while the game waits for the player's
// decision, else nil.
func (g *game) advice() *api.Advice {
	if g.taught.rev != g.rec.Since || g.taught.kept || !g.rec.EnginesTurn() {
		return nil
	}
	return g.taught.advice
}

// examine judges the player's last move by a search. The caller holds mu.
func (g *game) examine() {
	due, since, size, handicap := g.home.levels.Due(g.rec.Size(), g.rec.Head.Seat.Level, g.rec.Teach), g.rec.Since, g.rec.Size(), len(g.rec.Setup)
	after := g.rec.Board.Clone()
	before := g.rec.Board.Clone()
	before.Undo()
	var found *engines.Finding
	g.work(engines.ForMove, func(ctx context.Context, e *engine.Engine) (err error) {
		found, err = engines.Examine(ctx, e, before, after, handicap, due)
		return err
	}, func() {
		g.taught = lesson{rev: since}
		if found.Large(due) {
			g.taught.advice = &api.Advice{Move: size.Vertex(after.LastMove(0).Point), Loss: wire.Round(found.Loss, 1), Due: wire.Round(due, 1), Line: wire.Vertices(size, found.Line, 8)}
		}
	})
}

// keep accepts the player's move.
func (g *game) keep() error {
	if g.advice() == nil {
		return api.RefuseWith("illegal", "over", "there is nothing to decide")
	}
	g.taught.kept = true
	return nil
}

// Teach changes how strictly a game teaches.
func (gs *games) Teach(v *api.Teach) error {
	if !engines.KnownStrictness(v.Teach) {
		return api.Refuse("bad_request", "teach: gentle, usual or strict")
	}
	return onGame(func(g *game) error {
		if v.Teach == g.rec.Teach {
			return nil
		}
		return g.commit(store.Step{K: "teach", Why: v.Teach})
	})(gs, &api.GameCommand{Game: v.Game, Rev: v.Rev})
}
