package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kosumi/engine/analysis"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/model"
)

// installed lets npm pack the package and install that archive in a new folder, and returns the folder.
func installed(t *testing.T) string {
	t.Helper()
	from, npm, dir := filepath.Join(folder(t), "../npm"), program(t, "npm"), t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(npm, args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err, args)
		return strings.TrimSpace(string(out))
	}
	archive := run("pack", "--silent", from)
	run("install", "--silent", "--offline", "--no-audit", "--no-fund", "./"+archive)
	return dir
}

// program is the path of an installed program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		testshared.Absent(t, "there is no %s: %v", name, err)
	}
	return path
}

// openPackage opens an empty page that has the package at ./package/ and the page's folder
// at ./site/.
func openPackage(t *testing.T, dir, page string) *browsertest.Tab {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/package/", http.StripPrefix("/package/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules/kosumi")))))
	mux.Handle("/site/", http.StripPrefix("/site/", http.FileServer(http.Dir(folder(t)))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>empty</title>")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate(s.URL + page))
	return b
}

// TestExample plays and analyses in the page that the package contains.
func TestExample(t *testing.T) {
	t.Parallel()
	b := openPackage(t, installed(t), "/package/example.html")
	say := func(move string) {
		b.Until(`!document.getElementById("move").disabled`)
		b.Do(chromedp.Evaluate(fmt.Sprintf(`{ const i = document.getElementById("move"); i.value = %q; i.onchange(); }`, move), nil))
		b.Until(`!document.getElementById("move").disabled`)
	}
	text := func(id string) string {
		return browsertest.JS[string](b, fmt.Sprintf(`document.getElementById(%q).textContent`, id))
	}
	say("E5")
	require.Regexp(t, `^[A-J][1-9]$`, text("state"))
	require.Contains(t, text("board"), "Moves: 2.")
	require.Regexp(t, `^[A-J][1-9] \d+\.\d % \d+ visits`, text("analysis"))
	say("E5")
	require.Equal(t, "illegal move", text("state"))
	say("Z9")
	require.NotEmpty(t, text("state"))
	require.Contains(t, text("board"), "Moves: 2.")
}

// conversationJS talks to the engine, often wrongly, and returns the error or a result of each step.
const conversationJS = `async (Kosumi) => {
	const said = [];
	const fails = async (what) => { try { await what(); said.push("nothing"); } catch (e) { said.push(e.message); } };
	await fails(() => Kosumi.open({ network: new TextEncoder().encode("no network") }).then((k) => k.gtp().command("name").finally(() => k.close())));
	const kosumi = await Kosumi.open({ workers: 1 });
	const gtp = kosumi.gtp({ boardsize: 9, visits: 20 }), analysis = kosumi.analysis();
	await fails(() => gtp.command("fly"));
	await fails(() => gtp.command("name\nname"));
	await fails(() => kosumi.gtp({ boardsize: 99 }).command("name"));
	await fails(() => kosumi.gtp({ visit: 3 }).command("name"));
	await fails(() => kosumi.analysis({ visits: 0 }).query({}));
	await fails(() => analysis.query({ moves: [["B", "Z5"]], rules: "chinese", boardXSize: 9, boardYSize: 9 }));
	const empty = { moves: [], rules: "chinese", boardXSize: 9, boardYSize: 9 };
	await fails(() => Promise.all([analysis.query({ ...empty, id: "a", maxVisits: 3 }), analysis.query({ ...empty, id: "a" })]));
	let during = 0;
	const stopped = analysis.query({ ...empty, id: "long", maxVisits: 1e6, reportDuringSearchEvery: 0.01 }, (r) => {
		if (r.isDuringSearch && ++during === 1) analysis.query({ action: "terminate", terminateId: "long" });
	});
	said.push((await stopped)[0].moveInfos.length > 0 ? "stopped" : "no moves");
	said.push(String((await analysis.query({ ...empty, moves: [["B", "E5"]], analyzeTurns: [0, 1], maxVisits: 3 })).length));
	let lines = 0, enough;
	const many = new Promise((done) => (enough = done));
	const going = gtp.command("kata-analyze 1", (line) => { if (line.startsWith("info ") && ++lines === 2) enough(); });
	await many;
	said.push(await gtp.command("protocol_version"), await going);
	const left = gtp.command("kata-genmove_analyze b");
	gtp.close();
	await fails(() => left);
	await fails(() => gtp.command("name"));
	const second = kosumi.gtp();
	said.push(await second.command("quit"));
	const waits = analysis.query({ ...empty, maxVisits: 1e6 });
	kosumi.close();
	await fails(() => waits);
	return said;
}`

// conversation has patterns of the texts that conversationJS returns, in order.
var conversation = []string{
	`network.bin.gz`, `^unknown command$`, `is not one command$`, `^boardsize: .*a number from 2 to 25`, `^unknown setting visit, did you mean visits\?$`,
	`^visits is 0, must be 1 or more`, `^moves: Could not parse board location: Z5$`, `id a waits already$`, `^stopped$`, `^2$`, `^2$`, `^$`,
	`^the conversation was closed$`, `^the conversation was closed$`, `^$`, `^the engine was closed$`,
}

// TestConversation lets a client speak both protocols, with and without mistakes, in a page and in
// node.
func TestConversation(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	dir := installed(t)
	hears := func(t *testing.T, said []string) {
		require.Len(t, said, len(conversation))
		for i, want := range conversation {
			require.Regexp(t, want, said[i])
			require.NotContains(t, said[i], "\n")
		}
	}
	t.Run("page", func(t *testing.T) {
		b := openPackage(t, dir, "/")
		hears(t, browsertest.JS[[]string](b, `import("/package/kosumi.mjs").then((m) => (`+conversationJS+`)(m.Kosumi))`))
	})
	t.Run("node", func(t *testing.T) {
		var said []string
		inNode(t, dir, `(`+conversationJS+`)(Kosumi)`, nil, &said)
		hears(t, said)
	})
}

// inNode evaluates an expression in node and stores the value in result. The expression may use the
// package's class Kosumi, and the argument given as a variable of that name.
func inNode(t *testing.T, dir, expression string, given, result any) {
	t.Helper()
	input, err := json.Marshal(given)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "given.json"), input, 0o600))
	script := `import { Kosumi } from "kosumi"; import { readFileSync, writeFileSync } from "node:fs";
const given = JSON.parse(readFileSync("given.json")); writeFileSync("result.json", JSON.stringify(await ` + expression + `));`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.mjs"), []byte(script), 0o600))
	cmd := exec.CommandContext(t.Context(), program(t, "node"), "script.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, filepath.Join(dir, "result.json"))), result))
}

