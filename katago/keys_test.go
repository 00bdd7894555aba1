package katago_test

import (
	"maps"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/engine/analysis"
	"kosumi/katago"
	"kosumi/katago/config"
)

// key is a KataGo key with a value other than its default.
type key struct {
	name, value string
	programs    []string
	with        map[string]string
}

func keys(t *testing.T) []key {
	t.Helper()
	data, err := os.ReadFile("testdata/keys.txt")
	require.NoError(t, err)
	var all []key
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line, with, _ := strings.Cut(strings.TrimSpace(line), " with ")
		fields := strings.Fields(line)
		k := key{fields[0], fields[1], fields[2:], map[string]string{}}
		for _, pair := range strings.Fields(with) {
			name, value, ok := strings.Cut(pair, "=")
			require.True(t, ok, line)
			k.with[name] = value
		}
		all = append(all, k)
	}
	return all
}

// made holds everything that a program reads from a config.
type made struct {
	play    engine.Config
	net     katago.Network
	answers []any // parts of the config that the program keeps for its answers and log
	conf    analysis.Config
	logs    config.AnalysisSettings
}

// make_ returns the settings that a program reads from a config, the keys that it names as having no
// effect, and those that it takes for misspelt.
func make_(t *testing.T, program string, values map[string]string) (m made, idle, unused []string) {
	t.Helper()
	c := config.New(values)
	base := engine.Defaults()
	base.Search.Parallel.Workers = 0
	var s katago.Setup
	if program == "gtp" {
		g, err := c.GTP(true, func(string) {})
		require.NoError(t, err)
		s = katago.GTP(c, &g, base)
		m.answers = []any{g.PVLen, g.Perspective, g.ForcedKomi, g.Log, g.LogCommands, g.LogSearch, g.Greet, g.OGSChat, g.NoLimit}
	} else {
		a, err := c.Analysis(0, true, func(config.Log) {})
		require.NoError(t, err)
		s, m.conf = katago.Analysis(c, &a, base)
		m.logs = config.AnalysisSettings{Log: a.Log, LogRequests: a.LogRequests, LogResponses: a.LogResponses, LogErrors: a.LogErrors, LogSearch: a.LogSearch}
	}
	m.play, m.net = s.Play, s.Net
	return m, s.Idle, c.Unused()
}

// needed are the keys that a program requires.
var needed = map[string]map[string]string{
	"gtp":      {"logAllGTPCommunication": "false", "logSearchInfo": "false", "numSearchThreads": "2", "rules": "tromp-taylor"},
	"analysis": {"numAnalysisThreads": "2", "numSearchThreads": "2"},
}

// backends matches keys that only one of KataGo's backends reads.
var backends = regexp.MustCompile("^(cuda|trt|metal|opencl|rocm|onnx)")

// TestKeys: every KataGo key either changes something or is named as having no effect.
func TestKeys(t *testing.T) {
	idle := map[string][]string{}
	for _, program := range []string{"gtp", "analysis"} {
		mapped, all := 0, 0
		for _, k := range keys(t) {
			if !slices.Contains(k.programs, program) {
				continue
			}
			values := map[string]string{}
			maps.Copy(values, needed[program])
			for name, value := range k.with {
				values[name] = value
				if value == "" {
					delete(values, name)
				}
			}
			if program == "analysis" && k.name == "numSearchThreadsPerAnalysisThread" {
				values["numSearchThreads"] = "2"
			}
			before, _, _ := make_(t, program, values)
			if program == "analysis" && k.name == "numSearchThreadsPerAnalysisThread" {
				delete(values, "numSearchThreads")
			}
			values[k.name] = k.value
			after, named, unused := make_(t, program, values)
			if k.name != "avoidMYTDaggerHack" { // a key of older releases
				require.Empty(t, unused)
			}
			require.True(t, !backends.MatchString(k.name) || config.Tuning(k.name), k.name)
			changes, isNamed := !reflect.DeepEqual(before, after), slices.Contains(append(named, unused...), k.name)
			require.NotEqual(t, changes, isNamed, "%s: %s = %s changes something: %v, named: %v", program, k.name, k.value, changes, isNamed)
			all++
			if changes {
				mapped++
			} else {
				idle[program] = append(idle[program], k.name)
			}
		}
		t.Logf("%s: %d keys change something, %d are named as having no effect, of %d", program, mapped, all-mapped, all)
	}
	for program, names := range idle {
		documented(t, program, names)
	}
}

// TestExamples: KataGo's own example configs cause no warning.
func TestExamples(t *testing.T) {
	data, err := os.ReadFile("testdata/examples.txt")
	require.NoError(t, err)
	examples := strings.Split(string(data), "\n[")[1:]
	require.Len(t, examples, 4)
	for _, example := range examples {
		name, list, _ := strings.Cut(example, "]\n")
		t.Run(name, func(t *testing.T) {
			values := map[string]string{}
			for line := range strings.Lines(list) {
				key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
				require.True(t, ok, line)
				values[key] = value
			}
			program, _, _ := strings.Cut(name, "_")
			_, named, unused := make_(t, program, values)
			for _, key := range slices.Concat(named, unused) {
				require.True(t, config.Tuning(key), key)
			}
		})
	}
}

// documented compares the documented list of keys without effect with the program's.
func documented(t *testing.T, program string, idle []string) {
	t.Helper()
	data, err := os.ReadFile("../docs/katago.md")
	require.NoError(t, err)
	var patterns []string
	for _, mark := range []string{"<!-- idle keys -->", "<!-- idle keys of " + program + " -->"} {
		_, list, ok := strings.Cut(string(data), mark)
		require.True(t, ok, mark)
		list, _, _ = strings.Cut(list, "<!--")
		for i, part := range strings.Split(list, "`") {
			if i%2 == 1 {
				patterns = append(patterns, part)
			}
		}
	}
	used := map[string]bool{}
	for _, name := range idle {
		found := false
		for _, p := range patterns {
			if ok, _ := path.Match(p, name); ok {
				used[p], found = true, true
			}
		}
		require.True(t, found, "docs/katago.md does not say that %s has no effect in %s", name, program)
	}
	for _, p := range patterns {
		require.True(t, used[p], "docs/katago.md: %s has its effect in %s", p, program)
	}
}
