package bench_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

// problem is a position with its correct moves.
type problem struct {
	name  string
	game  *board.Game
	right []board.Point
}

func problemFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("../../testdata/problems/*.sgf")
	require.NoError(tb, err)
	return files
}

func kindOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".sgf") }

// readProblems reads game trees: the root is the position, and children of the root with TE are
// the correct moves.
func readProblems(tb testing.TB, file string) (list []problem) {
	tb.Helper()
	roots, err := sgf.ReadFile(file)
	require.NoError(tb, err)
	for _, root := range roots {
		r, err := sgf.StrictRecordOf(root)
		require.NoError(tb, err)
		g, err := r.Game(board.Chinese(), 0)
		require.NoError(tb, err)
		if r.HasKomi {
			g.SetKomi(float32(r.Komi))
		}
		p := problem{name: r.Name, game: g}
		id := map[board.Color]string{board.Black: "B", board.White: "W"}[g.ToMove()]
		for _, child := range root.Children {
			if child.Has("TE") {
				at, err := sgf.ParsePoint(g.Size(), child.Get(id))
				require.NoError(tb, err, p.name)
				require.NoError(tb, g.Legal(g.ToMove(), at), p.name)
				p.right = append(p.right, at)
			}
		}
		require.NotEmpty(tb, p.right, p.name)
		list = append(list, p)
	}
	return list
}

func (p *problem) turned(tb testing.TB, k board.Symmetry) (*board.Game, map[board.Point]int) {
	tb.Helper()
	size := p.game.Size()
	var stones []board.Move
	for at := range board.Point(size.Area()) {
		if c := p.game.At(at); c != board.Empty {
			stones = append(stones, board.Move{Color: c, Point: size.SymMap(k, at)})
		}
	}
	g, err := board.NewGame(size, p.game.Rules())
	require.NoError(tb, err)
	require.NoError(tb, g.SetupBoard(board.PlaceStones(size, stones), p.game.ToMove()))
	right := map[board.Point]int{}
	for _, at := range p.right {
		right[size.SymMap(k, at)] = 1
	}
	return g, right
}

// TestOwnProblems: each of the project's problems is of the kind that its file's name says, and
// its correct moves work.
func TestOwnProblems(t *testing.T) {
	checks := map[string]func(t *testing.T, p *problem){
		"ladders": ladder, "snapbacks": snapback, "semeai": race, "seki": seki, "bent-four": bentFour, "cyclic": cyclic,
	}
	files := problemFiles(t)
	require.Len(t, files, len(checks))
	for _, file := range files {
		list := readProblems(t, file)
		require.GreaterOrEqual(t, len(list), 3, file)
		for i := range list {
			require.NotNil(t, checks[kindOf(file)], file)
			checks[kindOf(file)](t, &list[i])
		}
	}
}

// after returns the board after the side to move plays a point, and the number of captured
// stones.
func after(p *problem, at board.Point) (*board.Board, int) {
	b := copied(p.game.Board())
	return b, b.Play(p.game.ToMove(), at)
}

func copied(b *board.Board) *board.Board {
	c := board.NewBoard(b.Size())
	c.CopyFrom(b)
	return c
}

// ladder: the correct move is the only one that captures a chain of three stones or more in a
// ladder.
func ladder(t *testing.T, p *problem) {
	var s board.LadderScratch
	b := p.game.Board()
	for _, l := range b.Ladders(&s) {
		if l.Color == p.game.ToMove().Opponent() && l.Liberties == 2 && b.ChainSize(l.Head) >= 3 && slices.Equal(l.Working[:l.Count], p.right) {
			return
		}
	}
	t.Errorf("%s: no ladder begins at the right move", p.name)
}