// TestEndedWorkers kills the workers of the kernels during a search: new workers replace them, and
// the search is answered.
func TestEndedWorkers(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	var sent atomic.Int64
	files := http.FileServer(http.Dir(filepath.Join(folder(t), "../npm")))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/kernel-worker-") {
			files.ServeHTTP(w, r)
			return
		}
		script, err := os.ReadFile(filepath.Join(folder(t), r.URL.Path))
		if sent.Add(1) <= 3 { // the two workers fail, and so does the first that replaces one of them
			script = append(script, `
{
	const heard = port.onmessage;
	let runs = 0;
	port.onmessage = (e) => {
		if (e.data.calls?.[0]?.[0] === "run" && ++runs > 10) throw new Error("no memory");
		heard(e);
	};
}`...)
		}
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(script)
		assert.NoError(t, err)
	}))
	t.Cleanup(s.Close)
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate(s.URL + "/LICENSE"))
	visits := browsertest.JS[int](b, `import("/kosumi.mjs").then(async ({ Kosumi }) => {
		const kosumi = await Kosumi.open({ workers: 2 });
		const [r] = await kosumi.analysis().query({ moves: [], rules: "chinese", boardXSize: 9, boardYSize: 9, maxVisits: 600 });
		kosumi.close();
		return r.rootInfo.visits;
	})`)
	require.GreaterOrEqual(t, visits, 600)
	require.GreaterOrEqual(t, sent.Load(), int64(4), "workers that were started")
}

// query is a query of KataGo's protocol.
type query struct {
	ID     string          `json:"id"`
	Moves  [][2]string     `json:"moves"`
	Stones [][2]string     `json:"initialStones,omitempty"`
	First  string          `json:"initialPlayer,omitempty"`
	Rules  json.RawMessage `json:"rules"`
	X      int             `json:"boardXSize"`
	Y      int             `json:"boardYSize"`
	Visits int             `json:"maxVisits"`
}

// response holds the fields of a response that the tests read.
type response struct {
	ID        string `json:"id"`
	Error     string `json:"error"`
	MoveInfos []struct {
		Move string `json:"move"`
	} `json:"moveInfos"`
	RootInfo struct {
		Winrate float64 `json:"winrate"`
	} `json:"rootInfo"`
}

