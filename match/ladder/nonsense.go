package ladder

import (
	"slices"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/sgf"
)

// Nonsense counts the moves of one side of a game that no person makes.
type Nonsense struct {
	Moves int // passes included
	// Eyes are moves that fill a one-point eye of their own side without saving a chain in
	// atari.
	Eyes int
	// Suspects are moves that put five stones or more of their own side into atari, or are
	// suicide, and capture nothing, at once or by recapture. SelfAtaris are the suspects that
	// lose a point or more by the judge; the others are sacrifices, or the stones were dead.
	Suspects, SelfAtaris int
	Habits               level.Habits
}

// Judge returns how many points the next move of a game loses.
type Judge func(g *board.Game, p board.Point) (float64, error)

// suspectLoses is the least loss in points of a suspect that counts as nonsense.
const suspectLoses = 1.0

// add adds the counts of another game.
func (n *Nonsense) add(o Nonsense) {
	n.Moves, n.Eyes = n.Moves+o.Moves, n.Eyes+o.Eyes
	n.Suspects, n.SelfAtaris = n.Suspects+o.Suspects, n.SelfAtaris+o.SelfAtaris
	n.Habits.Add(o.Habits)
}

// CountNonsense returns the counts of a record's main line by board.Color. Without a judge every
// suspect counts as nonsense, and every pass before a move of the opponent as early.
func CountNonsense(root *sgf.Node, judge Judge) (by [3]Nonsense, err error) {
	r, err := sgf.RecordOf(root)
	if err != nil {
		return by, err
	}
	c := counter{record: r, judge: judge, board: board.NewBoard(r.Size), work: board.NewBoard(r.Size)}
	if r.Setup != nil {
		for _, p := range r.Setup.Black {
			c.board.Play(board.Black, p)
		}
		for _, p := range r.Setup.White {
			c.board.Play(board.White, p)
		}
	}
	moves := r.Moves()
	for i, m := range moves {
		n := &by[m.Color]
		n.Moves++
		n.Habits.Moves++
		n.Habits.Sides = 1
		if m.Point < 0 {
			err = c.pass(&n.Habits, moves, i)
		} else {
			err = c.stone(n, moves, i)
		}
		if err != nil {
			return by, err
		}
	}
	return by, nil
}

// counter counts nonsense in a record.
type counter struct {
	record      *sgf.Record
	judge       Judge
	board, work *board.Board // the position before the move; a scratch board
}

// stone counts move i, which is not a pass, and plays it.
func (c *counter) stone(n *Nonsense, moves []board.Move, i int) error {
	m, h := moves[i], &n.Habits
	if i < firstMoves && edge(c.board.Size(), m.Point) {
		h.FirstLine++
	}
	threatened := c.savable(m.Color, moves[:i])
	if level.FillsEye(c.board, m.Color, m.Point) {
		n.Eyes++
		h.Eyes++
	} else if level.Suicidal(c.board, c.work, m.Color, m.Point) && !takesBack(c.work, m) {
		n.Suspects++
		lost, err := c.judge.of(c.record, i, m.Point)
		if err != nil {
			return err
		}
		if lost >= suspectLoses {
			n.SelfAtaris++
		}
	}
	if c.board.Play(m.Color, m.Point) == 0 && c.board.At(m.Point) == m.Color && c.board.Liberties(m.Point) == 1 && c.board.ChainSize(m.Point) >= chainOfHabit {
		h.SelfAtaris++
	}
	c.left(h, threatened)
	return nil
}

// pass counts move i, a pass.
func (c *counter) pass(h *level.Habits, moves []board.Move, i int) error {
	c.left(h, c.savable(moves[i].Color, moves[:i]))
	if i+1 == len(moves) || moves[i+1].Point < 0 {
		return nil
	}
	lost, err := c.judge.of(c.record, i, board.Pass)
	if err == nil && lost >= suspectLoses {
		h.EarlyPasses++
	}
	return err
}

// Definitions of the habits of beginners.
const (
	firstMoves   = 30 // of a game, among which moves on the first line count
	chainOfHabit = 3  // least stones of a self-atari
	outOfAtari   = 3  // least liberties of a chain saved by an extension
)

func edge(size board.Size, p board.Point) bool {
	x, y := size.XY(p)
	return min(x, y, size.W-1-x, size.H-1-y) == 0
}

// savable returns a stone of each chain of a side that the last move put into atari and that a
// capture or an extension saves.
func (c *counter) savable(us board.Color, moves []board.Move) (stones []board.Point) {
	if len(moves) == 0 || moves[len(moves)-1].Point < 0 || moves[len(moves)-1].Color == us {
		return nil
	}
	b, last := c.board, moves[len(moves)-1].Point
	for _, p := range b.Neighbors(last) {
		if b.At(p) == us && b.Liberties(p) == 1 && c.saves(us, p) && !slices.ContainsFunc(stones, func(q board.Point) bool { return b.ChainHead(q) == b.ChainHead(p) }) {
			stones = append(stones, p)
		}
	}
	return stones
}

// saves reports whether a move saves the chain of p, which is in atari: an extension to three
// liberties, or the capture of an adjacent chain in atari.
func (c *counter) saves(us board.Color, p board.Point) bool {
	b, them := c.board, us.Opponent()
	tries := b.LibertyPoints(nil, p)
	for _, q := range b.Chain(nil, p) {
		for _, o := range b.Neighbors(q) {
			if b.At(o) == them && b.Liberties(o) == 1 {
				tries = append(tries, b.LibertyPoints(nil, o)...)
			}
		}
	}
	for _, at := range tries {
		if b.IsSuicide(us, at) || b.KoPoint() == at {
			continue
		}
		c.work.CopyFrom(b)
		taken := c.work.Play(us, at)
		if now := c.work.Liberties(p); now >= outOfAtari || taken > 0 && now > 1 {
			return true
		}
	}
	return false
}

// left counts the chains that are still in atari after the move.
func (c *counter) left(h *level.Habits, stones []board.Point) {
	h.Ataris += len(stones)
	for _, p := range stones {
		if c.board.Liberties(p) == 1 {
			h.AtarisLeft++
		}
	}
}

// of judges move i of a record; a nil judge returns suspectLoses.
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

// takesBack reports whether stones that capture the chain of m, which is in atari on b, can be
// recaptured. It changes b.
func takesBack(b *board.Board, m board.Move) bool {
	if b.At(m.Point) != m.Color {
		return false // suicide
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
