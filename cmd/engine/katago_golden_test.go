package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/katago/config"
)

// asKataGoProgram returns the program under the name katago.
func asKataGoProgram(t testing.TB) string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "katago")
	if err := os.Symlink(built(t), link); err != nil { // copy the program where links are not allowed, as on Windows
		link += ".exe"
		require.NoError(t, os.WriteFile(link, []byte(testshared.Read(t, built(t))), 0o755))
	}
	return link
}

// recorded is the network that KataGo's answers were recorded with.
const recorded = "g170-b6c96-s175395328-d26788732"

// recordedNetwork returns the path of the recordings' network; without the file the test is skipped.
func recordedNetwork(t testing.TB) string {
	t.Helper()
	return testshared.Path(t, "models/katago/"+recorded+".bin.gz")
}

// kataTalk is a conversation with the program as katago.
type kataTalk struct {
	*process
	t     *testing.T
	lines chan string
}

func talk(t *testing.T, dir string, args ...string) *kataTalk {
	t.Helper()
	cmd := exec.Command(asKataGoProgram(t), args...)
	cmd.Dir = dir
	k := &kataTalk{started(t, cmd), t, make(chan string, 1<<12)}
	go func() {
		defer close(k.lines)
		r := bufio.NewReader(k.out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				k.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return k
}

func (k *kataTalk) send(line string) {
	k.t.Helper()
	_, err := io.WriteString(k.in, line+"\n")
	require.NoError(k.t, err, k.stderr.String())
}

// line waits for one line of output, and returns "" at the end of the output.
func (k *kataTalk) line() string {
	k.t.Helper()
	select {
	case l := <-k.lines:
		return l
	case <-time.After(time.Minute):
		require.FailNow(k.t, "no answer", k.stderr.String())
		return ""
	}
}

// until reads lines up to an empty one, inclusive.
func (k *kataTalk) until() string {
	k.t.Helper()
	var b strings.Builder
	for {
		l := k.line()
		b.WriteString(l)
		if l == "\n" || l == "" {
			return b.String()
		}
	}
}

// close ends the input and returns the exit status.
func (k *kataTalk) close() int {
	k.in.Close()
	for range k.lines { // read the remaining output
	}
	return k.ends(k.t)
}

// sameNumbers compares texts word by word, with a small tolerance for numbers.
func sameNumbers(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return slices.EqualFunc(x, y, func(v, w string) bool {
		f, errF := strconv.ParseFloat(strings.Trim(v, "c%("), 64)
		g, errG := strconv.ParseFloat(strings.Trim(w, "c%("), 64)
		return v == w || errF == nil && errG == nil && math.Abs(f-g) <= max(2e-3, 1e-3*math.Abs(g))
	})
}

// asOfToday updates replies recorded from KataGo 1.17.2 to the current release, which adds a
// parameter and an action.
var asOfToday = strings.NewReplacer(
	"1.17.2", config.Release,
	" fillDameBeforePass ", " excludeTerritoryAdjacentToAtari fillDameBeforePass ",
	`"fillDameBeforePass":`, `"excludeTerritoryAdjacentToAtari":"auto","fillDameBeforePass":`,
	`or 'terminate_all'"`, `or 'terminate_all' or 'set_focus'"`,
)

type gtpSession struct {
	ID, Title string
	Config    map[string]string
	Flags     []string
	Files     map[string]string
	Pairs     []struct{ Cmd, Reply, Compare string }
	Exit      int
	Stderr    []string
}

// unlike lists the replies that differ from KataGo's, with the reason.
var unlike = map[string]string{
	"g25 kata-set-param humanSLProfile rank_5k": "KataGo's ends with one empty line too many",
}

// ownWords lists the commands whose replies have our own words, with the reason.
var ownWords = map[string]string{
	"debug_moves": "the board after the moves; no client reads KataGo's tree",
	"printsgf":    "the record that the program writes everywhere, with all that it knows of the game",
}

// TestKataGoGTP runs the program as katago and compares its replies with KataGo's recorded sessions.
func TestKataGoGTP(t *testing.T) {
	needLibrary(t)
	same, all := 0, 0
	for _, s := range testshared.Lines[gtpSession](t, testshared.Path(t, "golden/compat/gtp.jsonl.gz")) {
		t.Run(s.ID, func(t *testing.T) {
			n, own := s.hold(t)
			same, all = same+n, all+len(s.Pairs)-own
		})
	}
	t.Logf("pairs as KataGo has them: %d of %d", same, all)
}

// TestKataGoSessions replays sessions recorded from KataGo 1.17.2. Each covers a fault that this program once had, for
// example in scores of unfinished games, in penalties for repeated patterns, or where a side moves twice.
func TestKataGoSessions(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	recordedNetwork(t)
	for _, s := range testshared.Lines[gtpSession](t, "testdata/katago/sessions.jsonl.gz") {
		t.Run(s.ID, func(t *testing.T) {
			same, own := s.hold(t)
			require.Equal(t, len(s.Pairs), same+own, s.Title)
		})
	}
}

// hold sends the session's commands. It counts replies equal to KataGo's, and replies in our own
// words.
func (s *gtpSession) hold(t *testing.T) (same, own int) {
	dir, model := t.TempDir(), recordedNetwork(t)
	config := "precision = fp32\n"
	for key, value := range s.Config {
		config += key + " = " + value + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gtp.cfg"), []byte(config), 0o644))
	for name, text := range s.Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	k := talk(t, dir, append([]string{"gtp", "-config", "gtp.cfg", "-model", model}, s.Flags...)...)
	for i, p := range s.Pairs {
		p.Reply = asOfToday.Replace(p.Reply)
		k.send(p.Cmd)
		got := s.reply(k, i)
		got = strings.ReplaceAll(got, model, "MODEL")
		ok := got == p.Reply
		switch p.Compare {
		case "numbers":
			ok = sameNumbers(got, p.Reply)
		case "keys":
			ok = (got == "") == (p.Reply == "")
		case "stream":
			ok = strings.SplitN(got, "\n", 2)[0] == strings.SplitN(p.Reply, "\n", 2)[0] && strings.Contains(got, "info") == strings.Contains(p.Reply, "info")
		}
		if word, _, _ := strings.Cut(p.Cmd, " "); ownWords[word] != "" {
			require.Equal(t, p.Reply[0], got[0], "%s: %q", p.Cmd, got)
			own++
			continue
		}
		if why := unlike[s.ID+" "+p.Cmd]; why != "" {
			require.False(t, ok, "%s: no longer unlike KataGo (%s)", p.Cmd, why)
			continue
		}
		require.True(t, ok, "%s (%s)\nwant %q\ngot  %q", p.Cmd, p.Compare, p.Reply, got)
		same++
	}
	require.Equal(t, s.Exit, k.close())
	said := strings.Split(strings.ReplaceAll(k.stderr.String(), model, "MODEL"), "\n")
	for _, line := range s.Stderr {
		if plainLine(line) {
			require.Contains(t, said, asOfToday.Replace(line))
		}
	}
	return same, own
}

// plainLine reports whether a line of stderr has no varying numbers.
func plainLine(line string) bool {
	for _, prefix := range []string{"KataGo", "Using", "Initializing", "Loaded", "Model", "GTP", "Chang", "WARNING"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// reply reads the reply to a command, up to the next reply.
func (s *gtpSession) reply(k *kataTalk, i int) string {
	p := s.Pairs[i]
	streamBefore := i > 0 && s.Pairs[i-1].Compare == "stream"
	if streamBefore { // skip the end of the report that the command stopped
		for l := k.line(); l != "\n"; l = k.line() {
		}
	}
	switch {
	case p.Compare == "stream":
		text := k.line()
		if strings.Contains(p.Reply, "info") {
			text += k.line()
		}
		return text
	case p.Reply == "":
		return ""
	case !strings.HasSuffix(p.Reply, "\n\n") && p.Compare == "exact":
		return k.line()
	}
	text := k.until()
	for range strings.Count(p.Reply, "\n\n=") { // the reply to the search that the command ended comes first
		text += k.until()
	}
	return text
}

// TestPointEvaluation sends the commands with which LizzieYzy Next finds out whether it can offer
// point evaluation: setting, changing and ending the focus of an analysis keeps the tree, and each
// point of the focus gets visits.
func TestPointEvaluation(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gtp.cfg"), []byte("logAllGTPCommunication = false\nlogSearchInfo = false\nnumSearchThreads = 2\nrules = tromp-taylor\n"), 0o644))
	k := talk(t, dir, "gtp", "-config", "gtp.cfg", "-model", realNetwork(t))
	k.send("1 boardsize 9")
	require.Equal(t, "=1 \n\n", k.until())
	k.send("2 play B E5")
	require.Equal(t, "=2 \n\n", k.until())
	number := func(line, key string) int64 {
		_, rest, found := strings.Cut(line, key+" ")
		if !found {
			return 0
		}
		n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		require.NoError(t, err)
		return n
	}
	root, visits := int64(0), map[string]int64{}
	for i, points := range []string{"G3,C7", "A9", "", "J1,A1:2,pass"} {
		id := strconv.Itoa(10 + i)
		command := id + " kata-analyze W interval 10 rootInfo true minmoves 20"
		if points != "" {
			command += " focus " + points + " 0.5"
		}
		k.send(command)
		for l := k.line(); l != "="+id+"\n"; l = k.line() {
			require.NotContains(t, l, "?") // the rest of the previous analysis, without an error
		}
		for reports, seen := 0, false; reports < 3 || !seen; reports++ {
			line := k.line()
			now := number(line, "rootInfo visits")
			require.GreaterOrEqual(t, now, root, command)
			root, seen = now, true
			for point := range strings.SplitSeq(points, ",") {
				if point, _, _ = strings.Cut(point, ":"); point != "" {
					n := number(line, "info move "+point+" visits")
					require.GreaterOrEqual(t, n, visits[point])
					visits[point], seen = n, seen && n > 2
				}
			}
		}
	}
	k.send("20 kata-analyze W interval 10 focus G3 1.5")
	for {
		if l := k.line(); strings.HasPrefix(l, "?20 Could not parse analyze arguments") {
			break
		}
	}
	require.Zero(t, k.close())
}

type analysisCase struct {
	ID, Config, Note string
	Lines, Replies   []string
	Ordered          bool
	Delay            float64
	Compare          string
}

// analyst starts katago analysis as KataGo was started for the golden data, with one additional
// line in its config.
func analyst(t *testing.T, model, line string) *kataTalk {
	t.Helper()
	const config = `numAnalysisThreads = 1
numSearchThreads = 1
maxVisits = 1
logToStderr = true
forDeterministicTesting = true
nnForcedSymmetry = 0
nnRandSeed = golden
wideRootNoise = 0
reportAnalysisWinratesAs = BLACK
nnCacheSizePowerOfTwo = 14
nnMutexPoolSizePowerOfTwo = 10
precision = fp32
`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "CONFIG"), []byte(config+line+"\n"), 0o644))
	return talk(t, dir, "analysis", "-config", "CONFIG", "-model", model)
}

// unlikeAnalysis lists the cases whose values differ from KataGo's, with the reason.
var unlikeAnalysis = map[string]string{
	"a166": "faults of JSON are told in our words, not those of KataGo's parser",
	"a167": "the same",
}

// TestKataGoAnalysis runs the program as katago and compares its answers with KataGo's recorded ones.
func TestKataGoAnalysis(t *testing.T) {
	needLibrary(t)
	model := recordedNetwork(t)
	open := map[string]*kataTalk{"plain": analyst(t, model, ""), "quiet": analyst(t, model, "warnUnusedFields = false")}
	same, all := 0, 0
	for _, c := range testshared.Lines[analysisCase](t, testshared.Path(t, "golden/compat/analysis.jsonl.gz")) {
		all++
		if ok := t.Run(c.ID, func(t *testing.T) { c.check(t, open[c.Config]) }); ok && unlikeAnalysis[c.ID] == "" {
			same++
		}
	}
	t.Logf("cases as KataGo has them: %d of %d", same, all)
	for _, k := range open {
		require.Zero(t, k.close())
		require.Contains(t, k.stderr.String(), "Started, ready to begin handling requests")
	}
}

func (c *analysisCase) check(t *testing.T, k *kataTalk) {
	for i, line := range c.Lines {
		if i > 0 && c.Compare == "volatile" {
			time.Sleep(time.Duration(c.Delay * float64(time.Second)))
		}
		k.send(line)
	}
	var got []string
	if c.Compare == "volatile" { // the number of reports varies
		k.send(`{"id":"end","action":"query_version"}`)
		for final := 0; final < strings.Count(strings.Join(c.Replies, "\n"), `"isDuringSearch":false`) || len(got) == 0 || !strings.Contains(strings.Join(got, ""), `"id":"end"`); {
			l := k.line()
			got = append(got, l)
			final += strings.Count(l, `"isDuringSearch":false`)
		}
		return
	}
	for range c.Replies {
		got = append(got, strings.TrimRight(k.line(), "\n"))
	}
	want := make([]string, len(c.Replies))
	for i, r := range c.Replies {
		want[i] = asOfToday.Replace(r)
	}
	if !c.Ordered {
		slices.SortFunc(got, byTurn)
		slices.SortFunc(want, byTurn)
	}
	for i := range want {
		text := strings.NewReplacer(recordedNetwork(t), "MODEL", `"git_hash":"none"`, `"git_hash":"<omitted>"`).Replace(got[i])
		if c.Compare == "exact" && unlikeAnalysis[c.ID] == "" {
			require.Equal(t, want[i], text)
			continue
		}
		var a, b any
		require.NoError(t, json.Unmarshal([]byte(text), &a), text)
		require.NoError(t, json.Unmarshal([]byte(want[i]), &b))
		require.Equal(t, keysOf(b), keysOf(a), "%s: the same keys", c.Note)
		if c.Compare == "numbers" && unlikeAnalysis[c.ID] == "" {
			require.Empty(t, differ("", a, b), c.Note)
		}
	}
}

func byTurn(a, b string) int {
	turn := func(s string) int {
		var m struct{ TurnNumber int }
		json.Unmarshal([]byte(s), &m)
		return m.TurnNumber
	}
	return turn(a) - turn(b)
}

// keysOf returns the names of a message's fields, without their values.
func keysOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := map[string]any{}
		for name, inner := range v {
			keys[name] = keysOf(inner)
		}
		return keys
	case []any:
		if len(v) > 0 {
			return []any{keysOf(v[0])}
		}
	}
	return nil
}

// differ returns the first place where two messages differ by more than the order of evaluations
// can explain, or "".
func differ(at string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		other, _ := b.(map[string]any)
		for name, inner := range a {
			if d := differ(at+"."+name, inner, other[name]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		other, _ := b.([]any)
		if len(a) != len(other) {
			return fmt.Sprintf("%s: %d and %d entries", at, len(a), len(other))
		}
		for i := range a {
			if d := differ(fmt.Sprintf("%s[%d]", at, i), a[i], other[i]); d != "" {
				return d
			}
		}
		return ""
	case float64:
		other, ok := b.(float64)
		if ok && math.Abs(a-other) <= max(2e-3, 1e-3*math.Abs(other)) {
			return ""
		}
	}
	if a == b {
		return ""
	}
	return fmt.Sprintf("%s: %v and %v", at, a, b)
}
