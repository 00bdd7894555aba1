//go:build figures

package main_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

// TestFigures measures the time from the first stone to its answer, the time to analyse a game's
// positions with different numbers of workers, and the memory of the page's process after a game
// and a review.
func TestFigures(t *testing.T) {
	s, wire := counted(t)
	for _, mbit := range []int64{0, 8} {
		p := browsertest.Open(t)
		wire.speed.Store(mbit * 1e6 / 8)
		for _, cache := range []string{"empty", "warm"} {
			began, spent, sent := time.Now(), processor(t, p), wire.sent.Load()
			p.Do(chromedp.Navigate(s.URL))
			p.Enter()
			entered := time.Since(began)
			p.Point("E5")
			p.Until(`document.querySelectorAll(".moves li").length === 2`)
			fmt.Printf("%s cache, %d Mbit/s (0: no limit): %.1f s to the board, %.1f s to the answer of the first stone, %.1f s of the processor's time in the page, %.2f MB\n",
				cache, mbit, entered.Seconds(), time.Since(began).Seconds(), processor(t, p)-spent, float64(wire.sent.Load()-sent)/1e6)
			p.Until(`navigator.serviceWorker.controller`)
		}
		fmt.Printf("the page's process after a move: %.0f MB\n", megabytes(t, p))
	}
	dir := installed(t)
	for _, game := range []struct{ size, moves, visits int }{{9, 60, 100}, {19, 200, 16}} {
		for workers := 1; workers <= 2; workers++ {
			b := openPackage(t, dir, "/")
			spent := processor(t, b)
			seconds := browsertest.JS[float64](b, fmt.Sprintf(gameJS, game.size, game.moves, game.visits, workers))
			spent = processor(t, b) - spent
			visits := float64((game.moves + 1) * game.visits)
			fmt.Printf("%dx%d, %d moves, %d visits each, %d workers: %.0f s (%.0f visits a second), %.0f s of the processor's time (%.0f visits a second of it), %.0f MB\n",
				game.size, game.size, game.moves, game.visits, workers, seconds, visits/seconds, spent, visits/spent, megabytes(t, b))
		}
	}
	b := browsertest.Open(t)
	require.Empty(t, startServer(t, b, s.URL+"/"))
	reviewed(b)
	fmt.Printf("the page's process after a game and its review: %.0f MB\n", megabytes(t, b))
}

// gameJS analyses all positions of a game in which each side fills half of the board, and returns
// the time in seconds.
const gameJS = `import("/package/kosumi.mjs").then(async ({ Kosumi }) => {
	const size = %d, count = %d, maxVisits = %d, workers = %d, moves = [];
	const left = Math.ceil(size / 2);
	for (let i = 0; i < count; i++) {
		const width = i %% 2 ? size - left : left, p = (7 * (i >> 1)) %% (size * width);
		moves.push(["BW"[i %% 2], "ABCDEFGHJKLMNOPQRST"[p %% width + (i %% 2) * left] + (1 + Math.floor(p / width))]);
	}
	const kosumi = await Kosumi.open({ workers }), analysis = kosumi.analysis();
	const began = performance.now();
	await analysis.query({ moves, rules: "tromp-taylor", boardXSize: size, boardYSize: size, maxVisits, analyzeTurns: [...Array(count + 1).keys()] });
	return (performance.now() - began) / 1000;
})`

// renderers are the processes that show pages.
func renderers(t *testing.T, b *browsertest.Tab) []*systeminfo.ProcessInfo {
	t.Helper()
	all, err := systeminfo.GetProcessInfo().Do(cdp.WithExecutor(b.Ctx, chromedp.FromContext(b.Ctx).Browser))
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(p *systeminfo.ProcessInfo) bool { return p.Type != "renderer" })
}

// processor is the processor time of all renderers in seconds.
func processor(t *testing.T, b *browsertest.Tab) (seconds float64) {
	t.Helper()
	for _, process := range renderers(t, b) {
		seconds += process.CPUTime
	}
	return seconds
}

var proportional = regexp.MustCompile(`(?m)^Pss:\s+(\d+) kB`)

// megabytes is the memory of all renderers.
func megabytes(t *testing.T, b *browsertest.Tab) float64 {
	t.Helper()
	var kilobytes int
	for _, process := range renderers(t, b) {
		n, err := strconv.Atoi(proportional.FindStringSubmatch(testshared.Read(t, fmt.Sprintf("/proc/%d/smaps_rollup", process.ID)))[1])
		require.NoError(t, err)
		kilobytes += n
	}
	return float64(kilobytes) / 1e3
}
