package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/model"
)

type hashCase struct {
	ID, Kind                         string
	Query                            map[string]any
	PreventCleanupPhase              bool
	CurrentPlayer, ThisHash, SymHash string
}

// TestKataGoHashes analyses positions: each has KataGo's hash and KataGo's symmetric hash.
func TestKataGoHashes(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	plain, encore := analyst(t, realNetwork(t), ""), analyst(t, realNetwork(t), "preventCleanupPhase = false")
	tried := 0
	for _, c := range testshared.Lines[hashCase](t, testshared.Path(t, "golden/compat/hashes.jsonl.gz")) {
		k := plain
		if !c.PreventCleanupPhase {
			k = encore
		}
		c.Query["id"] = c.ID
		text, err := json.Marshal(c.Query)
		require.NoError(t, err)
		k.send(string(text))
		tried++
		var m struct {
			ID       string
			RootInfo *struct{ CurrentPlayer, ThisHash, SymHash string }
		}
		for m.RootInfo == nil {
			line := k.line()
			require.NotContains(t, line, `"error"`, c.ID)
			require.NoError(t, json.Unmarshal([]byte(line), &m))
		}
		require.Equal(t, c.ID, m.ID)
		require.Equal(t, []string{c.CurrentPlayer, c.ThisHash, c.SymHash}, []string{m.RootInfo.CurrentPlayer, m.RootInfo.ThisHash, m.RootInfo.SymHash}, "%s %s", c.ID, c.Kind)
	}
	require.NotZero(t, tried)
	t.Logf("hashes as KataGo has them: all %d", tried)
}

// TestKataGoRefuses starts katago with invalid files and settings. KataGo's clients look for
// "Uncaught exception" and for the exit status.
func TestKataGoRefuses(t *testing.T) {
	k := asKataGoProgram(t)
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"analysis"}, 1, "Uncaught exception: -config CONFIG_FILE_NAME.cfg was not specified"},
		{[]string{"gtp", "-config", "/no/such.cfg"}, 1, "Uncaught exception: Could not open file /no/such.cfg"},
		{[]string{"gtp", "-bogus"}, 1, "PARSE ERROR: "},
		{[]string{"gtp", "-config"}, 1, "Missing a value"},
		{[]string{"gtp", "-override-config", "numSearchThreads=0"}, 1, "Uncaught exception: Key 'numSearchThreads' must be in the range 1 to 4096 in config file"},
		{[]string{"gtp", "-model", "/no/such.bin.gz"}, 1, "Uncaught exception: Error loading or parsing model file /no/such.bin.gz: Could not open file /no/such.bin.gz - does not exist"},
		{[]string{"gtp", "-human-model", "/no/such.bin.gz"}, 1, "Uncaught exception: Error loading or parsing model file /no/such.bin.gz: Could not open"},
		{[]string{"fly"}, 1, ""}, {[]string{}, 0, ""}, {[]string{"version"}, 0, ""}, {[]string{"gtp", "-help"}, 0, ""}, {[]string{"gtp", "-version"}, 0, ""},
	} {
		cmd := exec.Command(k, c.args...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		cmd.Run()
		require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%v: %s", c.args, stderr.String())
		require.Contains(t, stderr.String(), c.stderr)
		require.NotContains(t, stderr.String(), "panic")
	}
	o := invoke(t, nil, "name\nquit\n", "--personality", "katago", "gtp")
	require.Equal(t, "= KataGo\n\n= \n\n", o.stdout)
	o = exits(t, exitUsage, nil, "", "--personality", "gnugo", "gtp")
	require.Contains(t, o.stderr, `"gnugo"`)
}

func unusedKeys(text string) bool { return strings.Contains(text, "unused keys") }

// TestKataGoConfigs starts katago with KataGo's folders of configs: it refuses what
// KataGo refuses, in the same words, and has the same parameters.
func TestKataGoConfigs(t *testing.T) {
	needLibrary(t)
	type example struct {
		Name, Mode   string
		Args         []string
		Exit         int
		Params       map[string]any
		Komi         float64
		TimeControls []string
		Stderr       []string
	}
	network, same := realNetwork(t), 0
	m, err := model.Open(network, model.Config{})
	require.NoError(t, err)
	defer m.Close()
	for line := range strings.Lines(testshared.Read(t, testshared.Path(t, "golden/compat/configs/expected.jsonl"))) {
		var e example
		require.NoError(t, json.Unmarshal([]byte(asOfToday.Replace(line)), &e))
		t.Run(e.Name, func(t *testing.T) {
			from, dir := testshared.Path(t, "golden/compat/configs/"+e.Name), t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
			k := talk(t, dir, slices.Concat([]string{e.Mode}, e.Args, []string{"-model", network})...)
			if e.Exit != 0 {
				require.Equal(t, exitFailed, k.close())
				require.Contains(t, k.stderr.String(), "Uncaught exception: "+strings.TrimPrefix(e.Stderr[len(e.Stderr)-1], "  what():  "))
				same++
				return
			}
			if e.Mode == "gtp" {
				k.send("kata-get-params")
				var params map[string]any
				require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(k.until(), "= ")), &params))
				require.Equal(t, e.Params, params)
				k.send("get_komi")
				require.Equal(t, fmt.Sprintf("= %g\n\n", e.Komi), k.until())
				k.send("kata-debug-print-tc")
				require.Equal(t, "= Black as at the start\nWhite as at the start\n\n", k.until(), "no client reads KataGo's budgets")
			}
			require.Zero(t, k.close())
			said := strings.ReplaceAll(k.stderr.String(), network, "MODEL")
			for _, line := range e.Stderr {
				if plainLine(line) {
					require.Contains(t, said, strings.Replace(line, recorded, m.Describe().Name, 1))
				}
			}
			require.Equal(t, slices.ContainsFunc(e.Stderr, unusedKeys), unusedKeys(said))
			same++
		})
	}
	t.Logf("configs as KataGo has them: %d", same)
}
