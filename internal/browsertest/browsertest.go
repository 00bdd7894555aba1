// Package browsertest drives a real browser, Chromium without a window, for
// tests of pages.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// Tab is one tab of a browser of its own. Its methods fail the test.
type Tab struct {
	T   *testing.T
	Ctx context.Context // chromedp's

	mu         sync.Mutex
	said, away []string
}

// Open starts a browser with one empty tab; where none is installed the test is
// skipped, or fails in CI. options are added to chromedp's.
func Open(t *testing.T, options ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	testshared.Slow(t)
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
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), append(all, options...)...)
	t.Cleanup(stop)
	// chromedp does not know every event of a newer browser, and says so.
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 30*time.Minute)
	t.Cleanup(stop)
	b := &Tab{T: t, Ctx: ctx}
	chromedp.ListenTarget(ctx, b.hear)
	b.Do(network.Enable(), page.Enable())
	return b
}

// hear notes what a page should not do.
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

// Clean fails the test if a script of the page failed or wrote to the console, or
// if the page has asked another host for anything.
func (b *Tab) Clean() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.T, b.said, "errors of scripts")
	require.Empty(b.T, b.away, "requests to elsewhere")
}

// Do runs actions of chromedp.
func (b *Tab) Do(actions ...chromedp.Action) {
	b.T.Helper()
	require.NoError(b.T, chromedp.Run(b.Ctx, actions...))
}

// JS evaluates an expression of the page; a promise is waited for.
func JS[T any](b *Tab, expression string) T {
	b.T.Helper()
	var v T
	b.Do(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// Until waits for an expression to become true, also while pages are loaded.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	end := time.Now().Add(2 * time.Minute)
	for {
		err := chromedp.Run(b.Ctx, chromedp.Poll("!!("+expression+")", nil, chromedp.WithPollingTimeout(time.Until(end)), chromedp.WithPollingInterval(30*time.Millisecond)))
		if err == nil {
			return
		}
		if (strings.Contains(err.Error(), "context") || strings.Contains(err.Error(), "navigated")) && b.Ctx.Err() == nil && time.Now().Before(end) {
			time.Sleep(30 * time.Millisecond) // the page that was asked is gone
			continue
		}
		b.T.Fatalf("%v: %s; the page says %q", err, expression, JS[string](b, "document.body.innerText.slice(0, 600)"))
	}
}

// Button is an expression for the button with a text.
func Button(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === %q)`, text)
}

// Press clicks a button, by its text, once it can be clicked.
func (b *Tab) Press(text string) {
	b.T.Helper()
	b.Until(Button(text) + ` && !` + Button(text) + `.disabled`)
	b.Do(chromedp.Evaluate(Button(text)+".click()", nil))
}

// Axe runs axe-core on the page; it lets no serious fault through.
func (b *Tab) Axe(screen string) {
	b.T.Helper()
	source, err := os.ReadFile(filepath.Join(testshared.Checkout(b.T), "testdata/axe/node_modules/axe-core/axe.min.js"))
	if err != nil {
		testshared.Absent(b.T, "axe-core is not installed (make deps-test): %v", err)
	}
	b.Do(chromedp.Evaluate(string(source)+";0", nil))
	require.Empty(b.T, JS[[]string](b, `axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`), "%s", screen)
}
