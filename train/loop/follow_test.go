package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/katago"
)

// TestAnotherArchitectureTakesOver changes the recipe's architecture during a run: rows, games and
// the current network stay, the new learner starts with the current network's weights, converted,
// and its network plays after passing the gate.
func TestAnotherArchitectureTakesOver(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, tiny)
	run := func(games int64) *State { return runLoop(t, dir, games) }
	first := runToFirstNetwork(t, dir)
	require.Contains(t, first.Current, "kb2c16")
	net, err := katago.ReadFile(modelPath(dir, first.Arch, first.Current))
	require.NoError(t, err)
	require.Equal(t, first.Current, net.Header.Name, "a network knows its name")
	require.Positive(t, first.Samples)

	text := strings.Replace(tiny, "kb2c16", "kb3c16", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecipeFile), []byte(text), 0o644))
	grown := run(0)
	require.Equal(t, "kb3c16", grown.Arch)
	require.Equal(t, stageTrain, grown.Stage)
	require.Equal(t, first.Current, grown.Current)
	require.Equal(t, first.Rows, grown.Rows)
	require.Equal(t, first.Samples, grown.Before)
	require.Zero(t, grown.Samples)
	require.Positive(t, grown.Target)
	require.Equal(t, fmt.Sprintf("grown-kb3c16-d%d", first.Rows), grown.Base)
	wide, err := katago.ReadFile(modelPath(dir, grown.Arch, grown.Base))
	require.NoError(t, err)
	require.Equal(t, net.Trunk.Blocks, wide.Trunk.Blocks[:2], "it begins with what the other one has learnt")
	require.Equal(t, grown, run(0), "opening it again changes nothing")

	last := run(12)
	require.Equal(t, "kb3c16", last.Arch)
	require.GreaterOrEqual(t, last.Samples, grown.Target)
	var names []string
	for _, n := range last.Networks {
		names = append(names, n.Name)
	}
	require.Contains(t, strings.Join(names, " "), "kb3c16-s")
	checkFolder(t, dir, State{})

	foreign := strings.Replace(tiny, "kb2c16", "mini", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecipeFile), []byte(foreign), 0o644))
	_, err = Open(dir, Options{})
	require.ErrorIs(t, err, ErrRecipe)
}

// TestLearnerMayChange: with other settings, or without checkpoints, a new learner starts with the
// current network, and nothing else is lost.
func TestLearnerMayChange(t *testing.T) {
	testshared.Long(t)
	for name, change := range map[string]func(t *testing.T, dir string){
		"settings": func(t *testing.T, dir string) {
			rewrite(t, dir, "[train]\n", "[train]\nmethod = \"sgd\"\nmomentum = 0.9\n")
		},
		"no checkpoints": func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, "checkpoints"))) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := trainableLoop(t, tiny)
			first := runToFirstNetwork(t, dir)
			change(t, dir)
			last := runLoop(t, dir, 12)
			require.Equal(t, first.Current, last.Base)
			require.Equal(t, first.Samples, last.Before)
			require.Greater(t, last.Games, first.Games)
			require.Equal(t, first.Networks[0].Name, last.Networks[0].Name)
			require.FileExists(t, modelPath(dir, last.Arch, last.Base), "it is needed to go on")
			checkFolder(t, dir, State{})
			require.Equal(t, last, runLoop(t, dir, 0), "opening it again changes nothing")
		})
	}
}

func rewrite(t *testing.T, dir, old, replacement string) {
	t.Helper()
	path := filepath.Join(dir, RecipeFile)
	text := []byte(testshared.Read(t, path))
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, replacement, 1)), 0o644))
}
