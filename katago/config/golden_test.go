package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/katago/config"
)

// example is KataGo's reading of one folder of config files.
type example struct {
	Name   string         `json:"name"`
	Mode   string         `json:"mode"`
	Args   []string       `json:"args"`
	Exit   int            `json:"exit"`
	Params map[string]any `json:"params"`
	Rules  map[string]any `json:"rules"`
	Komi   float64        `json:"komi"`
	Board  []int          `json:"board"`
	Stderr []string       `json:"stderr"`
}

func examples(t testing.TB) []example {
	t.Helper()
	f, err := os.Open(testshared.Path(t, "golden/compat/configs/expected.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var all []example
	for lines := json.NewDecoder(f); lines.More(); {
		var e example
		require.NoError(t, lines.Decode(&e))
		all = append(all, e)
	}
	return all
}

func options(args []string) (files, overrides []string, threads int) {
	for i := 0; i+1 < len(args); i += 2 {
		switch args[i] {
		case "-config":
			files = append(files, args[i+1])
		case "-override-config":
			overrides = append(overrides, args[i+1])
		case "-analysis-threads":
			threads, _ = strconv.Atoi(args[i+1])
		}
	}
	return files, overrides, threads
}

// TestConfigsAsKataGo compares values, errors and warnings with KataGo's.
func TestConfigsAsKataGo(t *testing.T) {
	all := examples(t)
	right := 0
	for _, e := range all {
		e.asOfToday()
		if t.Run(e.Name, func(t *testing.T) { e.check(t) }) {
			right++
		}
	}
	t.Logf("configs as KataGo reads them: %d of %d", right, len(all))
}

// asOfToday converts recordings of KataGo 1.17.2 to the current release, which has one more
// parameter.
func (e *example) asOfToday() {
	for i, line := range e.Stderr {
		e.Stderr[i] = strings.ReplaceAll(line, "1.17.2", config.Release)
	}
	if e.Params != nil {
		e.Params["excludeTerritoryAdjacentToAtari"] = "auto"
	}
}

func (e *example) check(t *testing.T) {
	t.Chdir(filepath.Join(testshared.Path(t, "golden/compat/configs"), e.Name))
	files, overrides, threads := options(e.Args)
	c, err := config.Load(files, overrides)
	if e.Mode == "analysis" {
		if err == nil {
			_, err = c.Analysis(threads, false, func(config.Log) {})
		}
		e.refusal(t, err)
		if err == nil {
			e.said(t, c.Warning())
		}
		return
	}
	var said []string
	var g config.GTPSettings
	if err == nil {
		g, err = c.GTP(false, func(line string) { said = append(said, line) })
	}
	e.said(t, said)
	e.refusal(t, err)
	if err != nil {
		return
	}
	e.said(t, append(c.Warning(), "Loaded config "+c.Name()))
	require.Equal(t, e.Board, []int{g.Size.W, g.Size.H})
	require.EqualValues(t, e.Komi, g.Rules.Komi)
	var rules map[string]any
	require.NoError(t, json.Unmarshal([]byte(g.Rules.JSON()), &rules))
	require.Equal(t, e.Rules, rules)
	var params map[string]any
	require.NoError(t, json.Unmarshal([]byte(c.ParamsJSON(g.Play, g.PlayOptions)), &params))
	require.Equal(t, e.Params, params)
}

// refusal requires the error with which KataGo refused to start, or none if it started.
func (e *example) refusal(t *testing.T, err error) {
	t.Helper()
	if e.Exit == 0 {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, strings.TrimPrefix(e.Stderr[len(e.Stderr)-1], "  what():  "))
}

// said requires that KataGo printed each of the lines.
func (e *example) said(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		require.True(t, slices.Contains(e.Stderr, line), "%q is not among %q", line, e.Stderr)
	}
	if e.Exit == 0 && len(lines) > 2 {
		require.Equal(t, strings.Contains(strings.Join(e.Stderr, "\n"), "unused keys"), strings.Contains(strings.Join(lines, "\n"), "unused keys"))
	}
}

// TestTable: each default in the table is valid as a value in a file.
func TestTable(t *testing.T) {
	for _, p := range config.Params {
		if p.Default == "" || p.Name == "futileVisitsThreshold" { // no default because the key is required, or a default outside the key's range
			continue
		}
		for _, text := range []string{p.Default, p.Analysis} {
			if text == "" {
				continue
			}
			c := config.New(map[string]string{p.Name: text})
			_, err := c.Get(p.Key)
			require.NoError(t, err, p.Name)
		}
	}
}
