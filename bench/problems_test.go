package bench_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/bench"
	"kosumi/board"
	"kosumi/search"
)

// TestOwnProblems holds the problems of this project against the rules: that each is of its
// kind, and that its right moves do what they are there for.
func TestOwnProblems(t *testing.T) {
	checks := map[string]func(t *testing.T, p *bench.Problem){
		"ladders": ladder, "snapbacks": snapback, "semeai": race, "seki": seki, "bent-four": bentFour, "cyclic": cyclic,
	}
	files, err := filepath.Glob("../testdata/problems/*.sgf")
	require.NoError(t, err)
	require.Len(t, files, len(checks))
	for _, file := range files {
		list, err := bench.ReadProblems(file)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(list), 3, file)
		names := map[string]bool{}
		for i := range list {
			p := &list[i]
			require.False(t, names[p.Name], p.Name)
			names[p.Name] = true
			require.NotNil(t, checks[p.Kind], p.Kind)
			checks[p.Kind](t, p)
		}
	}
}

// after is the board after the side to move has played a point, and how many stones that took.
func after(p *bench.Problem, at board.Point) (*board.Board, int) {
	b := board.NewBoard(p.Game.Size())
	b.CopyFrom(p.Game.Board())
	return b, b.Play(p.Game.ToMove(), at)
}

// ladder: the right move is the only one that hunts down a chain of three stones or more.
func ladder(t *testing.T, p *bench.Problem) {
	var s board.LadderScratch
	b := p.Game.Board()
	for _, l := range b.Ladders(&s) {
		if l.Color == p.Game.ToMove().Opponent() && l.Liberties == 2 && b.ChainSize(l.Head) >= 3 && slices.Equal(l.Working[:l.Count], p.Right) {
			return
		}
	}
	t.Errorf("%s: no ladder begins at the right move", p.Name)
}

// snapback: whoever takes the stone loses three or more.
func snapback(t *testing.T, p *bench.Problem) {
	require.Len(t, p.Right, 1)
	me, at := p.Game.ToMove(), p.Right[0]
	b, took := after(p, at)
	require.Zero(t, took, p.Name)
	require.Equal(t, 1, b.Liberties(at), p.Name)
	require.Equal(t, 1, b.ChainSize(at), p.Name)
	last := b.LibertyPoints(nil, at)[0]
	require.Equal(t, 1, b.Play(me.Opponent(), last), p.Name)
	require.GreaterOrEqual(t, b.Play(me, at), 3, p.Name)
}

// race: a chain of five stones or more touches one of the opponent's, both have five liberties
// at most, together they have twelve stones, and neither is alive whatever happens.
func race(t *testing.T, p *bench.Problem) {
	require.Len(t, p.Right, 1)
	b := p.Game.Board()
	alive := b.PassAlive(nil, false)
	size := b.Size()
	for i := range size.Area() {
		at := size.FromIndex(i)
		if b.At(at) == board.Empty || b.ChainSize(at) < 5 || b.Liberties(at) > 5 || alive[at] != board.Empty {
			continue
		}
		for _, n := range b.Neighbors(at) {
			if b.At(n) == b.At(at).Opponent() && b.ChainSize(n) >= 5 && b.Liberties(n) <= 5 && alive[n] == board.Empty && b.ChainSize(at)+b.ChainSize(n) >= 12 {
				return
			}
		}
	}
	t.Errorf("%s: no race", p.Name)
}

// seki: after the right moves two chains have the same two or three liberties, so that whoever takes
// the last but one is taken; before them the opponent's has more.
func seki(t *testing.T, p *bench.Problem) {
	me := p.Game.ToMove()
	b := board.NewBoard(p.Game.Size())
	b.CopyFrom(p.Game.Board())
	for _, at := range p.Right {
		require.Zero(t, b.Play(me, at), p.Name)
	}
	size := b.Size()
	for i := range size.Area() {
		mine := size.FromIndex(i)
		if b.At(mine) != me || b.ChainSize(mine) < 4 {
			continue
		}
		shared := b.LibertyPoints(nil, mine)
		for _, n := range b.Neighbors(mine) {
			if b.At(n) != me.Opponent() || b.ChainSize(n) < 4 {
				continue
			}
			theirs := b.LibertyPoints(nil, n)
			common := slices.DeleteFunc(slices.Clone(theirs), func(q board.Point) bool { return !slices.Contains(shared, q) })
			if len(common) >= 2 && len(common) <= 3 && len(theirs) == len(common) && len(shared)-len(common) <= 1 {
				require.Equal(t, len(theirs)+len(p.Right), p.Game.Board().Liberties(n), p.Name)
				return
			}
		}
	}
	t.Errorf("%s: no seki", p.Name)
}