// snapback: the correct move puts a single stone into atari, and the side that captures it loses
// three or more.
func snapback(t *testing.T, p *problem) {
	require.Len(t, p.right, 1)
	me, at := p.game.ToMove(), p.right[0]
	b, took := after(p, at)
	require.Zero(t, took, p.name)
	require.Equal(t, 1, b.Liberties(at), p.name)
	require.Equal(t, 1, b.ChainSize(at), p.name)
	last := b.LibertyPoints(nil, at)[0]
	require.Equal(t, 1, b.Play(me.Opponent(), last), p.name)
	require.GreaterOrEqual(t, b.Play(me, at), 3, p.name)
}

// race: two opposing chains touch; each has five stones or more and at most five liberties,
// together they have at least twelve stones, and neither is pass-alive.
func race(t *testing.T, p *problem) {
	require.Len(t, p.right, 1)
	b := p.game.Board()
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
	t.Errorf("%s: no race", p.name)
}

// seki: after the correct moves two chains share two or three liberties, so that the side that
// fills the last but one is captured. The opponent's chain has no other liberties; each correct
// move takes one of its liberties away.
func seki(t *testing.T, p *problem) {
	me := p.game.ToMove()
	b := copied(p.game.Board())
	for _, at := range p.right {
		require.Zero(t, b.Play(me, at), p.name)
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
				require.Equal(t, len(theirs)+len(p.right), p.game.Board().Liberties(n), p.name)
				return
			}
		}
	}
	t.Errorf("%s: no seki", p.name)
}

// cyclic: a chain surrounds a living chain of the opponent but lacks two eyes; the correct move
// makes or prevents these eyes.
func cyclic(t *testing.T, p *problem) {
	require.Len(t, p.right, 1)
	b, size := p.game.Board(), p.game.Size()
	inner := size.Point(3, size.H-3)
	ring := size.Point(2, size.H-3)
	owner := b.At(ring)
	alive := b.PassAlive(nil, false)
	require.Equal(t, owner.Opponent(), alive[inner], p.name)
	require.Equal(t, board.Empty, alive[ring], p.name)
	require.GreaterOrEqual(t, b.ChainSize(ring), 20, p.name)
	lives := func(b *board.Board, at board.Point) bool {
		c := copied(b)
		return c.Play(owner, at) >= 0 && c.PassAlive(nil, false)[ring] == owner
	}
	for _, at := range b.LibertyPoints(nil, ring) {
		require.Equal(t, at == p.right[0], lives(b, at), "%s: %s", p.name, size.Vertex(at))
	}
	if p.game.ToMove() == owner {
		return
	}
	b, _ = after(p, p.right[0])
	for _, at := range b.LibertyPoints(nil, ring) {
		require.False(t, lives(b, at), "%s: %s", p.name, size.Vertex(at))
	}
}

// bentFour: the four bent points of the corner are the only eye of a chain; after each correct
// move the chain lives, at once or by an answer to any move of the opponent.
func bentFour(t *testing.T, p *problem) {
	me, size := p.game.ToMove(), p.game.Size()
	corner := size.Point(0, size.H-1)
	require.Equal(t, board.Empty, p.game.At(corner), p.name)
	stone := size.Point(1, size.H-2)
	require.Equal(t, me, p.game.At(stone), p.name)
	eye := []board.Point{size.Point(0, size.H-2), size.Point(1, size.H-1), size.Point(2, size.H-1)} // without the corner, which touches no stone
	require.ElementsMatch(t, eye, p.game.Board().LibertyPoints(nil, stone), p.name)
	require.Equal(t, board.Empty, p.game.Board().PassAlive(nil, false)[stone], p.name)
	require.Len(t, p.right, 2)
	for _, at := range p.right {
		b, _ := after(p, at)
		if lives(b, stone) {
			continue
		}
		for _, attack := range append(eye, corner) {
			attacked := copied(b)
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
			require.True(t, answered, "%s: %s is answered by %s", p.name, size.Vertex(at), size.Vertex(attack))
		}
	}
}

// lives reports whether a stone is pass-alive.
func lives(b *board.Board, at board.Point) bool {
	return b.PassAlive(nil, false)[at] == b.At(at)
}