func (r *response) first() string {
	if len(r.MoveInfos) == 0 {
		return ""
	}
	return r.MoveInfos[0].Move
}

// recorded returns queries about positions recorded from KataGo, of all sizes and rules: every
// third position, or all if $KOSUMI_COUNT is set. The protocol refuses a few of them, because their
// moves are illegal.
func recorded(t *testing.T) []query {
	t.Helper()
	var all []query
	for i, p := range featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
		if p.InitialPhase == 0 && (os.Getenv("KOSUMI_COUNT") != "" || i%3 == 0) {
			all = append(all, query{ID: p.ID, Moves: append([][2]string{}, p.Moves...), Stones: p.Setup, First: p.InitialPlayer, Rules: p.Rules, X: p.X, Y: p.Y, Visits: 2})
		}
	}
	return all
}

// askJS asks the engine the queries in the array given, and returns the answers. The engine's files
// are in the folder of the last parameter, or beside the package if that is undefined.
const askJS = `async (Kosumi, given, folder) => {
	const kosumi = await Kosumi.open({ folder, repeatable: true });
	const analysis = kosumi.analysis();
	const results = await Promise.all(given.map((q) => analysis.query(q).catch((e) => [{ id: q.id, error: e.message }])));
	kosumi.close();
	return results.map(([r]) => JSON.stringify(r));
}`

// TestAnswers sends recorded queries to node, to the package in a page, and to the page's own
// worker: their answers are equal to the last digit. The native program finds the same best move in
// 99 % of the queries. Its winrates differ slightly: its compiler multiplies and adds in one step,
// which WebAssembly lacks, so that some 16-bit integers are rounded differently. The searches are
// short because trees diverge: after 30 visits one move in ten differs, with nearly the same value.
func TestAnswers(t *testing.T) {
	testshared.Long(t)
	dir, queries := installed(t), recorded(t)
	var node []string
	inNode(t, dir, `(`+askJS+`)(Kosumi, given)`, queries, &node)
	given, err := json.Marshal(queries)
	require.NoError(t, err)
	b := openPackage(t, dir, "/")
	for _, where := range []string{"/package/", "/site/"} {
		page := browsertest.JS[[]string](b, fmt.Sprintf(`import("/package/kosumi.mjs").then((m) => (%s)(m.Kosumi, %s, new URL(%q, location.href)))`, askJS, given, where))
		require.Equal(t, node, page, where)
	}
	native := natively(t, queries)
	count, same, off, most := 0.0, 0.0, 0.0, 0.0
	for i, text := range node {
		var r response
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		require.Equal(t, queries[i].ID, r.ID)
		want := native[r.ID]
		require.Equal(t, want.Error == "", r.Error == "", "%s: %s, %s", r.ID, want.Error, r.Error)
		if r.Error != "" {
			continue
		}
		if count++; r.first() == want.first() {
			same++
		}
		d := math.Abs(r.RootInfo.Winrate - want.RootInfo.Winrate)
		off, most = off+d, max(most, d)
	}
	off /= count
	t.Logf("%v queries, %v first moves the same as the program's, winrates off by %.1e (worst %.1e)", count, same, off, most)
	require.Greater(t, count, 100.0)
	require.GreaterOrEqual(t, same, 0.99*count)
	require.Less(t, off, 1e-3)
	require.Less(t, most, 2e-2)
}

// natively answers the queries in this process, like a tab opened with repeatable: true.
func natively(t *testing.T, queries []query) map[string]response {
	t.Helper()
	m, err := model.Open("", model.Config{Provider: model.Kernel, Precision: "auto"})
	require.NoError(t, err)
	net, err := nn.NewServer(m, nn.ServerConfig{Sessions: 1, MaxBatch: 8, FixedSymmetry: true, Reproducible: true})
	require.NoError(t, err)
	defer net.Close()
	conf := analysis.Defaults()
	conf.Threads, conf.Search.Seed, conf.Search.Parallel.Workers = 1, 1, 1
	server, err := analysis.New(conf, net, nil)
	require.NoError(t, err)
	var in, out strings.Builder
	for _, q := range queries {
		line, err := json.Marshal(q)
		require.NoError(t, err)
		in.Write(append(line, '\n'))
	}
	require.NoError(t, server.Serve(context.Background(), strings.NewReader(in.String()), &out))
	all := map[string]response{}
	for line := range strings.Lines(out.String()) {
		var r response
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		all[r.ID] = r
	}
	return all
}
