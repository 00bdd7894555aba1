package engine

import (
	"fmt"
	"slices"

	"kosumi/board"
)

// Follow puts a copy of a game on the board, with so many handicap stones. What
// the search has found is kept where the game goes on from the one on the board;
// clocks and parameters stay.
func (e *Engine) Follow(g *board.Game, handicap int) error {
	if err := e.net.Serves(g.Size()); err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	if e.extendedBy(g) {
		for _, m := range g.Moves()[e.game.NumMoves():] {
			if err := e.Play(m.Color, m.Point); err != nil {
				break
			}
		}
		if e.game.Hash() == g.Hash() {
			return nil
		}
	}
	next := new(board.Game)
	next.CopyFrom(g)
	e.replace(next, handicap)
	return nil
}

// extendedBy reports whether g has the moves of the game on the board and more, or the
// same ones.
func (e *Engine) extendedBy(g *board.Game) bool {
	have, want := e.game.Moves(), g.Moves()
	return e.game.Size() == g.Size() && e.game.Rules() == g.Rules() && len(have) <= len(want) && slices.Equal(have, want[:len(have)])
}
