package review

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/sgf"
)

// ErrGame is wrapped by all errors about records that cannot be reviewed.
var (
	ErrGame    = errors.New("this record cannot be reviewed")
	ErrNoMoves = fmt.Errorf("%w: it has no moves", ErrGame)
)

// MaxPlies is the maximum number of a game's moves that are reviewed.
const MaxPlies = 2000

// Game is a record that can be reviewed. Create one with [Load].
type Game struct {
	Record *sgf.Record
	Rules  board.Rules // komi included
	// Moves are the moves of the main line before the first unplayable one, at most MaxPlies. Cut is
	// the number of moves in the record after them.
	Moves []board.Move
	Cut   int
	// Notes are sentences about assumptions and omissions.
	Notes []string

	root   *sgf.Node
	nodes  []*sgf.Node // nodes of the moves
	judged []bool      // by ply: whether the move can have a loss
}

// Load reads the main line of a game tree. Missing or unknown rules are replaced by the
// fallback, with a note. The game ends before the first unplayable move, with a note.
// Errors wrap ErrGame and have one line.
func Load(root *sgf.Node, fallback board.Rules) (*Game, error) {
	record, err := sgf.RecordOf(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGame, err)
	}
	record.AddPlaced(root)
	g := &Game{Record: record, root: root, Moves: record.Moves()}
	var assumed []string
	g.Rules, assumed = record.RulesOr(fallback)
	g.Notes = append(slices.Clone(record.Notes), assumed...)
	if err := g.cut(); err != nil {
		return nil, err
	}
	g.judge()
	for n := range root.MainLine() {
		for _, p := range n.Properties {
			if (p.ID == "B" || p.ID == "W") && len(p.Values) > 0 && len(g.nodes) < len(g.Moves) {
				g.nodes = append(g.nodes, n)
			}
		}
	}
	return g, nil
}

// cut ends the game before the first unplayable move, or after MaxPlies moves.
func (g *Game) cut() error {
	switch {
	case len(g.Moves) == 0 && g.Record.Fault != nil:
		return fmt.Errorf("%w: %w", ErrGame, g.Record.Fault)
	case len(g.Moves) == 0:
		return ErrNoMoves
	}
	playable, notes, err := g.Record.Playable(g.Rules)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGame, err)
	}
	g.Notes = append(g.Notes, notes...)
	if g.Cut = len(g.Moves) - min(playable, MaxPlies); playable > MaxPlies {
		g.Notes = append(g.Notes, fmt.Sprintf("The record has %d moves: the first %d are reviewed.", len(g.Moves), MaxPlies))
	}
	g.Moves = g.Moves[:len(g.Moves)-g.Cut]
	return nil
}

// Position returns the position before ply t, with the mover of that ply to move; position
// len(Moves) is the end.
func (g *Game) Position(t int) (*board.Game, error) {
	game, err := g.Record.Game(g.Rules, t)
	if err != nil {
		return nil, err
	}
	if t < len(g.Moves) && game.ToMove() != g.Moves[t].Color {
		game.SetToMove(g.Moves[t].Color)
	}
	return game, nil
}

// judge marks the plies that can have a loss: those after which the opponent moves, without set-up in
// between, or the game ends. Plies that place handicap stones cannot have one.
func (g *Game) judge() {
	g.judged = make([]bool, len(g.Moves))
	for t := g.placing(); t < len(g.Moves); t++ {
		g.judged[t] = t+1 == len(g.Moves) || g.Moves[t+1].Color != g.Moves[t].Color
	}
	ply := 0
	for _, s := range g.Record.Steps {
		switch {
		case s.Setup == nil:
			ply++
		case ply > 0 && ply <= len(g.judged):
			g.judged[ply-1] = false
		}
	}
}

// placing returns the number of plies that place handicap stones: Black's moves before White's first stone,
// if there are two or more, up to the record's handicap, and White's passes between them.
func (g *Game) placing() int {
	if s := g.Record.Setup; s != nil && len(s.Black)+len(s.White) > 0 {
		return 0
	}
	stones := 0
	for t, m := range g.Moves {
		switch {
		case m.Color == board.White && m.Point >= 0:
			if stones < 2 {
				return 0
			}
			return t
		case m.Color == board.Black && m.Point < 0: // no handicap stones: Black passes before White's first stone
			return 0
		case m.Color == board.Black:
			if stones++; stones > 1 && stones == g.Record.Handicap {
				return t + 1
			}
		}
	}
	return 0 // White plays no stones
}
