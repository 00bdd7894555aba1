package label

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
	"kosumi/train/rows"
)

// TestRefuses: unusable settings and sources give an error of one line, before anything is
// written.
func TestRefuses(t *testing.T) {
	made := small(t, filepath.Join(t.TempDir(), "made"))
	made.Rows = 60
	labelled(t, made)
	before := labels(t, made.Out)
	records := t.TempDir()
	writeRecords(t, records, 2)
	for name, c := range map[string]struct {
		change func(c *Config)
		want   string
	}{
		"teacher":  {func(c *Config) { c.Teacher = hashModel(3) }, "holds labels by hash-1, another network than hash-3"},
		"encoding": {func(c *Config) { c.Encoding = features.V7 }, "holds rows for networks that read mini7, not v7"},
		"records":  {func(c *Config) { c.Encoding, c.From = features.V7, []string{records} }, "holds rows for networks that read mini7, not v7"},
		"seed":     {func(c *Config) { c.Seed = 8 }, "was begun with the seed 7"},
		"share":    {func(c *Config) { c.Share = 2 }, "a share of 2"},
		"leaves":   {func(c *Config) { c.Leaves = -0.1 }, "a share of -0.1 of leaves: use 0 to 1"},
		"of files": {func(c *Config) { c.Leaves, c.From = 0.5, []string{t.TempDir()} }, "leave --from or --leaves out"},
		"tiny":     {func(c *Config) { c.Share = 1e-300 }, "a share of 1e-300 of the turns: use 0.001 to 1"},
		"a link to itself": {func(c *Config) {
			link := filepath.Join(t.TempDir(), "link")
			require.NoError(t, os.Symlink(c.Out, link))
			c.From, c.Out = []string{c.Out}, link
		}, "the labels would go there too"},
		"v3":      {func(c *Config) { c.Encoding = features.V3 }, "use v7, seed22, mini7, agz17 or agz17-split"},
		"itself":  {func(c *Config) { c.From = []string{c.Out} }, "the labels would go there too"},
		"below":   {func(c *Config) { c.From = []string{filepath.Dir(c.Out)} }, "the labels would go there too"},
		"nothing": {func(c *Config) { c.From = []string{t.TempDir()} }, "no file of rows"},
		"recipe":  {func(c *Config) { c.Games.Boards = nil }, "at least one board size"},
		"size": {func(c *Config) {
			c.Teacher, c.Out, c.From = onlyNine{c.Teacher}, t.TempDir(), nil
		}, "choose boards with --boardsize"},
		"people": {func(c *Config) { c.Teacher, c.Out = ofPeople{c.Teacher}, t.TempDir() }, "is not a teacher"},
		"rows": {func(c *Config) {
			c.Teacher, c.Out, c.From = named{nntest.Uniform(), "u"}, t.TempDir(), []string{made.Out}
		}, "the rows are mini7 and the teacher reads"},
	} {
		t.Run(name, func(t *testing.T) {
			conf := made
			conf.Rows = 1000
			c.change(&conf)
			_, err := Run(t.Context(), conf)
			require.ErrorIs(t, err, ErrConfig)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	require.Equal(t, before, labels(t, made.Out))
	strange := filepath.Join(made.Out, "games.npz")
	require.NoError(t, os.WriteFile(strange, nil, 0o644))
	_, err := Run(t.Context(), made)
	require.ErrorContains(t, err, "is not a file of labels")
	require.NoError(t, os.Rename(strange, filepath.Join(made.Out, "00000000000000ff.npz")))
	_, err = Run(t.Context(), made)
	require.ErrorIs(t, err, rows.ErrFormat)
	require.ErrorContains(t, err, "remove the file to label its positions again")
}

type onlyNine struct{ nn.Model }

func (m onlyNine) Spec(size board.Size) (nn.Spec, error) {
	s, err := m.Model.Spec(size)
	if size != board.Square(9) {
		err = fmt.Errorf("%w: it serves 9x9", nn.ErrSize)
	}
	return s, err
}

type ofPeople struct{ nn.Model }

func (m ofPeople) Spec(size board.Size) (nn.Spec, error) {
	s, err := m.Model.Spec(size)
	s.KataGo.MetaEncoder = 1
	return s, err
}
