package selfplay

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/sgf"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

// small is a quick recipe that uses every feature.
func small(method string) Config {
	c := Defaults()
	c.Boards = []BoardShare{{5, 5, 1}, {6, 5, 1}, {7, 7, 1}}
	c.Parallel = 8
	c.Search.Method = method
	c.Search.Visits, c.Search.CheapVisits, c.Search.CheapShare = 16, 8, 0.5
	c.Opening.Forks = 0.3
	c.Rows.PolicySurprise, c.Rows.ValueSurprise = 0.4, 0.1
	c.Ending.Resign, c.Ending.PlayOut = -0.9, 0.5
	return c
}

func newSession(t testing.TB, c Config, dir string, perFile int) (*Session, *Writer) {
	t.Helper()
	w, err := NewWriter(WriterConfig{Dir: dir, Encoding: features.V7, Side: c.Side(),
		PerFile: perFile, Network: "test", SHA256: "abc", Seed: 5, Settings: c})
	require.NoError(t, err)
	s, err := NewSession(c, 5, 0, w)
	require.NoError(t, err)
	return s, w
}

// TestSessionWritesRowsAndRecords plays in two parts with each method and checks the files row by
// row and record by record.
func TestSessionWritesRowsAndRecords(t *testing.T) {
	for _, method := range []string{Gumbel, PUCT, Random} {
		t.Run(method, func(t *testing.T) {
			dir := t.TempDir()
			s, w := newSession(t, small(method), dir, 10)
			e := exactServer(t, 3)
			require.NoError(t, s.Play(context.Background(), e, Goal{Games: 15}))
			require.NoError(t, s.Play(context.Background(), e, Goal{Games: 15}))
			require.NoError(t, w.Flush())
			st := s.Stats()
			require.GreaterOrEqual(t, st.Games, 30)
			require.Equal(t, st.Games, st.Black+st.White+st.Draws)
			gotRows, gotGames := 0, 0
			paths, err := filepath.Glob(filepath.Join(dir, "tdata", "*.npz"))
			require.NoError(t, err)
			for _, path := range paths {
				set := learntest.ReadRows(t, path)
				for i := range set.N {
					require.NoError(t, set.Check(i))
				}
				require.Equal(t, "test", set.Info.Network)
				gotRows += set.N
				gotGames += set.Info.Games
				games, err := sgf.ReadFile(filepath.Join(dir, "sgfs", filepath.Base(path[:len(path)-4])+".sgfs"))
				require.NoError(t, err)
				require.Len(t, games, set.Info.Games)
				for _, g := range games {
					checkRecord(t, g)
				}
			}
			require.Equal(t, st.Rows, gotRows)
			require.Equal(t, st.Games, gotGames)
			require.Positive(t, gotRows)
		})
	}
}

// checkRecord replays a game record and compares its result with the board.
func checkRecord(t *testing.T, root *sgf.Node) {
	t.Helper()
	r, err := sgf.RecordOf(root)
	require.NoError(t, err)
	rules, err := board.ParseRules(r.Rules)
	require.NoError(t, err)
	rules.Komi = float32(r.Komi)
	g, err := board.NewGame(r.Size, rules)
	require.NoError(t, err)
	for _, m := range r.Moves() {
		require.NoError(t, g.Play(m.Color, m.Point))
	}
	if r.Result[len(r.Result)-1] == 'R' || r.Result == "Void" {
		return
	}
	e := rows.ScoreEnd(g, false)
	require.Equal(t, r.Result, result(&Finished{Game: &rows.Game{End: e}}))
}

func TestCleanFolder(t *testing.T) {
	dir := t.TempDir()
	s, w := newSession(t, small(Random), dir, 5)
	require.NoError(t, s.Play(context.Background(), nil, Goal{Games: 10}))
	require.NoError(t, w.Flush())
	orphan := filepath.Join(dir, "sgfs", "00000000000000ff.sgfs")
	half := filepath.Join(dir, "tdata", "00000000000000ff.npz.123.tmp")
	for _, path := range []string{orphan, half} {
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	before, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.NoError(t, CleanFolder(dir))
	after, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.Len(t, after, len(before)-2)
	require.NoFileExists(t, orphan)
	require.NoFileExists(t, half)

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tdata")), "a kill between the removal of the one and the other")
	require.NoError(t, CleanFolder(dir))
	left, err := os.ReadDir(filepath.Join(dir, "sgfs"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.Remove(filepath.Join(dir, "sgfs")))
	require.NoError(t, CleanFolder(dir))
}
