// Package browsertest drives a real browser, headless Chromium, in tests of web pages: any page by
// scripts, and the page of the command "engine web" by clicks, as a person would.
package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// Tab is one tab of a browser; it sees nothing that another test's tab has stored. An error in one of
// its methods fails the test.
type Tab struct {
	T   *testing.T
	Ctx context.Context // chromedp's context of the tab

	browser context.Context      // chromedp's context of the browser
	visitor cdp.BrowserContextID // browser context of this test, shared with no other

	mu         sync.Mutex
	said, away []string
}

// shared is the browser of all tests of a package that has called [Main].
var shared struct {
	wanted bool
	mu     sync.Mutex
	ctx    context.Context // nil until started
	stop   func()
}

// atOnce is how many tests run in parallel even on fewer cores, since they mostly wait for pages.
const atOnce = 4

// Main runs a package's tests with one browser for all of them and at least atOnce parallel
// tests. It returns the exit status.
func Main(m *testing.M) int {
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		cores, _ := strconv.Atoi(n.DefValue)
		n.Value.Set(strconv.Itoa(max(atOnce, cores)))
	}
	shared.wanted = true
	defer func() {
		if shared.stop != nil {
			shared.stop()
		}
	}()
	return m.Run()
}

// Open opens an empty tab in the browser that [Main] shares. With options, or without Main, it starts
// a browser for this test alone. If no browser is installed, the test is skipped, or fails in CI.
func Open(t *testing.T, options ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	testshared.Slow(t)
	b := &Tab{T: t}
	if shared.wanted && len(options) == 0 {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.ctx == nil || shared.ctx.Err() != nil {
			shared.ctx, shared.stop = start(t, context.Background())
		}
		b.browser = shared.ctx
		executor := cdp.WithExecutor(b.browser, chromedp.FromContext(b.browser).Browser)
		var err error
		b.visitor, err = target.CreateBrowserContext().Do(executor)
		require.NoError(t, err)
		t.Cleanup(func() { // closes the visitor's tabs too; Chromium may leave this unanswered
			ctx, stop := context.WithTimeout(executor, 10*time.Second)
			defer stop()
			if err := target.DisposeBrowserContext(b.visitor).Do(ctx); err != nil {
				t.Log("the browser keeps the test's tabs:", err)
			}
		})
	} else {
		var stop func()
		b.browser, stop = start(t, t.Context(), options...)
		t.Cleanup(stop)
	}
	b.open()
	return b
}

// Beside opens another tab, which shares cookies and storage with b. stop closes it.
func (b *Tab) Beside() (other *Tab, stop func()) {
	b.T.Helper()
	other = &Tab{T: b.T, browser: b.browser, visitor: b.visitor}
	return other, other.open()
}

// open opens the tab in its own window. It stays open for half an hour, or until the deadline of the
// test if that is later; stop closes it earlier.
func (b *Tab) open() (stop func()) {
	b.T.Helper()
	create := target.CreateTarget("about:blank").WithBrowserContextID(b.visitor).WithNewWindow(true)
	id, err := create.Do(cdp.WithExecutor(b.browser, chromedp.FromContext(b.browser).Browser))
	require.NoError(b.T, err)
	ctx, stop := chromedp.NewContext(b.browser, chromedp.WithTargetID(id))
	b.T.Cleanup(stop)
	end := time.Now().Add(30 * time.Minute)
	if last, ok := b.T.Deadline(); ok && last.After(end) {
		end = last
	}
	var free func()
	b.Ctx, free = context.WithDeadline(ctx, end)
	b.T.Cleanup(free)
	chromedp.ListenTarget(b.Ctx, b.hear)
	// The tab ends with the context of its first Run; [Tab.Do]'s context would end too early.
	require.NoError(b.T, chromedp.Run(b.Ctx, network.Enable(), page.Enable(), emulation.SetFocusEmulationEnabled(true)))
	return stop
}

// start starts a browser and returns its context and a function that ends it.
func start(t *testing.T, parent context.Context, options ...chromedp.ExecAllocatorOption) (context.Context, func()) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		testshared.Absent(t, "no browser is installed (package chromium)")
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(Patience))
	ctx, end := chromedp.NewExecAllocator(parent, append(all, options...)...)
	// chromedp reports events that it does not know as errors; ignore these reports.
	ctx, stop := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	if err := chromedp.Run(ctx); err != nil {
		end()
		t.Fatalf("the browser does not start: %v", err)
	}
	return ctx, func() { stop(); end() }
}

// hear records script errors and console messages of the page, and its requests to other hosts.
func (b *Tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprint(e.Args))
	case *network.EventRequestWillBeSent:
		for _, here := range []string{"http://127.0.0.1:", "file:", "blob:", "data:", "about:"} {
			if strings.HasPrefix(e.Request.URL, here) {
				return
			}
		}
		b.away = append(b.away, e.Request.URL)
	}
}

