package review_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/review"
	"kosumi/review/drill"
)

const game = `(;GM[1]FF[4]SZ[5]KM[7]RU[Chinese]PB[Ada]PW[Bob]DT[2026-01-02]RE[W+2];B[cc];W[aa];B[cd];W[ea])`

// said stores the lines that a batch shows.
type said struct{ lines []string }

func (s *said) Game(int, string)         {}
func (s *said) Progress(review.Progress) {}
func (s *said) Line(text string)         { s.lines = append(s.lines, text) }

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// batch reviews the files of a folder and returns the lines shown.
func batch(t *testing.T, c review.BatchConfig, dir string) (*review.Outcome, string) {
	t.Helper()
	show := new(said)
	c.Show = show
	files, err := review.BatchFiles([]string{dir}, "out")
	require.NoError(t, err)
	b, err := review.NewBatch(c)
	require.NoError(t, err)
	require.NoError(t, b.Run(t.Context(), files))
	o, err := b.Finish(t.Context())
	require.NoError(t, err)
	return o, strings.Join(show.lines, "\n")
}

// config returns a configuration that refuses 7x7 boards and whose network gives invented numbers.
func config(t *testing.T) review.BatchConfig {
	t.Helper()
	made := review.Server(t)
	conf := review.Defaults()
	conf.First, conf.Visits = 2, 4
	dir := filepath.Join(t.TempDir(), "out")
	problems, err := drill.CollectIn(dir)
	require.NoError(t, err)
	return review.BatchConfig{Review: conf, Rules: board.Chinese(), Dir: dir, Application: "test:1", Problems: problems, Show: new(said),
		Open: func(size board.Size) (review.BatchNetwork, error) {
			if size == board.Square(7) {
				return review.BatchNetwork{}, fmt.Errorf("%w: 5x5 only", review.ErrNotServed)
			}
			return review.BatchNetwork{Evaluator: made, Name: "hash", Identity: "7"}, nil
		}}
}

func TestFiles(t *testing.T) {
	dir := folder(t, map[string]string{"b.sgf": game, "a/c.SGF": game, "a/d.txt": game})
	files, err := review.BatchFiles([]string{filepath.Join(dir, "a", "d.txt"), dir}, "out")
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "a", "d.txt"), filepath.Join(dir, "a", "c.SGF"), filepath.Join(dir, "b.sgf")}, files, "what is named is taken whatever it is called")
	_, err = review.BatchFiles([]string{filepath.Join(dir, "none")}, "out")
	require.Error(t, err)
	_, err = review.BatchFiles([]string{t.TempDir()}, "out")
	require.ErrorContains(t, err, "no .sgf file")
}

// TestBatch: good records are reviewed even between bad ones, and no report overwrites another.
func TestBatch(t *testing.T) {
	dir := folder(t, map[string]string{"a.sgf": game, "b/a.sgf": game + game, "c.sgf": "torn", "d.sgf": "(;SZ[5])", "e.sgf": "(;SZ[7];B[aa];W[bb])", "index.sgf": game})
	c := config(t)
	o, all := batch(t, c, dir)
	require.Equal(t, []int{4, 3, 4, 3}, []int{o.Reviewed, o.Refused, len(o.Summary.Games), len(o.Summary.Refused)})
	for _, name := range []string{"a", "a-1", "a-2", "index-2"} {
		for _, ext := range []string{".html", ".sgf", ".json"} {
			require.FileExists(t, filepath.Join(c.Dir, name+ext), "no report takes another's place")
		}
	}
	require.FileExists(t, o.Index)
	require.FileExists(t, filepath.Join(c.Dir, "summary.json"))
	require.FileExists(t, o.DrillFile)
	for _, text := range []string{"c.sgf: not reviewed: no game tree", "d.sgf: not reviewed: it has no moves", "e.sgf: not reviewed: the network does not serve this board: 5x5 only", "a.sgf, game 2: 4 moves; Black lost "} {
		require.Contains(t, all, text)
	}
	var text strings.Builder
	o.Print(&text)
	for _, part := range []string{"4 reviewed, 3 not; " + o.Index, fmt.Sprintf("%d problem", o.Problems), "engine drill " + o.DrillFile, "Black: 8 moves"} {
		require.Contains(t, text.String(), part)
	}
	text.Reset()
	o = &review.Outcome{Reviewed: 1, Index: "index.html", Summary: &review.Summary{Sides: []review.SideSummary{{Name: "Black"}}}}
	o.Print(&text)
	require.Equal(t, "1 reviewed, 0 not; index.html\n", text.String(), "a side without a judged move has no accuracy")
}

