package main_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

// serverJS starts the server's worker, without the page, and says hello. After that command(t, d)
// sends a command and returns the event that answers it.
const serverJS = `new Promise((ready) => {
	const worker = new Worker(%q), line = new MessageChannel(), waiting = new Map();
	let n = 0;
	window.worker = worker;
	window.command = (t, d) => new Promise((done) => {
		const id = "c" + ++n;
		waiting.set(id, done);
		line.port1.postMessage(JSON.stringify({ t, id, d }));
	});
	line.port1.onmessage = (e) => {
		if (e.data === 0) return command("hello", { api: [1], client: String(Math.random()) }).then(() => ready(""));
		const m = JSON.parse(e.data);
		waiting.get(m.re)?.(m);
		waiting.delete(m.re);
	};
	worker.onmessage = (e) => {
		if (e.data.t === "failed") ready(e.data.why);
		if (e.data.t === "owned") worker.postMessage({ t: "crashes", n: 0 });
		if (e.data.t === "answer") window.answered?.(e.data);
	};
	worker.postMessage({ t: "attend" }, [line.port2]);
})`

// startServer makes a tab run only the server. It returns why the server did not start, or "".
func startServer(t *testing.T, b *browsertest.Tab, address string) string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(testshared.Checkout(t), "bin/site/assets/worker-*.js"))
	require.NoError(t, err)
	require.Len(t, scripts, 1)
	b.Do(chromedp.Navigate(address + "assets/licences.txt"))
	return browsertest.JS[string](b, fmt.Sprintf(serverJS, filepath.Base(scripts[0])))
}

// serverAlone opens a browser with one tab, which runs only the server.
func serverAlone(t *testing.T) *browsertest.Tab {
	t.Helper()
	testshared.Long(t)
	t.Parallel()
	b := browsertest.Open(t)
	require.Empty(t, startServer(t, b, site(t).URL+"/some/path/"))
	return b
}

// event is the answer to a command.
type event struct {
	T string
	D struct {
		ID, Code, Text string
		Rev            int
		Setup          []string
	}
}

func command(b *browsertest.Tab, name, data string) event {
	b.T.Helper()
	return browsertest.JS[event](b, fmt.Sprintf(`command(%q, %s)`, name, data))
}

var kills = flag.Int("kills", 8, "how often TestKilledTab closes the tab")

// TestKilledTab closes the tab at random moments while stones are placed: every acknowledged stone
// is on the board after a restart.
func TestKilledTab(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	address := s.URL + "/some/path/"
	seed := testshared.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate("about:blank"))
	var game string
	var mu sync.Mutex
	var placed []string
	for round := range *kills {
		tab, closeTab := b.Beside()
		chromedp.ListenTarget(tab.Ctx, func(e any) {
			if said, ok := e.(*runtime.EventConsoleAPICalled); ok && len(said.Args) == 1 {
				mu.Lock()
				placed = append(placed, strings.Trim(string(said.Args[0].Value), `"`))
				mu.Unlock()
			}
		})
		require.Empty(t, startServer(t, tab, address))
		row := round%8 + 1
		if row == 1 {
			game = command(tab, "game.new", `{ size: [19, 19], rules: "chinese", handicap: 90, free: true, colour: "b" }`).D.ID
			require.NotEmpty(t, game)
		}
		now := command(tab, "watch", fmt.Sprintf(`{ what: "game:%s" }`, game))
		require.Equal(t, "ok", now.T, now.D.Text)
		mu.Lock()
		var acknowledged []string
		for _, stone := range placed {
			if name, of := strings.CutPrefix(stone, game+" "); of {
				acknowledged = append(acknowledged, name)
			}
		}
		before := len(placed)
		mu.Unlock()
		require.Subset(t, append([]string{""}, now.D.Setup...), acknowledged, "what was acknowledged")
		tab.Do(chromedp.Evaluate(fmt.Sprintf(`(async () => {
			for (let i = 0, rev = %d; i < 10; i++) {
				const stone = "ABCDEFGHJK"[i] + %d;
				const e = await command("game.play", { game: %q, rev, move: stone });
				if (e.t === "ok") { console.log(%[3]q + " " + stone); rev++; }
			}
		})()`, now.D.Rev, row, game), nil))
		stones := before + r.IntN(9)
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(placed) >= stones
		}, 10*time.Minute, time.Millisecond)
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond) // so that the tab closes during the next command
		closeTab()
	}
	require.NotEmpty(t, placed)
}

