package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/models"
	"kosumi/search/setting/tomlfile"
)

func TestInstallAsKataGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b", "kg")
	network, config := filepath.Join(dir, models.File), filepath.Join(dir, "gtp.cfg")
	o := exits(t, exitDone, nil, "", "install-as-katago", dir)
	katago := filepath.Join(dir, "katago")
	require.Contains(t, o.stdout, fmt.Sprintf("  %q gtp -model %q -config %q\n", katago, network, config), "the line to copy")
	for config, call := range map[string]struct{ sub, in, want string }{
		"gtp.cfg":      {"gtp", "name\nquit\n", "= KataGo"},
		"analysis.cfg": {"analysis", `{"id":"v","action":"query_version"}`, `"version":"1.18.2"`},
	} {
		cmd := exec.Command(katago, call.sub, "-model", network, "-config", filepath.Join(dir, config))
		cmd.Stdin = strings.NewReader(call.in)
		out, err := cmd.Output()
		require.NoError(t, err, call.sub)
		require.Contains(t, string(out), call.want)
	}
	require.NoError(t, os.WriteFile(network, []byte("of an older version"), 0o644))
	require.NoError(t, os.WriteFile(config, []byte("rules = japanese\n"), 0o644))
	require.Zero(t, invoke(t, nil, "", "install-as-katago", dir).code, "twice is fine")
	want, err := models.Data()
	require.NoError(t, err)
	require.Equal(t, string(want), testshared.Read(t, network), "an older network is replaced")
	require.Equal(t, "rules = japanese\n", testshared.Read(t, config), "the user's config stays")
	out, err := exec.Command(katago, "version").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "KataGo v1.18.2")

	// The copy works without the original program and the library beside it: make clean or an update
	// may remove them.
	build := t.TempDir()
	exe := filepath.Join(build, "engine")
	require.NoError(t, os.Link(built(t), exe))
	require.NoError(t, os.WriteFile(filepath.Join(build, "libonnxruntime.so"), []byte("library"), 0o644))
	require.NoError(t, os.Remove(katago))
	require.NoError(t, os.Symlink(exe, katago), "as earlier versions did")
	out, err = exec.Command(exe, "install-as-katago", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.RemoveAll(build))
	out, err = exec.Command(katago, "version").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "KataGo v1.18.2")
	require.FileExists(t, filepath.Join(dir, "libonnxruntime.so"))
	require.Zero(t, invoke(t, nil, "", "install-as-katago", dir).code, "an update replaces it")

	packaged := t.TempDir()
	link, err := installAsKataGo("/usr/lib/kosumi/engine", packaged)
	require.NoError(t, err)
	goal, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "/usr/lib/kosumi/engine", goal, "updates of the package reach it")
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "katago"), []byte("another"), 0o755))
	o = exits(t, exitFailed, nil, "", "install-as-katago", other)
	require.Contains(t, o.stderr, "another program")
}

// TestConfigFromKataGo translates a file, and starts the engine with the translation.
func TestConfigFromKataGo(t *testing.T) {
	cfg := writeFile(t, "gtp.cfg", `logAllGTPCommunication = false
logSearchInfo = false
numSearchThreads = 3
rules = japanese
maxVisits = 50
cpuctExploration = 0.7
ponderingEnabled = true
searchFactorAfterOnePass = 0.5
avoidSgfPatternUtility = 0.01
avoidSgfPatternDirs = games
fooBar = 1
`)
	o := exits(t, exitDone, nil, "", "config", "--from-katago", cfg)
	for _, line := range []string{`rules = "japanese"`, "visits = 50", "threads = 3", "ponder = true", "cpuctExploration = 0.7", "# searchFactorAfterOnePass has an effect only in a config of KataGo's: start the program as katago",
		"# avoidSgfPatternUtility has no effect here", "# fooBar has no effect here"} {
		require.Contains(t, o.stdout, line+"\n")
	}
	require.NotContains(t, o.stdout, "pace-most", "there is no pace")
	values, err := tomlfile.Values(table, []byte(o.stdout))
	require.NoError(t, err, o.stdout)
	s := defaultSettings()
	require.NoError(t, table.Apply(&s, values, table.Set))
	require.EqualValues(t, 50, s.Play.Limits.Visits)
	o = exits(t, exitUsage, nil, "", "config", "--from-katago", writeFile(t, "bad.cfg", "a = 1\na = 2\n"))
	require.Contains(t, o.stderr, "specified multiple times")
}

// TestKataGoLog: logSearchInfo writes a line about each search for a move.
func TestKataGoLog(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gtp.cfg"), []byte(`logAllGTPCommunication = false
logSearchInfo = true
logSearchInfoForChosenMove = true
numSearchThreads = 1
rules = japanese
komi = 3
startupPrintMessageToStderr = false
maxVisits = 5
logFile = gtp.log
`), 0o644))
	k := talk(t, dir, "gtp", "-config", "gtp.cfg", "-override-config", "maxVisits=12,foo=", "-override-config", "", "-model", realNetwork(t))
	k.send("get_komi")
	require.Equal(t, "= 6.5\n", k.line(), "KataGo has no komi in its files")
	k.line()
	for _, command := range []string{"boardsize 9", "genmove b", "kata-search w"} {
		k.send(command)
		k.line()
		k.line()
	}
	require.Zero(t, k.close())
	log := testshared.Read(t, filepath.Join(dir, "gtp.log"))
	for _, want := range []string{"maxVisits = 12\n", "Unused key 'komi' in gtp.cfg and/or command-line and query overrides\n",
		"no effect here: logSearchInfoForChosenMove\n", ": 12 visits (12 new, ", "lead "} {
		require.Contains(t, log, want)
	}
	require.NotContains(t, k.stderr.String(), "12 visits")
	require.Contains(t, k.stderr.String(), "Initializing board with boardXSize 19 boardYSize 19\n", "whatever else is not said")
}

// TestKataGoBenchmark reads the lines that clients read from a benchmark, with a network that
// requires the ranks of the players.
func TestKataGoBenchmark(t *testing.T) {
	needLibrary(t)
	human := testshared.Path(t, "golden/human/models/synth-human-b3c32.bin.gz")
	out, err := exec.Command(asKataGoProgram(t), "benchmark", "-model", human, "-override-config", "humanSLProfile=rank_5k", "-t", "1,2", "-v", "8", "-n", "2", "-boardsize", "9").Output()
	require.NoError(t, err)
	text := strings.ReplaceAll(string(out), "\r", "\n")
	for _, want := range []string{
		`Testing using 8 visits\.`, `Your GTP config is currently set to use numSearchThreads = 16`, `You are currently using the .* version of KataGo\.`,
		`Possible numbers of threads to test: 1 2`,
		`numSearchThreads =  2: 2 / 2 positions, visits/s = [\d.]+ nnEvals/s = [\d.]+ nnBatches/s = [\d.]+ avgBatchSize = [\d.]+ \([\d.]+ secs\) \(EloDiff [+-]\d+\)`,
		`numSearchThreads =  1:   \(baseline\)( \(recommended\))?`, `numSearchThreads = +\d:.* \(recommended\)`,
	} {
		require.Regexp(t, `(?m)^`+want+`$`, text)
	}
	require.Equal(t, 1, strings.Count(text, "(recommended)"), "the faster one on this machine, now")
}
