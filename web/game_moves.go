package web

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// playerMoves makes the player's move, or puts down a handicap stone.
func (g *game) playerMoves(vertex string) error {
	p, err := g.rec.Size().ParseVertex(vertex)
	if err != nil {
		return api.RefuseWith("illegal", "board", "no such point")
	}
	if g.rec.Phase == store.Place && g.rec.Player() == board.Black {
		if p == board.Pass || slices.Contains(g.rec.Setup, p) {
			return api.RefuseWith("illegal", "occupied", "a handicap stone goes on an empty point")
		}
		return g.commit(store.Step{K: "stone", M: g.rec.Size().Vertex(p)})
	}
	switch {
	case g.rec.Phase != store.Play:
		return api.RefuseWith("illegal", "over", "the game is over")
	case g.rec.Board.ToMove() != g.rec.Player():
		return api.RefuseWith("illegal", "turn", "it is not your turn")
	}
	if err := g.rec.Board.Legal(g.rec.Player(), p); err != nil {
		return wire.Illegal(err)
	}
	if g.rec.Paused != "" {
		if err := g.commit(store.Step{K: "resume"}); err != nil { // a move ends the pause
			return err
		}
	}
	return g.makeMove(p)
}

// makeMove updates the clock of the side to move and plays. The clock stays stopped if the move
// cannot be saved: a full disk costs the player no time.
func (g *game) makeMove(p board.Point) error {
	c := &g.rec.Clocks[g.rec.Board.ToMove()-board.Black]
	if !g.ran.IsZero() {
		if !c.Run(time.Since(g.ran)) {
			return g.loseOnTime()
		}
		g.ran = time.Time{}
	}
	before, e := *c, store.Step{K: "move", M: g.rec.Size().Vertex(p)}
	if c.Limited() {
		e.Was = new(g.rec.ClockStates(time.Time{}))
	}
	c.Moved()
	err := g.commit(e)
	if err != nil {
		*c = before
	}
	return err
}

func (g *game) loseOnTime() error {
	return g.commit(store.Step{K: "over", Result: strings.ToUpper(wire.Letter(g.rec.Board.ToMove().Opponent())) + "+T"})
}

// undo takes back the player's last move and all moves after it.
func (g *game) undo() error {
	n := g.rec.CanUndo()
	if n == 0 {
		return api.Tell("illegal", "nothing_back")
	}
	return g.rewind(store.Step{K: "undo", N: n}, g.rec.Made[len(g.rec.Made)-n].Was)
}

// rewind makes a step that sets the clocks back to given times.
func (g *game) rewind(e store.Step, clocks *[2]api.ClockState) error {
	var running time.Duration
	if !g.ran.IsZero() && g.rec.Board.ToMove() == g.rec.Player() {
		running = time.Since(g.ran)
	}
	before := g.rec.Clocks
	after, inTime := g.rec.Rewound(clocks, running)
	if !inTime {
		return api.Tell("illegal", "no_time_back")
	}
	g.rec.Clocks = after
	err := g.commit(e)
	if err != nil {
		g.rec.Clocks = before
	} else {
		g.ran = time.Time{}
	}
	return err
}

// redo replays moves that undo took back, until it is the player's turn.
func (g *game) redo() error {
	if !g.rec.CanRedo() {
		return api.Tell("illegal", "nothing_on")
	}
	for len(g.rec.Undone) > 0 && g.rec.Phase == store.Play {
		m := g.rec.Undone[len(g.rec.Undone)-1]
		if err := g.rewind(store.Step{K: "redo", M: m.M}, m.Clocks); err != nil {
			return err
		}
		if g.rec.Board.ToMove() == g.rec.Player() {
			return nil
		}
	}
	return nil
}

func (g *game) resign() error {
	if g.rec.Phase == store.Over {
		return api.RefuseWith("illegal", "over", "the game is over")
	}
	return g.resigns(g.rec.Player())
}

// resigns ends the game by a side's resignation. The clock of the side to move is updated first.
func (g *game) resigns(side board.Color) error {
	c := &g.rec.Clocks[g.rec.Board.ToMove()-board.Black]
	before := *c
	if !g.ran.IsZero() && !c.Run(time.Since(g.ran)) {
		return g.loseOnTime()
	}
	err := g.commit(store.Step{K: "over", Result: strings.ToUpper(wire.Letter(side.Opponent())) + "+R"})
	if err != nil {
		*c = before
	}
	return err
}

func (g *game) pause() error {
	if g.rec.Phase != store.Play || g.rec.Paused != "" || !g.rec.Clocks[0].Limited() {
		return nil
	}
	return g.halt("player")
}

// halt pauses the game and stops the clock.
func (g *game) halt(why string) error {
	if !g.ran.IsZero() {
		if c := &g.rec.Clocks[g.rec.Board.ToMove()-board.Black]; !c.Run(time.Since(g.ran)) {
			return g.loseOnTime()
		}
		g.ran = time.Time{}
	}
	return g.commit(store.Step{K: "pause", Why: why})
}

func (g *game) resume() error {
	if g.rec.Paused == "" && g.trouble == "" {
		return nil
	}
	g.trouble = ""
	return g.commit(store.Step{K: "resume"})
}

// remove deletes the game's files, the journal last: a game exists as long as its journal
// does.
func (g *game) remove() error {
	g.stopThinking()
	g.journal.Close()
	id := g.rec.Head.ID
	for _, ext := range []string{".sgf", ".jsonl.damaged", ".jsonl"} {
		if err := os.Remove(g.home.folder.Path("games", id, ext)); err != nil && !errors.Is(err, os.ErrNotExist) {
			var again error
			g.journal, again = store.OpenJournal(g.home.folder.Path("games", id, ".jsonl"))
			g.removed = again != nil
			return api.Refuse("internal", "%v", errors.Join(err, again))
		}
	}
	g.removed = true
	go g.home.forget(id)
	return nil
}