// Clean fails the test if a script of the page failed or wrote to the console, or if the page
// requested anything from another host.
func (b *Tab) Clean() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.T, b.said, "errors of scripts")
	require.Empty(b.T, b.away, "requests to elsewhere")
}

// Do performs actions; one that does not end fails the test.
func (b *Tab) Do(actions ...chromedp.Action) {
	b.T.Helper()
	ctx, stop := context.WithTimeout(b.Ctx, 2*Patience)
	defer stop()
	require.NoError(b.T, chromedp.Run(ctx, actions...))
}

// JS evaluates an expression in the page once; if the value is a promise, JS waits for it. Use it
// only for values that no longer change.
func JS[T any](b *Tab, expression string) T {
	b.T.Helper()
	var v T
	b.Do(chromedp.Evaluate(expression, &v, awaited))
	return v
}

// Patience bounds each wait for the page: far longer than needed on a slow and busy machine.
const Patience = 5 * time.Minute

// pause is the time between two checks of the page.
const pause = 30 * time.Millisecond

// Until waits for an expression to become true, also while pages are loaded. While the expression
// throws a TypeError, it counts as false.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	end := time.Now().Add(Patience)
	for {
		err := chromedp.Run(b.Ctx, chromedp.Poll("(() => { try { return !!("+expression+"); } catch (e) { if (e instanceof TypeError) return false; throw e; } })()", nil, chromedp.WithPollingTimeout(time.Until(end)), chromedp.WithPollingInterval(pause)))
		if err == nil {
			return
		}
		if away(err) && b.Ctx.Err() == nil && time.Now().Before(end) {
			time.Sleep(pause)
			continue
		}
		b.T.Fatalf("%v: %s; the page says %q", err, expression, JS[string](b, "document.body.innerText.slice(0, 600)"))
	}
}

// away reports whether an expression failed because its page is gone.
func away(err error) bool {
	return strings.Contains(err.Error(), "context") || strings.Contains(err.Error(), "navigated")
}

// Eventually waits until ok holds for the value of an expression, and returns the value. It also waits
// while the expression throws. A failure shows the last value or error, after a message formatted by
// fmt.Sprintf(what...).
//
// A page changes some time after a press, a key, a resize or a message: wait with Until,
// Eventually or Equal rather than reading once.
func Eventually[T any](b *Tab, expression string, ok func(T) bool, what ...any) T {
	b.T.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(pause) {
		var v T
		err := chromedp.Run(b.Ctx, chromedp.Evaluate(expression, &v, awaited))
		if err == nil && ok(v) {
			return v
		}
		if time.Now().After(end) || b.Ctx.Err() != nil {
			said := ""
			if len(what) > 0 {
				said = fmt.Sprintf(fmt.Sprint(what[0])+": ", what[1:]...)
			}
			b.T.Fatalf("%sat last %#v (%v): %s", said, v, err, expression)
		}
	}
}

// Equal waits until an expression has the value want.
func Equal[T any](b *Tab, want T, expression string, what ...any) {
	b.T.Helper()
	Eventually(b, expression, func(v T) bool { return assert.ObjectsAreEqual(want, v) }, what...)
}

// None waits until a list of faults is empty.
func (b *Tab) None(expression string, what ...any) {
	b.T.Helper()
	Eventually(b, expression, func(faults []string) bool { return len(faults) == 0 }, what...)
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams {
	return p.WithAwaitPromise(true)
}

// Button returns a JavaScript expression for the button with the given text.
func Button(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === %q)`, text)
}

// Press clicks a button, by its text, as soon as it can be clicked.
func (b *Tab) Press(text string) {
	b.T.Helper()
	b.Until(Button(text) + ` && !` + Button(text) + `.disabled`)
	b.Do(chromedp.Evaluate(Button(text)+".click()", nil))
}

// Click clicks the first element of a selector as soon as it exists, even outside the screen.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	element := fmt.Sprintf("document.querySelector(%q)", selector)
	b.Until(element)
	b.Do(chromedp.Evaluate(element+".click()", nil))
}

// Picture saves a picture of the tab in the folder $KOSUMI_PICTURES, if set, for people to view.
func (b *Tab) Picture(name string) {
	b.T.Helper()
	if dir := os.Getenv("KOSUMI_PICTURES"); dir != "" {
		var png []byte
		b.Do(chromedp.CaptureScreenshot(&png))
		require.NoError(b.T, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
	}
}

// Axe runs axe-core on the page until it finds no serious fault, since colours may still be
// fading in.
func (b *Tab) Axe(screen string) {
	b.T.Helper()
	source, err := os.ReadFile(filepath.Join(testshared.Checkout(b.T), "testdata/axe/node_modules/axe-core/axe.min.js"))
	if err != nil {
		testshared.Absent(b.T, "axe-core is not installed (make deps-test): %v", err)
	}
	if !JS[bool](b, `"axe" in window`) {
		b.Do(chromedp.Evaluate(string(source)+";0", nil))
	}
	b.None(`axe.run({ resultTypes: ["violations"] }).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`, "%s", screen)
}
