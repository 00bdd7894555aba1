package sgf

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
)

// Game plays the record on a board: the position after the first n moves, all of them if n is
// negative or larger than the game. Moves are played as recorded, ko and superko violations
// included; the rules and their komi are the caller's, see BoardRules. Stones that Black plays
// before White's first move are handicap stones, whether HA says so or not. The error wraps
// ErrPoint if a move is on an occupied point, and board's errors about impossible positions.
func (r *Record) Game(rules board.Rules, n int) (*board.Game, error) {
	return r.replay(rules, n, func(*board.Game, int, board.Move) {})
}

// mostBreaches bounds how many forbidden moves are named.
const mostBreaches = 3

// Playable returns how many moves of the record can be played, with notes in plain sentences on
// illegal moves that were played anyway and on the move that cannot be played. An error means
// that the set-up or the first move fails.
func (r *Record) Playable(rules board.Rules) (moves int, notes []string, err error) {
	breaches := 0
	_, err = r.replay(rules, -1, func(g *board.Game, i int, m board.Move) {
		moves = i + 1
		breach := g.Legal(m.Color, m.Point)
		if breach == nil || errors.Is(breach, board.ErrOccupied) {
			return
		}
		if breaches++; breaches <= mostBreaches {
			notes = append(notes, fmt.Sprintf("Move %d, %s %s, is against the rules (%s); it was played as the record has it.",
				i+1, m.Color, r.Size.Vertex(m.Point), reason(breach)))
		}
	})
	if breaches > mostBreaches {
		notes = append(notes, fmt.Sprintf("%d moves are against the rules in all.", breaches))
	}
	if err == nil {
		return moves, notes, nil
	}
	said := err.Error()
	if bad, ok := errors.AsType[*MoveError](err); ok {
		moves = bad.Move - 1
		said = fmt.Sprintf("%s %s cannot be played, %s", bad.Color, bad.Vertex, reason(bad.Err))
	}
	if moves == 0 {
		return 0, nil, err
	}
	return moves, append(notes, fmt.Sprintf("The record ends after move %d: %s.", moves, said)), nil
}

// reason returns why a move is illegal, without the prefix "illegal move".
func reason(err error) string { return strings.TrimPrefix(err.Error(), "illegal move: ") }

// replay plays the first n moves, or all if n is negative. It calls before(g, i, m) ahead of each
// move.
func (r *Record) replay(rules board.Rules, n int, before func(g *board.Game, i int, m board.Move)) (*board.Game, error) {
	g, err := board.NewGame(r.Size, rules)
	if err != nil {
		return nil, err
	}
	g.SetOptions(board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true})
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
		before(g, played, s.Move)
		if err := g.PlayTolerant(s.Move.Color, s.Move.Point); err != nil {
			return nil, &MoveError{Move: played + 1, Step: i + 1, Color: s.Move.Color, Vertex: r.Size.Vertex(s.Move.Point), Err: err}
		}
		played++
	}
	return g, nil
}

// MoveError is the error about a recorded move that cannot be played. It wraps ErrPoint and Err.
type MoveError struct {
	Move, Step int // counted from 1
	Color      board.Color
	Vertex     string
	Err        error
}

func (e *MoveError) Error() string {
	return fmt.Sprintf("%v: move %d (step %d), %s %s: %v", ErrPoint, e.Move, e.Step, e.Color, e.Vertex, e.Err)
}

func (e *MoveError) Unwrap() []error { return []error{ErrPoint, e.Err} }

func (r *Record) startGame(g *board.Game) error {
	toMove := r.firstToMove()
	if r.Setup != nil && len(r.Setup.Black)+len(r.Setup.White) > 0 {
		if err := g.Setup(r.Setup.Black, r.Setup.White, toMove); err != nil {
			return err
		}
	} else {
		g.SetToMove(toMove)
	}
	if r.Handicap > 1 && !r.HandicapPlayed() {
		g.SetHandicapStones(r.Handicap)
	}
	return nil
}

// HandicapPlayed reports whether the handicap stones are exactly the moves that Black makes
// before White's first stone. A board.Game counts such stones by itself.
func (r *Record) HandicapPlayed() bool {
	played, _ := r.opening()
	return r.Handicap > 1 && r.Handicap == played && (r.Setup == nil || len(r.Setup.Black)+len(r.Setup.White) == 0)
}

// firstToMove returns the player who begins: the one in PL, else that of the first move, else
// White if only Black has stones, else Black.
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

// change applies a set-up to a game's current position.
func change(g *board.Game, s *Setup) error {
	now := position{size: g.Size(), at: make([]board.Color, g.Size().Area()), toMove: g.ToMove()}
	for i := range now.at {
		now.at[i] = g.At(board.Point(i))
	}
	now.apply(s)
	return g.Setup(now.stones(board.Black), now.stones(board.White), now.toMove)
}