// TestManyRefused: the games of a file that are refused for the same reason share one line.
func TestManyRefused(t *testing.T) {
	bare := "(;SZ[5])"
	dir := folder(t, map[string]string{"a.sgf": strings.Repeat(bare, 54), "b.sgf": bare + game + strings.Repeat(bare, 3) + game + bare + "(;SZ[7];B[aa])", "c.sgf": bare})
	o, shown := batch(t, config(t), dir)
	require.Equal(t, []int{2, 4, 4}, []int{o.Reviewed, o.Refused, len(o.Summary.Refused)})
	var refused []string
	for line := range strings.SplitSeq(shown, "\n") {
		if strings.Contains(line, "not reviewed") {
			refused = append(refused, strings.TrimPrefix(line, dir+string(filepath.Separator)))
		}
	}
	require.Equal(t, []string{
		"a.sgf, each of its 54 games: not reviewed: it has no moves",
		"b.sgf, games 1, 3 to 5, 7: not reviewed: it has no moves",
		"b.sgf, game 8: not reviewed: the network does not serve this board: 5x5 only",
		"c.sgf: not reviewed: it has no moves",
	}, refused)
}

// TestRemark: a warning about a network is printed once, and is in each report.
func TestRemark(t *testing.T) {
	c := config(t)
	open := c.Open
	c.Open = func(size board.Size) (review.BatchNetwork, error) {
		n, err := open(size)
		n.Remark = "weak on " + size.String()
		return n, err
	}
	_, shown := batch(t, c, folder(t, map[string]string{"a.sgf": game, "b.sgf": game}))
	require.Equal(t, 1, strings.Count(shown, "weak on 5x5"))
	for _, name := range []string{"a.html", "a.json", "a.sgf", "b.json"} {
		text, err := os.ReadFile(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		require.Contains(t, string(text), "weak on 5x5", name)
	}
}

// TestOnePlayer: games in which the named player did not take part are refused.
func TestOnePlayer(t *testing.T) {
	c := config(t)
	c.Review.Player = "bob"
	o, shown := batch(t, c, folder(t, map[string]string{"a.sgf": game, "b.sgf": strings.ReplaceAll(game, "Bob", "Eve")}))
	require.Equal(t, 1, o.Reviewed)
	require.Contains(t, shown, "b.sgf: not reviewed: bob is not one of its players")
}

// TestWhatEndsABatch: a failing network ends a batch with an error, a cancelled context ends it
// without an error.
func TestWhatEndsABatch(t *testing.T) {
	name := filepath.Join(folder(t, map[string]string{"a.sgf": game}), "a.sgf")
	broken := errors.New("no network")
	c := config(t)
	opened := c.Open
	c.Open = func(board.Size) (review.BatchNetwork, error) { return review.BatchNetwork{}, broken }
	b, err := review.NewBatch(c)
	require.NoError(t, err)
	require.ErrorIs(t, b.Run(t.Context(), []string{name}), broken)
	_, err = b.Finish(t.Context())
	require.ErrorContains(t, err, "nothing was reviewed")

	c.Open = opened
	b, err = review.NewBatch(c)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, b.Run(ctx, []string{name, name}))
	o, err := b.Finish(ctx)
	require.NoError(t, err)
	require.LessOrEqual(t, o.Reviewed, 1)

	c.Review.First = 0
	_, err = review.NewBatch(c)
	require.Error(t, err)
}