// cyclic: a chain goes round one of the opponent's that is alive, and has not yet two eyes outside; the right
// move gives it two, or takes them for good.
func cyclic(t *testing.T, p *bench.Problem) {
	require.Len(t, p.Right, 1)
	b, size := p.Game.Board(), p.Game.Size()
	inner := size.Point(3, size.H-3)
	ring := size.Point(2, size.H-3)
	owner := b.At(ring)
	alive := b.PassAlive(nil, false)
	require.Equal(t, owner.Opponent(), alive[inner], p.Name)
	require.Equal(t, board.Empty, alive[ring], p.Name)
	require.GreaterOrEqual(t, b.ChainSize(ring), 20, p.Name)
	lives := func(b *board.Board, at board.Point) bool {
		c := board.NewBoard(size)
		c.CopyFrom(b)
		return c.Play(owner, at) >= 0 && c.PassAlive(nil, false)[ring] == owner
	}
	for _, at := range b.LibertyPoints(nil, ring) {
		require.Equal(t, at == p.Right[0], lives(b, at), "%s: %s", p.Name, size.Vertex(at))
	}
	if p.Game.ToMove() == owner {
		return
	}
	b, _ = after(p, p.Right[0])
	for _, at := range b.LibertyPoints(nil, ring) {
		require.False(t, lives(b, at), "%s: %s", p.Name, size.Vertex(at))
	}
}

// bentFour: the four bent points of the corner are one eye of a chain that has no other, and after each
// right move it lives: as it stands, or whatever the opponent plays there by an answer.
func bentFour(t *testing.T, p *bench.Problem) {
	me, size := p.Game.ToMove(), p.Game.Size()
	corner := size.Point(0, size.H-1)
	require.Equal(t, board.Empty, p.Game.At(corner), p.Name)
	stone := size.Point(1, size.H-2)
	require.Equal(t, me, p.Game.At(stone), p.Name)
	eye := []board.Point{size.Point(0, size.H-2), size.Point(1, size.H-1), size.Point(2, size.H-1)} // the corner touches no stone
	require.ElementsMatch(t, eye, p.Game.Board().LibertyPoints(nil, stone), p.Name)
	require.Equal(t, board.Empty, p.Game.Board().PassAlive(nil, false)[stone], p.Name)
	require.Len(t, p.Right, 2)
	for _, at := range p.Right {
		b, _ := after(p, at)
		if lives(b, stone) {
			continue
		}
		for _, attack := range append(eye, corner) {
			attacked := board.NewBoard(size)
			attacked.CopyFrom(b)
			if b.At(attack) != board.Empty || b.IsSuicide(me.Opponent(), attack) {
				continue
			}
			attacked.Play(me.Opponent(), attack)
			answered := lives(attacked, stone)
			for _, answer := range append(eye, corner) {
				if attacked.At(answer) != board.Empty || answer == attacked.KoPoint() || attacked.IsSuicide(me, answer) {
					continue
				}
				attacked.Play(me, answer)
				answered = answered || lives(attacked, stone)
				attacked.CopyFrom(b)
				attacked.Play(me.Opponent(), attack)
			}
			require.True(t, answered, "%s: %s is answered by %s", p.Name, size.Vertex(at), size.Vertex(attack))
		}
	}
}

// lives reports whether a stone is alive whatever happens.
func lives(b *board.Board, at board.Point) bool {
	return b.PassAlive(nil, false)[at] == b.At(at)
}

// TestSolve asks a network of no knowledge: it solves few of them, each in eight orientations,
// and the same each time.
func TestSolve(t *testing.T) {
	list, err := bench.ReadProblems("../testdata/problems/seki.sgf")
	require.NoError(t, err)
	more, err := bench.ReadProblems("../testdata/problems/bent-four.sgf")
	require.NoError(t, err)
	params := search.Defaults()
	params.Seed = 1
	params.Parallel.Workers = 1
	calls := 0
	solve := func() []bench.Solved {
		s, err := bench.Solve(context.Background(), params, server(t), append(list, more...), 4, func(done, of int) {
			calls++
			require.LessOrEqual(t, done, of)
		})
		require.NoError(t, err)
		return s
	}
	first := solve()
	require.Equal(t, 8*(len(list)+len(more)), calls)
	require.Len(t, first, 2)
	require.Equal(t, "seki", first[0].Kind)
	require.Equal(t, len(list), first[0].Problems)
	require.Equal(t, 8*len(list), first[0].Positions)
	require.Less(t, first[0].Alone, 8*len(list))
	var out bytes.Buffer
	bench.PrintSolved(&out, first, 4)
	require.Contains(t, out.String(), "bent-four")
	require.Contains(t, out.String(), "all")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = bench.Solve(ctx, params, server(t), list, 4, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestReadProblemsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"(;SZ[5]AB[aa];W[bb])":                 "marked as right",
		"(;SZ[5]AB[aa]AW[cc]PL[B];W[bb]TE[1])": "whose turn",
		"(;SZ[5]AB[aa]AW[cc]PL[B];B[cc]TE[1])": "the right move C3",
		"(;SZ[5]AB[aa]PL[B];B[zz]TE[1])":       "point",
		"":                                     "",
	} {
		file := filepath.Join(t.TempDir(), "x.sgf")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := bench.ReadProblems(file)
		require.Error(t, err, text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := bench.ReadProblems("none.sgf")
	require.ErrorIs(t, err, os.ErrNotExist)
}
