package life

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
	"kosumi/sgf"
)

// moves lists the first moves of a card in the shape's coordinates.
func (s *shape) moves(t *testing.T, c *Card) (text string) {
	size := board.Size{W: s.w, H: s.h}
	for _, m := range c.Moves {
		if p, err := size.ParseVertex(m); m != "pass" {
			require.NoError(t, err)
			m = s.vertex(int(p))
		}
		text += " " + m
	}
	return text
}

// summary writes a card in the form of the committed examples.
func (s *shape) summary(t *testing.T, c *Card) string {
	names := func(n Need) string {
		if n > 3 {
			return "inf"
		}
		return fmt.Sprint(n)
	}
	text := c.Verdict
	switch {
	case c.Then == "": // no number of threats changes the verdict
	case c.NeedD > 0:
		text += fmt.Sprintf(" needD=%s:%s", names(c.NeedD), c.Then)
	case c.NeedA > 0:
		text += fmt.Sprintf(" needA=%s:%s", names(c.NeedA), c.Then)
	}
	if len(c.Moves) > 0 {
		text += " moves" + s.moves(t, c)
	}
	return text
}

// TestExamples compares the answers with the committed examples: verdicts, numbers of threats, first moves, and names
// of kos.
func TestExamples(t *testing.T) {
	kos := map[string]string{
		"4 k=1": "ko 0", "5 bent four": "bent-four type 0", "6 approach": "approach ko 1", "7 thousand-year ko": "thousand-year ko 0",
		"10 double ko": "double ko 0", "19 two mouths": "two-stage ko 2",
	}
	for _, e := range readExamples(t) {
		out, err := Ask(context.Background(), e.shape.question(), Options{Nodes: 4000000})
		require.NoError(t, err, e.name)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			require.Equal(t, e.answer[first], e.shape.summary(t, c), "%s, %v first", e.name, solver.Side(first))
			require.True(t, c.Proved, e.name)
			require.True(t, c.AllMoves, e.name)
		}
		if name, ok := kos[e.name]; ok {
			require.Equal(t, name, fmt.Sprint(out.Attacks.Ko.Name, " ", out.Attacks.Ko.Steps), e.name)
			delete(kos, e.name)
		}
	}
	require.Empty(t, kos)
}

// TestBans: the answers agree with the oracle on random shapes in which one side may not play its first move on some
// point.
func TestBans(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 4))
	for range shapesToAsk(20) {
		s, _ := nextShape(rng, 5000)
		var empty []int
		for p, c := range s.cells {
			if c == '.' {
				empty = append(empty, p)
			}
		}
		s.ban, s.banned = 1+empty[rng.IntN(len(empty))], int8(1+rng.IntN(2))
		o, err := newOracle(s, 20000)
		require.NoError(t, err)
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 1000000})
		require.NoError(t, err, "%v may not play on %s\n%v", solver.Side(s.banned-1), s.vertex(s.ban-1), s)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			require.Equal(t, o.koSummary(int32(first))+o.moves(int32(first)), koSummary(c)+s.moves(t, c), "%v first, %v may not play on %s\n%v", solver.Side(first), solver.Side(s.banned-1), s.vertex(s.ban-1), s)
			require.True(t, c.Proved, s)
		}
	}
}

// TestBanOfRecord asks about a position after a ko capture: the answer and its proof include the
// ban.
func TestBanOfRecord(t *testing.T) {
	roots, err := sgf.Parse([]byte("(;GM[1]FF[4]SZ[9]AB[ab][db][ea][ac][bc][cc][dc][eb]AW[aa][ca][bb][cb];B[ba])"))
	require.NoError(t, err)
	q, err := PositionOf(roots[0], -1)
	require.NoError(t, err)
	q.Targets = []board.Point{q.Size.Point(1, 1)}
	q.Assumed = Surroundings(q.Size, q.Stones, q.Targets)
	out, err := Ask(context.Background(), q, Options{Nodes: 100000})
	require.NoError(t, err)
	require.True(t, out.Defends.Proved)
	require.Contains(t, out.Text(), "White may not retake on A9 at first")
	c, err := check.Proof(out.Proof)
	require.NoError(t, err)
	require.Contains(t, c.Text(), "the defender may not retake on A9 at first")
}

