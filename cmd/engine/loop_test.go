package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/handout"
	"kosumi/internal/testshared"
	"kosumi/models"
	"kosumi/train/loop"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// TestLoopFromTheNetworkInside makes recipes that begin with the embedded network.
func TestLoopFromTheNetworkInside(t *testing.T) {
	for _, preset := range loop.Presets() {
		dir := filepath.Join(t.TempDir(), "more")
		exits(t, exitDone, nil, "", "loop", dir, "--from", "kosumi", "--init", "--preset", preset)
		c, err := loop.ParseRecipe([]byte(testshared.Read(t, filepath.Join(dir, loop.RecipeFile))))
		require.NoError(t, err)
		require.Equal(t, "kb6c96", c.Arch)
		require.Equal(t, loop.Start{Network: models.Name, Games: 20_000, Data: []string{}}, c.Start)
	}
}

// TestTheSameLoopGoesOn: the command that began a loop also resumes it. A command that would begin
// a different loop is refused, naming keys that differ, and the loop stays as it was.
func TestTheSameLoopGoesOn(t *testing.T) {
	dir := t.TempDir()
	network, rows := material(t, dir)
	recipeFile, other := writeFile(t, "a.toml", "arch = 'kb1c16'\n[train]\nrate = 0.001\n"), writeFile(t, "b.toml", "arch = 'kb1c16'\n[train]\nrate = 0.002\nbatch = 64\n")
	for name, c := range map[string]struct {
		args, other []string
		want        []string // parts of the refusal
	}{
		"plain":  {nil, []string{"--preset", "tutorial"}, []string{`arch is "kb4c64", asked for: "mini"`, "bootstrap.games is 3000, asked for: 0", " more; "}},
		"preset": {[]string{"--preset", "tutorial"}, []string{"--preset", "default"}, []string{`arch is "mini", asked for: "kb4c64"`, "bootstrap.games is 0, asked for: 3000"}},
		"config": {[]string{"--config", recipeFile}, []string{"--config", other}, []string{"train.rate is 0.001, asked for: 0.002", "train.batch is 128, asked for: 64"}},
		"from":   {[]string{"--from", network}, []string{"--from", "kosumi"}, []string{"start.network is ", `asked for: "kosumi"`}},
		"data":   {[]string{"--from", network, "--data", rows}, []string{"--from", network}, []string{"start.data is [" + rows + "], asked for: []"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			loop := func(code int, args ...string) outcome {
				return exits(t, code, nil, "", append([]string{"loop", run, "--init"}, args...)...)
			}
			loop(exitDone, c.args...)
			path := filepath.Join(run, "loop.toml")
			before := testshared.Read(t, path)
			for range 2 {
				loop(exitDone, c.args...)
				loop(exitDone)
			}
			o := loop(exitUsage, c.other...)
			require.Contains(t, o.stderr, path+" counts")
			for _, want := range c.want {
				require.Contains(t, o.stderr, want)
			}
			require.Equal(t, before, testshared.Read(t, path))
		})
	}
	run := filepath.Join(dir, "begun")
	exits(t, exitDone, nil, "", "loop", run, "--init", "--from", network)
	if link := filepath.Join(t.TempDir(), "link"); os.Symlink(dir, link) == nil { // the same file by another name
		exits(t, exitDone, nil, "", "loop", run, "--init", "--from", filepath.Join(link, "net.bin.gz"))
	}
	require.NoError(t, os.Remove(network), "it is read once")
	exits(t, exitDone, nil, "", "loop", run, "--init", "--from", network)
	o := exits(t, exitFailed, nil, "", "loop", run, "--init", "--config", filepath.Join(dir, "gone.toml"))
	require.Contains(t, o.stderr, "resume it by engine loop "+run)
}

// material makes a tiny network, and training rows of random games, in a folder.
func material(t *testing.T, dir string) (network, games string) {
	t.Helper()
	network, games = filepath.Join(dir, "net.bin.gz"), filepath.Join(dir, "games")
	for _, args := range [][]string{
		{"net", "new", "--arch", "kb1c16", "-o", network},
		{"selfplay", "--method", "random", "--boardsize", "5", "--games", "20", "--out", games},
	} {
		exits(t, exitDone, nil, "", args...)
	}
	return network, games
}

// TestSelfplayCommand: self-play continues the numbers of existing games, and ends with success
// if interrupted.
func TestSelfplayCommand(t *testing.T) {
	dir := t.TempDir()
	play := func(more ...string) selfplay.Summary {
		o := exits(t, exitDone, nil, "", append([]string{"selfplay", "--method", "random", "--out", dir, "--boardsize", "5", "--parallel", "4", "--seed", "1", "--json"}, more...)...)
		var s selfplay.Summary
		require.NoError(t, json.Unmarshal([]byte(o.stdout), &s), o.stdout)
		return s
	}
	first := play("--games", "70")
	require.GreaterOrEqual(t, first.Games, 70)
	second := play("--rows", "100")
	require.GreaterOrEqual(t, second.Rows, 100)
	require.Equal(t, first.Games+second.Games, filed(t, dir))

	files := func() int {
		list, err := filepath.Glob(filepath.Join(dir, "sgfs", "*.sgfs"))
		require.NoError(t, err)
		return len(list)
	}
	before := files()
	cmd := exec.Command(built(t), "selfplay", "--method", "random", "--out", dir, "--boardsize", "5")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return files() > before }, conform.Patience, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait(), "an endless run ends well with ^C")
	require.Greater(t, filed(t, dir), first.Games+second.Games)
}

// filed counts the games in a folder of self-play, and requires that their numbers are consecutive.
func filed(t *testing.T, dir string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "tdata", "*.npz"))
	require.NoError(t, err)
	games := 0
	for _, path := range paths {
		f, err := rows.OpenFile(path)
		require.NoError(t, err)
		require.Equal(t, uint64(games), f.Info.First)
		games += f.Info.Games
		require.NoError(t, f.Close())
	}
	return games
}

// TestLoopCommand runs a whole iteration of a tiny recipe and checks the files that it leaves.
func TestLoopCommand(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	recipeFile := writeFile(t, "recipe.toml", `arch = "kb2c16"
[compute]
precision = "fp32"
[bootstrap]
games = 40
samples = 320
[iteration]
rows = 60
[window]
min_rows = 400
max_rows = 1000
[train]
batch = 32
[gate]
games = 2
visits = 2
[selfplay]
parallel = 8
[[selfplay.boards]]
width = 5
height = 5
share = 1.0
[selfplay.search]
visits = 4
[[stage]]
games = 0
`)
	dir := filepath.Join(t.TempDir(), "run")
	o := exits(t, exitDone, nil, "", "loop", dir, "--config", recipeFile, "--init")
	for range 2 {
		o = exits(t, exitDone, nil, "", "loop", dir, "--games", "60", "--json")
	}
	var s loop.State
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &s))
	require.GreaterOrEqual(t, s.Games, int64(120))
	require.NotEmpty(t, s.Networks)
	require.Contains(t, o.stderr, "self-play by kb2c16-s")
	page, err := os.ReadFile(filepath.Join(dir, loop.ReportFile))
	if handout.Built() == nil {
		require.NoError(t, err)
		require.Contains(t, string(page), s.Networks[0].Name)
	}
	o = exits(t, exitDone, nil, "", "loop", "rate", dir, "--games", "2", "--visits", "2", "--networks", "3", "--json")
	var r loop.Ratings
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &r))
	require.NotEmpty(t, r.Players)
}