// TestFullTab: on a full disk a move is refused and changes nothing; it succeeds once there is
// room. If there is no room at all, the server does not start, and says why.
func TestFullTab(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	address := s.URL + "/some/path/"
	b := browsertest.Open(t)
	full, room := storage.OverrideQuotaForOrigin(s.URL).WithQuotaSize(1), storage.OverrideQuotaForOrigin(s.URL)
	b.Do(chromedp.Navigate(address+"assets/licences.txt"), full)
	require.Contains(t, startServer(t, b, address), "No space left on device")
	b.Do(room)
	require.Empty(t, startServer(t, b, address))
	game := command(b, "game.new", `{ size: [19, 19], rules: "chinese", handicap: 90, free: true, colour: "b" }`).D.ID
	setup := func() []string { return command(b, "watch", fmt.Sprintf(`{ what: "game:%s" }`, game)).D.Setup }
	play := func(rev int) event {
		stone := fmt.Sprintf("%c%d", "ABCDEFGHJKLMNOPQRST"[rev%19], 1+rev/19)
		return command(b, "game.play", fmt.Sprintf(`{ game: %q, rev: %d, move: %q }`, game, rev, stone))
	}
	require.Equal(t, "ok", play(0).T)
	b.Do(full)
	placed, refused := 1, play(1)
	for ; refused.T == "ok" && placed < 80; refused = play(placed) { // the new quota takes effect after some seconds
		placed++
		time.Sleep(500 * time.Millisecond)
	}
	require.Equal(t, "not_saved", refused.D.Code, refused.D.Text)
	require.Len(t, setup(), placed)
	b.Do(room)
	require.Equal(t, "ok", play(placed).T)
	require.Empty(t, startServer(t, b, address))
	require.Len(t, setup(), placed+1)
}

// TestNoNetworkFile: a file without a network gets a one-line error and is not kept.
func TestNoNetworkFile(t *testing.T) {
	b := serverAlone(t)
	for name, body := range map[string]string{"a.bin.gz": "no network", "b.onnx": "", "c.txt.gz": "\x1f\x8b broken", "d.exe": "MZ"} {
		answer := browsertest.JS[struct {
			Status int
			Text   string
		}](b, fmt.Sprintf(`new Promise((done) => {
			window.answered = (m) => done({ status: m.status, text: new TextDecoder().decode(m.body) });
			worker.postMessage({ t: "request", id: 1, method: "PUT", path: "/api/networks/%s", headers: [], body: new TextEncoder().encode(%q) });
		})`, name, body))
		require.Equal(t, 200, answer.Status, name)
		require.Contains(t, answer.Text, `"error":"`, name)
		require.NotContains(t, answer.Text, `\n`, name)
	}
	list := browsertest.JS[[]string](b, `command("watch", { what: "networks" }).then((e) => [...e.d.networks, ...e.d.jobs].map((n) => n.name))`)
	require.Equal(t, []string{"kosumi (built in)"}, list)
}

// eventually waits until the promise of an expression resolves to true.
func eventually(b *browsertest.Tab, expression string) {
	b.T.Helper()
	require.True(b.T, browsertest.JS[bool](b, `(async () => {
		for (let i = 0; i < 1500; i++) {
			if (await (`+expression+`)) return true;
			await new Promise((later) => setTimeout(later, 200));
		}
		return false;
	})()`), expression)
}

// TestReviewInTab reviews a game and gets one of its mistakes as a problem to solve.
func TestReviewInTab(t *testing.T) {
	b := serverAlone(t)
	reviewed(b)
	eventually(b, `command("player.names", { mine: ["Ann"], others: ["Ben"] }).then((e) => e.t === "ok")`)
	next := browsertest.JS[struct {
		T string
		D struct{ Problem struct{ Size []int } }
	}](b, `command("drill.next", {})`)
	require.Equal(t, "ok", next.T)
	require.Equal(t, []int{9, 9}, next.D.Problem.Size)
}

// reviewed makes the server of a tab review a game with mistakes, and waits for the review's end.
func reviewed(b *browsertest.Tab) {
	const spoilt = "(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]PB[Ann]PW[Ben]RE[W+R];B[ee];W[cc];B[gc];W[cg];B[gg];W[ce];B[dd];W[cd];B[dc];W[cb];B[df];W[dg];B[ef];W[eg];B[fg];W[fh];B[gh];W[eh];B[ff];W[db])"
	b.Do(chromedp.Evaluate(fmt.Sprintf(`worker.postMessage({ t: "request", id: 1, method: "POST", path: "/api/import?to=review", headers: ["Content-Type", "text/plain"], body: new TextEncoder().encode(%q) })`, spoilt), nil))
	eventually(b, `command("watch", { what: "reviews" }).then((e) => { const r = e.d.reviews[0]; if (r?.state === "refused") throw new Error(r.why); return r?.state === "done" && r.worst.length > 0; })`)
}

// TestLifeInTab stops a question about life and death that would take ten minutes: the search
// occupies the tab's only thread, but the command to stop is received.
func TestLifeInTab(t *testing.T) {
	b := serverAlone(t)
	doc := command(b, "doc.new", `{ size: [19, 19], sgf: "(;SZ[19]AB[pd][dp][pp][dd][jj][jd][dj]AW[qf][nc][cf][fc][cn][fq][nq][qn])" }`).D.ID
	require.NotEmpty(t, doc)
	asked := browsertest.JS[int](b, fmt.Sprintf(`command("life.ask", { doc: %q, node: 0, stones: ["Q16"], assume: [], seconds: 600 }).then((e) => e.d.ask)`, doc))
	require.NotZero(t, asked)
	busy := `command("watch", { what: "life" }).then((e) => e.d.busy)`
	require.True(t, browsertest.JS[bool](b, busy))
	require.Equal(t, "ok", command(b, "life.stop", fmt.Sprintf(`{ ask: %d }`, asked)).T)
	eventually(b, busy+`.then((b) => !b)`)
}
