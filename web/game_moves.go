package web

import (
	"errors"
	"os"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// What a player does in a game: moves, taking back, giving up, pausing, removing it.

// playerMoves makes the player's move, or puts down a handicap stone.
func (g *game) playerMoves(vertex string) error {
	p, err := g.size().ParseVertex(vertex)
	if err != nil {
		return api.RefuseWith("illegal", "board", "no such point")
	}
	if g.phase == phasePlace && g.player() == board.Black {
		if p == board.Pass || slices.Contains(g.setup, p) {
			return api.RefuseWith("illegal", "occupied", "a handicap stone goes on an empty point")
		}
		return g.commit(entry{K: "stone", M: g.size().Vertex(p)})
	}
	switch {
	case g.phase != phasePlay:
		return api.RefuseWith("illegal", "over", "the game is over")
	case g.board.ToMove() != g.player():
		return api.RefuseWith("illegal", "turn", "it is not your turn")
	}
	if err := g.board.Legal(g.player(), p); err != nil {
		return wire.Illegal(err)
	}
	if g.paused != "" {
		if err := g.commit(entry{K: "resume"}); err != nil { // who moves goes on
			return err
		}
	}
	return g.makeMove(p, "move")
}

// makeMove books the clock of the side to move and plays. The clock stands if the move
// is not saved: nobody pays for a full disk.
func (g *game) makeMove(p board.Point, kind string) error {
	c := &g.clocks[g.board.ToMove()-board.Black]
	if !g.ran.IsZero() {
		if !c.Run(time.Since(g.ran)) {
			return g.loseOnTime()
		}
		g.ran = time.Time{}
	}
	before := *c
	c.Moved()
	err := g.commit(entry{K: kind, M: g.size().Vertex(p)})
	if err != nil {
		*c = before
	}
	return err
}

func (g *game) loseOnTime() error {
	return g.commit(entry{K: "over", Result: winner(g.board.ToMove().Opponent()) + "+T"})
}

func winner(c board.Color) string {
	if c == board.White {
		return "W"
	}
	return "B"
}

// undo takes back to the player's own last move.
func (g *game) undo() error {
	n := g.canUndo()
	if n == 0 {
		return api.RefuseWith("illegal", "over", "there is nothing to take back")
	}
	err := g.commit(entry{K: "undo", N: n})
	if err == nil {
		g.ran = time.Time{}
	}
	return err
}

// canUndo is how many moves undo takes back; 0 if it cannot.
func (g *game) canUndo() int {
	if g.phase != phasePlay && g.phase != phaseCount {
		return 0
	}
	for i, m := range slices.Backward(g.board.Moves()) {
		if m.Color == g.player() {
			return g.board.NumMoves() - i
		}
	}
	return 0
}

// redo makes again what undo took back.
func (g *game) redo() error {
	if !g.canRedo() {
		return api.RefuseWith("illegal", "over", "there is nothing to bring back")
	}
	for len(g.undone) > 0 && g.phase == phasePlay {
		m := g.undone[len(g.undone)-1]
		if m.Color != g.board.ToMove() {
			return nil
		}
		if err := g.commit(entry{K: "redo", M: g.size().Vertex(m.Point)}); err != nil {
			return err
		}
		g.ran = time.Time{}
		if g.board.ToMove() == g.player() {
			return nil
		}
	}
	return nil
}

func (g *game) canRedo() bool {
	return len(g.undone) > 0 && g.phase == phasePlay && g.board.ToMove() == g.player() && g.undone[len(g.undone)-1].Color == g.player()
}

func (g *game) resign() error {
	if g.phase == phaseOver {
		return api.RefuseWith("illegal", "over", "the game is over")
	}
	return g.commit(entry{K: "over", Result: winner(g.player().Opponent()) + "+R"})
}

func (g *game) pause() error {
	if g.phase != phasePlay || g.paused != "" || !g.clocks[0].Limited() {
		return nil
	}
	return g.halt("player")
}

// halt stops the clock.
func (g *game) halt(why string) error {
	if !g.ran.IsZero() {
		if c := &g.clocks[g.board.ToMove()-board.Black]; !c.Run(time.Since(g.ran)) {
			return g.loseOnTime()
		}
		g.ran = time.Time{}
	}
	return g.commit(entry{K: "pause", Why: why})
}

func (g *game) resume() error {
	if g.paused == "" && g.trouble == "" {
		return nil
	}
	g.trouble = ""
	return g.commit(entry{K: "resume"})
}

// remove deletes the game and its files, the journal last: it is what makes the
// others a game.
func (g *game) remove() error {
	g.stopThinking()
	g.journal.close()
	id := g.head.ID
	for _, ext := range []string{".sgf", ".jsonl.damaged", ".jsonl"} {
		if err := os.Remove(g.home.folder.Path("games", id, ext)); err != nil && !errors.Is(err, os.ErrNotExist) {
			var again error
			g.journal, again = openJournal(g.home.folder.Path("games", id, ".jsonl"))
			g.removed = again != nil
			return api.Refuse("internal", "%v", errors.Join(err, again))
		}
	}
	g.removed = true
	go g.home.forget(id)
	return nil
}
