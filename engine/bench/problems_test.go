package bench_test

import (
	"path/filepath"
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

// readProblems reads game trees: the root is the position, and those of its children that have the
// SGF property TE are the correct moves.
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

// TestProblems: the problems can be read, and their correct moves are legal.
func TestProblems(t *testing.T) {
	files := problemFiles(t)
	require.Len(t, files, 6)
	for _, file := range files {
		require.GreaterOrEqual(t, len(readProblems(t, file)), 3, file)
	}
}
