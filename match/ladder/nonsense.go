package ladder

import (
	"kosumi/board"
	"kosumi/level"
	"kosumi/sgf"
)

// Nonsense counts the moves of one side of a game that no person makes, from the
// record alone, whatever the engine thought of them.
type Nonsense struct {
	Moves int // passes included
	// Eyes are one-point eyes of one's own that were filled without saving a chain
	// in atari.
	Eyes int
	// SelfAtaris put a chain of five stones or more into atari, or off the board,
	// and capture nothing, at once or by taking back what takes them.
	SelfAtaris int
}

// add sums up.
func (n *Nonsense) add(o Nonsense) {
	n.Moves, n.Eyes, n.SelfAtaris = n.Moves+o.Moves, n.Eyes+o.Eyes, n.SelfAtaris+o.SelfAtaris
}

// CountNonsense goes through the main line of a record, and returns the counts by
// board.Color.
func CountNonsense(root *sgf.Node) (by [3]Nonsense, err error) {
	r, err := sgf.RecordOf(root)
	if err != nil {
		return by, err
	}
	b, work := board.NewBoard(r.Size), board.NewBoard(r.Size)
	if r.Setup != nil {
		for _, p := range r.Setup.Black {
			b.Play(board.Black, p)
		}
		for _, p := range r.Setup.White {
			b.Play(board.White, p)
		}
	}
	for _, m := range r.Moves() {
		n := &by[m.Color]
		n.Moves++
		if m.Point < 0 {
			continue
		}
		if level.FillsEye(b, m.Color, m.Point) {
			n.Eyes++
		} else if level.Suicidal(b, work, m.Color, m.Point) && !takesBack(work, m) {
			n.SelfAtaris++
		}
		b.Play(m.Color, m.Point)
	}
	return by, nil
}

// takesBack tells whether, once the chain of a move that is in atari on b is taken,
// stones of those who took it can be taken from where it stood. It changes b.
func takesBack(b *board.Board, m board.Move) bool {
	if b.At(m.Point) != m.Color {
		return false // it took itself off
	}
	them := m.Color.Opponent()
	chain := b.Chain(nil, m.Point)
	b.Play(them, b.LibertyPoints(nil, m.Point)[0])
	for _, p := range chain {
		for _, q := range b.Neighbors(p) {
			if b.At(q) == them && b.Liberties(q) == 1 {
				return true
			}
		}
	}
	return false
}
