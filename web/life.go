package web

import (
	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/store"
)

// askLife starts a life-and-death search in a game tree, or in a game that is over or reviewed. It
// refuses during a game, since the game's record would not show the help.
func (c *conn) askLife(v *api.AskLife) (asked api.LifeAsked, err error) {
	var g *board.Game
	switch {
	case v.Doc != "":
		d, err := c.s.docs.Open(v.Doc)
		if err != nil {
			return asked, err
		}
		if g, _, err = d.Position(v.Node); err != nil {
			return asked, err
		}
	case v.Game != "":
		if g, err = c.s.games.after(v.Game, v.Ply); err != nil {
			return asked, err
		}
	case v.Review != "":
		if g, err = c.s.reviews.Position(v.Review, v.Ply); err != nil {
			return asked, err
		}
	default:
		return asked, api.Refuse("bad_request", "a game tree, a game or a review")
	}
	return c.life.Ask(g, v)
}

// after returns the position of a finished game after ply moves.
func (gs *games) after(id string, ply int) (*board.Game, error) {
	g, err := gs.Open(id)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rec.Phase != store.Over {
		return nil, api.RefuseWith("illegal", "playing", "not before the game is over")
	}
	b := g.rec.Board.Clone()
	if ply < 0 || ply > b.NumMoves() {
		return nil, api.Refuse("bad_request", "the game has %d moves", b.NumMoves())
	}
	b.UndoMoves(b.NumMoves() - ply)
	return b, nil
}