// TestSetUpTwice: a record that sets points up more than once gives the same position each time.
func TestSetUpTwice(t *testing.T) {
	roots, err := sgf.Parse([]byte("(;SZ[9]AB[aa][bb]AE[aa][cc]AW[bb][dd];AE[dd]AB[dd])"))
	require.NoError(t, err)
	for range 20 {
		q, err := PositionOf(roots[0], -1)
		require.NoError(t, err)
		at := func(x, y int) board.Color { return q.Stones[q.Size.Point(x, y)] }
		require.Equal(t, []board.Color{board.Black, board.White, board.Empty, board.Black}, []board.Color{at(0, 0), at(1, 1), at(2, 2), at(3, 3)})
	}
	roots, err = sgf.Parse([]byte("(;SZ[9]AB[aa][zz])"))
	require.NoError(t, err)
	_, err = PositionOf(roots[0], -1)
	require.ErrorIs(t, err, sgf.ErrPoint)
}

// TestPackedProofs: the checker accepts proofs about fights whose points are not numbered row by row, but such that
// the fight fits into a word.
func TestPackedProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 12))
	proved := 0
	for range 12 {
		s := &shape{w: 9, h: 8, cells: []byte("...XXX..." + "..XTTTX.." + ".XTTiTTX." + "XTiiiiiTX" + "XddiiiTTX" + ".XddiTTX." + "..XTTTX.." + "...XXX...")}
		for p, c := range s.cells {
			if c == 'i' {
				s.cells[p] = "...aad"[rng.IntN(6)]
			}
		}
		q := s.question()
		q.Targets = q.Targets[:1]
		l, err := q.encode()
		if err != nil {
			continue // a chain without a liberty
		}
		_, _, packed := l.Order()
		require.True(t, packed)
		out, err := Ask(context.Background(), q, Options{Nodes: 40000})
		require.NoError(t, err, s)
		if out.Attacks.Proved {
			require.Contains(t, string(out.Proof), "\norder ")
			proved++
		}
	}
	require.Greater(t, proved, 3)
}

// TestBadQuestions: invalid questions are refused with the reason.
func TestBadQuestions(t *testing.T) {
	good := func() *Question { return readExamples(t)[3].shape.question() }
	for _, c := range []struct {
		spoil func(*Question)
		want  string
	}{
		{func(q *Question) { q.Targets = nil }, "name a stone"},
		{func(q *Question) { q.Targets = []board.Point{0} }, "no stone on A4"},
		{func(q *Question) { q.Targets = []board.Point{3, 4} }, "of different colours"},
		{func(q *Question) { q.Targets = []board.Point{99} }, "off the board"},
		{func(q *Question) { q.Assumed = []board.Point{3} }, "asked for and assumed alive"},
		{func(q *Question) { q.Assumed = []board.Point{0} }, "no stone on A4"},
		{func(q *Question) { q.Assumed = nil }, "no liberty"},
		{func(q *Question) { q.Stones = q.Stones[1:] }, "want 20"},
		{func(q *Question) { q.Size.W = 1 }, "board size"},
		{func(q *Question) {
			*q = Question{Size: board.Square(25), Stones: make([]board.Color, 625), Targets: []board.Point{0}}
			q.Stones[0] = board.Black
		}, "at most 19x19"},
	} {
		q := good()
		c.spoil(q)
		_, err := Ask(context.Background(), q, Options{Nodes: 1000})
		require.ErrorIs(t, err, ErrQuestion)
		require.ErrorContains(t, err, c.want)
	}
}

// TestUnder: the text says under which threats a claim holds.
func TestUnder(t *testing.T) {
	for threats, want := range map[[2]uint8]string{
		{0, 0}: "without ko threats", {1, 0}: "with one threat more for White", {0, 2}: "with 2 threats more for Black",
		{solver.Any, 0}: "with any number of ko threats for White", {solver.Endless, 0}: "with endless ko threats for White", {0, solver.Endless}: "with endless ko threats for Black",
	} {
		require.Equal(t, want, under(threats, "white", "black"))
	}
}
