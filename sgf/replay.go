package sgf

import (
	"fmt"

	"kosumi/board"
)

// Game plays the record on a board: the position after the first n moves, all
// of them when n is negative or larger than the game. Moves are played as they
// stand, ko and superko violations included; the rules and their komi are the
// caller's, see BoardRules. The error wraps ErrPoint when a move is on an
// occupied point, and board's errors about positions that cannot be.
func (r *Record) Game(rules board.Rules, n int) (*board.Game, error) {
	g, err := board.NewGame(r.Size, rules)
	if err != nil {
		return nil, err
	}
	if err := r.startGame(g); err != nil {
		return nil, fmt.Errorf("set-up: %w", err)
	}
	played := 0
	for i, s := range r.Steps {
		if s.Setup != nil {
			if err := change(g, s.Setup); err != nil {
				return nil, fmt.Errorf("set-up at move %d: %w", played+1, err)
			}
			continue
		}
		if n >= 0 && played >= n {
			break
		}
		if err := g.PlayTolerant(s.Move.Color, s.Move.Point); err != nil {
			return nil, &MoveError{Move: played + 1, Step: i + 1, Color: s.Move.Color, Vertex: r.Size.Vertex(s.Move.Point), Err: err}
		}
		played++
	}
	return g, nil
}

// MoveError is a move of a record that cannot be played. It wraps ErrPoint.
type MoveError struct {
	Move, Step int // from 1
	Color      board.Color
	Vertex     string
	Err        error
}

// Error implements error.
func (e *MoveError) Error() string {
	return fmt.Sprintf("%v: move %d (step %d), %s %s: %v", ErrPoint, e.Move, e.Step, e.Color, e.Vertex, e.Err)
}

// Unwrap gives what is wrong with the move.
func (e *MoveError) Unwrap() []error { return []error{ErrPoint, e.Err} }

func (r *Record) startGame(g *board.Game) error {
	toMove := r.firstToMove()
	if r.Setup != nil && len(r.Setup.Black)+len(r.Setup.White) > 0 {
		if err := g.Setup(r.Setup.Black, r.Setup.White, toMove); err != nil {
			return err
		}
	} else if toMove != g.ToMove() {
		g.SetToMove(toMove)
	}
	if r.Handicap > 1 {
		g.SetHandicapStones(r.Handicap)
	}
	return nil
}

// firstToMove returns who begins: the player of PL, of the first move, White
// where only Black has stones, else Black.
func (r *Record) firstToMove() board.Color {
	if r.Setup != nil && r.Setup.ToMove != board.Empty {
		return r.Setup.ToMove
	}
	for _, s := range r.Steps {
		if s.Move.Color != board.Empty {
			return s.Move.Color
		}
	}
	if r.Setup != nil && len(r.Setup.Black) > 0 && len(r.Setup.White) == 0 {
		return board.White
	}
	return board.Black
}

// change puts a set-up on top of the present position.
func change(g *board.Game, s *Setup) error {
	now := position{size: g.Size(), at: make([]board.Color, g.Size().Area()), toMove: g.ToMove()}
	for i := range now.at {
		now.at[i] = g.At(board.Point(i))
	}
	now.apply(s)
	return g.Setup(now.stones(board.Black), now.stones(board.White), now.toMove)
}
