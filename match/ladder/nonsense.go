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
	// Suspects put a chain of five stones or more into atari, or off the board, and
	// capture nothing, at once or by taking back what takes them. SelfAtaris are those
	// of them that a judge found to lose a point or more: the others are sacrifices, or
	// stones that were dead anyway.
	Suspects, SelfAtaris int
}

// A Judge says how many points a move loses that is to be played next in a game.
type Judge func(g *board.Game, p board.Point) (float64, error)

// suspectLoses is how many points a suspect must lose to be nonsense.
const suspectLoses = 1.0

// add sums up.
func (n *Nonsense) add(o Nonsense) {
	n.Moves, n.Eyes = n.Moves+o.Moves, n.Eyes+o.Eyes
	n.Suspects, n.SelfAtaris = n.Suspects+o.Suspects, n.SelfAtaris+o.SelfAtaris
}

// CountNonsense goes through the main line of a record, and returns the counts by
// board.Color. Without a judge every suspect counts as nonsense.
func CountNonsense(root *sgf.Node, judge Judge) (by [3]Nonsense, err error) {
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
	for i, m := range r.Moves() {
		n := &by[m.Color]
		n.Moves++
		if m.Point < 0 {
			continue
		}
		if level.FillsEye(b, m.Color, m.Point) {
			n.Eyes++
		} else if level.Suicidal(b, work, m.Color, m.Point) && !takesBack(work, m) {
			n.Suspects++
			lost, err := judge.of(r, i, m.Point)
			if err != nil {
				return by, err
			}
			if lost >= suspectLoses {
				n.SelfAtaris++
			}
		}
		b.Play(m.Color, m.Point)
	}
	return by, nil
}

// of judges move i of a record; without a judge every move loses enough.
func (j Judge) of(r *sgf.Record, i int, p board.Point) (float64, error) {
	if j == nil {
		return suspectLoses, nil
	}
	rules, err := r.BoardRules()
	if err != nil {
		return 0, err
	}
	rules.Komi = float32(r.Komi)
	g, err := r.Game(rules, i)
	if err != nil {
		return 0, err
	}
	return j(g, p)
}

// takesBack reports whether, once the chain of a move that is in atari on b is taken,
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
