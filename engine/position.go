package engine

import (
	"fmt"
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// Game returns the current game: read only, and valid until the next call that changes it.
func (e *Engine) Game() *board.Game { return e.game }

// MaxKomi bounds komi, positive or negative.
const MaxKomi = 400

// NewGame empties the board and sets its size. Komi, rules and clocks stay.
func (e *Engine) NewGame(size board.Size) error {
	if err := size.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	if err := e.net.Serves(size); err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	game, err := freshGame(e.cfg, size, e.game.Rules())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	e.replace(game, 0)
	return nil
}

func (e *Engine) replace(game *board.Game, handicap int) {
	e.Stop()
	e.countGame()
	e.game, e.handicap, e.records.loaded = game, handicap, nil
	e.rank.auto, e.rank.seed = autoGame{}, e.seeds.seed()
	e.values.forget()
	e.thinker.ahead = advantage{}
	clear(e.timer.before)
}

// Turn makes c the side to move. choosing says that a move is requested next: then the handicap
// advantage is kept even if the history is dropped.
func (e *Engine) Turn(c board.Color, choosing bool) {
	if c != e.game.ToMove() {
		e.Stop()
		if choosing {
			e.thinker.adjustAdvantage(e.game, &e.values)
		}
		e.game.SetToMove(c)
	}
}

func (e *Engine) SetKomi(k float32) error {
	if !(k >= -MaxKomi && k <= MaxKomi) || float64(k)*2 != math.Trunc(float64(k)*2) {
		return fmt.Errorf("%w: %g is not a multiple of 0.5 within %d", ErrKomi, k, MaxKomi)
	}
	if k == e.game.Rules().Komi {
		return nil
	}
	pondered := e.thinker.pondering != nil
	e.Stop()
	e.game.SetKomi(k)
	if pondered {
		e.thinker.ponder(e.game)
	}
	return nil
}

// SetRules replays the game under r.
func (e *Engine) SetRules(r board.Rules) error {
	e.Stop()
	if err := e.game.SetRules(r); err != nil {
		return err
	}
	if e.cfg.PoolBothSidesValues {
		e.values.forget() // they were found under other rules
	}
	if e.cfg.Game.ForgetOutOfTurn {
		e.game.Remember()
	}
	return nil
}

// Play plays a move of either colour, whoever is to move. It refuses only occupied points and
// points off the board; a move that breaks a ko, superko or suicide rule is played with a
// warning, so that the game stays the same as the server's.
func (e *Engine) Play(c board.Color, p board.Point) error {
	legal := e.game.Legal(c, p)
	inTurn := c == e.game.ToMove()
	e.Stop()
	e.timer.mark(e.game.NumMoves())
	if legal == nil && inTurn {
		keep := e.thinker.holds(e.game)
		if err := e.game.Play(c, p); err != nil {
			return err
		}
		if keep {
			e.thinker.tree.Advance(c, p)
		}
	} else {
		if err := e.game.PlayTolerant(c, p); err != nil {
			return err
		}
		if legal != nil {
			e.log.Warn("played a move that the rules forbid", "color", c, "move", e.game.Size().Vertex(p), "breach", legal)
		}
	}
	e.timer.lastEvent = time.Now()
	return nil
}

// Undo takes back the last n moves, or none if there are fewer.
func (e *Engine) Undo(n int) error {
	if n < 1 || n > e.game.NumMoves() {
		return ErrCannotUndo
	}
	e.Stop()
	e.timer.takeBack(e.game.NumMoves(), n)
	e.game.UndoMoves(n)
	e.values.takeBack(e.game.NumMoves())
	e.rank.undo()
	return nil
}

// Setup replaces stones and side to move, and drops history and handicap.
func (e *Engine) Setup(black, white []board.Point, toMove board.Color) error {
	return e.setUp(black, white, toMove, 0)
}

func (e *Engine) setUp(black, white []board.Point, toMove board.Color, handicap int) error {
	game, err := freshGame(e.cfg, e.game.Size(), e.game.Rules())
	if err == nil {
		err = game.Setup(black, white, toMove)
	}
	if err == nil {
		e.replace(game, handicap)
	}
	return err
}

// SetHandicap places Black's handicap stones on the empty board: White moves next, and the number
// of stones determines White's handicap bonus.
func (e *Engine) SetHandicap(stones []board.Point) error {
	if e.game.NumMoves() > 0 || e.game.Board().Stones(board.Black)+e.game.Board().Stones(board.White) > 0 {
		return ErrBoardNotEmpty
	}
	area := e.game.Size().Area()
	if len(stones) < 2 || len(stones) >= area {
		return fmt.Errorf("%w: %d of them", ErrHandicapStones, len(stones))
	}
	seen := make([]bool, area)
	for _, p := range stones {
		if p < 0 || int(p) >= area || seen[p] {
			return fmt.Errorf("%w: a point is repeated or not on the board", ErrHandicapStones)
		}
		seen[p] = true
	}
	if err := e.setUp(stones, nil, board.White, len(stones)); err != nil {
		return fmt.Errorf("%w: %w", ErrHandicapStones, err)
	}
	return nil
}

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

// continues reports whether longer has the size and rules of game, and begins with the moves of game.
func continues(game, longer *board.Game) bool {
	have, want := game.Moves(), longer.Moves()
	return game.Size() == longer.Size() && game.Rules() == longer.Rules() && len(have) <= len(want) && slices.Equal(have, want[:len(have)])
}
