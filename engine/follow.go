package engine

import (
	"fmt"
	"slices"

	"kosumi/board"
)

// Follow puts a copy of a game on the board; handicap is its number of handicap stones. The tree
// is kept if the game continues the one on the board. Clocks and parameters are unchanged.
func (e *Engine) Follow(g *board.Game, handicap int) error {
	if err := e.net.Serves(g.Size()); err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	if continues(e.game, g) {
		for _, m := range g.Moves()[e.game.NumMoves():] {
			if err := e.Play(m.Color, m.Point); err != nil {
				break
			}
		}
		if e.game.Hash() == g.Hash() {
			return nil
		}
	}
	e.replace(g.Clone(), handicap)
	return nil
}

// continues reports whether longer begins with the moves of game.
func continues(game, longer *board.Game) bool {
	have, want := game.Moves(), longer.Moves()
	return game.Size() == longer.Size() && game.Rules() == longer.Rules() && len(have) <= len(want) && slices.Equal(have, want[:len(have)])
}
