package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/katago"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

// TestLoopBeginsWithANetwork: a start network plays the first game, the learner begins with its
// weights, and starting again changes nothing.
func TestLoopBeginsWithANetwork(t *testing.T) {
	given := filepath.Join(t.TempDir(), "given.bin.gz")
	net, err := katago.Fresh("kb2c16", 77)
	require.NoError(t, err)
	require.NoError(t, katago.WriteFile(given, net))
	source := tiny + fmt.Sprintf("[start]\nnetwork = %q\ngames_behind = 5000\n", given)

	dir := trainableLoop(t, source)
	require.NoError(t, os.Remove(given), "it is read once")
	s := runLoop(t, dir, 0)
	require.Equal(t, "start-kb2c16", s.Current)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "selfplay", "half"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "selfplay", ".DS_Store"), nil, 0o644))
	require.Equal(t, s, runLoop(t, dir, 0), "what else lies there is no matter")
	kept, err := katago.ReadFile(modelPath(dir, s.Arch, s.Current))
	require.NoError(t, err)
	require.Equal(t, net.Trunk.Conv.Weights, kept.Trunk.Conv.Weights)
	require.NoFileExists(t, modelPath(dir, s.Arch, freshName(s.Arch)))

	l := opened(t, dir, Options{})
	c := l.stageConfig()
	require.Equal(t, "puct", c.Selfplay.Search.Method, "no random games")
	require.NoError(t, l.Close())

	last := runLoop(t, dir, 40)
	require.Zero(t, last.Random)
	require.Positive(t, last.Samples)
	require.NotEmpty(t, last.Networks)
	require.Equal(t, "start-kb2c16", last.Networks[0].Against)
	require.Equal(t, 4, last.Networks[0].Played)
	checkFolder(t, dir, State{})

	other := newLoop(t, strings.Replace(source, given, modelPath(dir, s.Arch, s.Start), 1))
	text := strings.Replace(source, "kb2c16", "kb3c16", 1)
	text = strings.Replace(text, given, modelPath(dir, s.Arch, s.Start), 1)
	require.NoError(t, os.WriteFile(filepath.Join(other, RecipeFile), []byte(text), 0o644))
	_, err = Open(other, Options{})
	require.ErrorContains(t, err, "is a kb2c16, the recipe's arch is kb3c16")

	begun := newLoop(t, tiny)
	runLoop(t, begun, 0)
	require.NoError(t, os.WriteFile(filepath.Join(begun, RecipeFile), []byte(source), 0o644))
	_, err = Open(begun, Options{})
	require.ErrorContains(t, err, "random weights")
}

// TestLoopBeginsWithRows: rows of another run extend the window beyond the loop's own rows, stay
// where they are, and do not raise the number of samples to train.
func TestLoopBeginsWithRows(t *testing.T) {
	testshared.Long(t)
	first := trainableLoop(t, tiny)
	done := runLoop(t, first, 120)
	held := func() (n int) {
		list, bad := openRowFiles(first, done.Seed).list()
		require.Empty(t, bad)
		for _, d := range list {
			n += d.Rows
		}
		return n
	}
	others := held()
	require.Greater(t, others, 100)

	text, err := RecipeFrom([]byte(tiny+"[start]\nnetwork = ''\ngames_behind = 0\ndata = []\n"),
		modelPath(first, done.Arch, done.Current), filepath.Join(first, "selfplay"))
	require.NoError(t, err)
	dir := newLoop(t, string(text))
	s := runLoop(t, dir, 30)
	require.NotEmpty(t, s.History)
	h := s.History[0]
	require.Equal(t, min(400, int(h.Rows)+others), min(400, h.Window), "rows of both")
	require.Greater(t, h.Window, int(h.Rows))
	require.InDelta(t, 2*float64(h.Rows), float64(h.Samples), 32, "ratio 2 counts its own rows")
	require.Equal(t, others, held(), "nothing of the other run goes")

	l := opened(t, dir, Options{})
	l.state.Rows = 1e6
	c := l.stageConfig()
	require.Equal(t, c.Window.Rows(1e6+int64(others)), l.windowRows(&c))
	require.NoError(t, l.Close())

	require.NoError(t, os.Rename(filepath.Join(first, "selfplay"), filepath.Join(first, "gone")))
	_, err = Open(dir, Options{})
	require.ErrorIs(t, err, ErrRecipe)
	require.ErrorContains(t, err, "start.data")
	empty := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecipeFile), []byte(strings.Replace(string(text), filepath.Join(first, "selfplay"), empty, 1)), 0o644))
	_, err = Open(dir, Options{})
	require.ErrorIs(t, err, rows.ErrNoRows)
}

// TestBoardsMayChange adds a larger board during a run: its games fill rows of another layout,
// and the learner reads both.
func TestBoardsMayChange(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, tiny)
	first := runToFirstNetwork(t, dir)
	text := strings.Replace(tiny, "[selfplay.search]", "[[selfplay.boards]]\nwidth = 7\nheight = 6\nshare = 2.0\n[selfplay.search]", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecipeFile), []byte(text), 0o644))
	last := runLoop(t, dir, 24)
	require.Greater(t, last.Samples, first.Samples)
	require.Greater(t, last.Iteration, first.Iteration)
	checkFolder(t, dir, State{})
	list, bad := openRowFiles(dir, 0).list()
	require.Empty(t, bad)
	count := map[board.Size]int{}
	for _, d := range list {
		set := learntest.ReadRows(t, d.Path)
		for i := range set.N {
			count[set.Size(i)]++
		}
	}
	require.Positive(t, count[board.Size{W: 7, H: 6}], count)
	require.Positive(t, count[board.Square(5)], count)
	require.Len(t, count, 2)
}
