package ladder

import (
	"slices"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/sgf"
)

// Nonsense counts the moves of one side in a game, and those that no person would make. It is based
// on the record and, for some counts, on a [Judge], but not on the player's own evaluations.
type Nonsense struct {
	Moves int // passes included
	// Eyes counts the player's own one-point eyes that were filled without saving a chain in
	// atari.
	Eyes int
	// Suspects counts moves that put the player's own chain of five stones or more into atari, or
	// remove it by suicide, and that neither capture nor allow a recapture. SelfAtaris counts the
	// suspects that lose a point or more according to a judge: the others are sacrifices, or add to
	// stones that were already dead.
	Suspects, SelfAtaris int
	Habits               level.Habits
}

// Judge returns the points that a move loses if it is played next in a game.
type Judge func(g *board.Game, p board.Point) (float64, error)

// suspectLoses is how many points a suspect must lose to be nonsense.
const suspectLoses = 1.0

func (n *Nonsense) add(o Nonsense) {
	n.Moves, n.Eyes = n.Moves+o.Moves, n.Eyes+o.Eyes
	n.Suspects, n.SelfAtaris = n.Suspects+o.Suspects, n.SelfAtaris+o.SelfAtaris
	n.Habits.Add(o.Habits)
}

// CountNonsense goes through the main line of a record and returns the counts by board.Color.
// Without a judge every suspect counts as nonsense, and every pass after which the opponent plays
// on counts as too early.
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

// counter counts nonsense and habits in a record.
type counter struct {
	record      *sgf.Record
	judge       Judge
	board, work *board.Board // position before the move, and a copy to try moves on
}

// stone plays move i, which is not a pass, and updates the counts of its player.
func (c *counter) stone(n *Nonsense, moves []board.Move, i int) error {
	m, h := moves[i], &n.Habits
	if i < firstMoves && c.board.Size().Line(m.Point) == 1 {
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

// pass updates the habits of the player whose move i is a pass.
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

// Definition of the habits of beginners.
const (
	firstMoves   = 30 // first moves of a game, in which moves on the edge count
	chainOfHabit = 3  // minimum size of a chain for its self-atari to count
	outOfAtari   = 3  // minimum number of liberties with which an extension saves a chain
)

// savable returns one stone of each chain of colour us that the opponent's last move put into atari and that
// a capture or an extension can save.
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

// saves reports whether some move saves the chain of p, which is in atari: by an extension to
// three liberties, or by capturing a chain in atari next to it.
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

// left adds to Ataris the number of chains that the move could have saved; stones has one stone of each. It adds
// to AtarisLeft the number of those chains that are still in atari after the move.
func (c *counter) left(h *level.Habits, stones []board.Point) {
	h.Ataris += len(stones)
	for _, p := range stones {
		if c.board.Liberties(p) == 1 {
			h.AtarisLeft++
		}
	}
}

// of returns how many points it loses to play p as move i of a record; for a nil Judge always suspectLoses.
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

// takesBack captures the chain of m, which is in atari on b, and reports whether the player of m can
// then recapture at the same place. It changes b.
func takesBack(b *board.Board, m board.Move) bool {
	if b.At(m.Point) != m.Color {
		return false // the stone was a suicide
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
