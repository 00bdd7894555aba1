package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
)

// TestHome: the first screen is never empty. It has a quick game against a named rank, today's
// problems with their state, the last game with its turning point, and the rank's curve. Once the
// problems are done, nothing asks for them.
func TestHome(t *testing.T) {
	looks(t)
	s, p := newPage(t) // newPage answers the first question with "a little", which claims a low rank
	looked := func(name string) { p.Look("home-" + name) }
	const cards = `[...document.querySelectorAll(".home-card")].map((c) => c.innerText).join("\n")`
	p.Until(`document.querySelector(".front-text").innerText.includes("9×9 against Kosumi 25k. Place the first stone.")`)
	p.Until(`/Problems of the day[^]*Begin[^]*0 of 5[^]*The turning point of your first game[^]*Your rank: about 23k\s+From your own answer/.test(` + cards + `)`)
	p.Until(`document.querySelectorAll(".problem-row li").length === 5`)
	p.Until(`![...document.querySelectorAll(".rail a, .rail span")].some((e) => /Networks|Training/.test(e.innerText) || e.className.includes("state"))`)
	looked("new")
	p.Do(chromedp.Navigate(s.Address() + "new"))
	p.Until(`document.querySelector("form.new")?.innerText.includes("Starts at 25k, 2 ranks below you, and adjusts.")`)
	p.Until(`document.querySelector("form.new > .teach-choice select")`) // shown without pressing More
	p.Screen(390, 844)
	p.Picture("new-game-390")

	c := join(t, s)
	n := small("b")
	n.Size, n.Seat = [2]int{9, 9}, api.Seat{Level: "auto"}
	g := begin(c, n)
	require.Equal(t, "25k", g.Seat.Level)
	for i := 0; len(g.Moves) < 25; i++ { // shorter games do not count for the rank
		require.Less(t, i, 81)
		if v := string("ABCDEFGHJ"[i%9]) + fmt.Sprint(9-i/9); g.Legal[i] == '1' {
			g = c.play(g, v)
		}
	}
	c.ask("game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev}, nil)
	c.ask("review.add", api.AddReview{Game: g.Game}, nil)
	p.Do(chromedp.Navigate(s.Address()))
	p.Until(`/You resigned\.[^]*It turned at move \d+: your [A-J][1-9] lost [\d.]+ points/.test(` + cards + `)`)
	p.Until(`/Your rank on 9×9: \d+k/.test(` + cards + `)`)
	looked("after")
	address := browsertest.JS[string](p, `document.querySelector(".last-game").getAttribute("href")`)
	require.Contains(t, address, "/review/"+g.Game+"?m=")

	day := ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Day
	for _, problem := range day.Problems {
		c.ask("drill.answer", api.DrillAnswer{ID: problem.ID}, nil)
	}
	p.Do(chromedp.Reload())
	p.Until(`/All done for today\./.test(` + cards + `) && !document.querySelector("main a[href='/problems/today']")`)
	p.Until(`document.querySelectorAll(".problem-row .missed, .problem-row .right").length === 5 && document.querySelector(".problem-row").parentElement.ariaLabel === "Problems: missed, missed, missed, missed, missed"`)
	looked("done")
	p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	looked("dark")

	p.Do(chromedp.Navigate(s.Address() + "settings"))
	p.Click(`main.settings a[href="/networks"]`)
	p.Until(`document.querySelector("main.networks") && document.querySelector('.rail a[aria-current="page"]').innerText === "Settings"`)
}

// TestHelp: help says how to do common things, leads to them, and lists the shortcuts.
func TestHelp(t *testing.T) {
	looks(t)
	_, p := newPage(t)
	p.Do(chromedp.KeyEvent("?"))
	p.Until(`document.querySelectorAll("dialog[open] .help dt").length === 10 && document.querySelector("dialog[open] .keys")`)
	p.Axe("help")
	p.Screen(390, 844)
	p.NothingSticksOut("help")
	p.Picture("help-390")
	p.Click(`dialog[open] .help a[href="/networks"]`)
	p.Until(`location.pathname === "/networks" && !document.querySelector("dialog[open]")`)
}

// TestFirstWin: the page celebrates the first game won, and no other.
func TestFirstWin(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	komi := -60.0
	for _, first := range []bool{true, false} {
		n := small("b")
		n.Komi = &komi
		newGame(p, s, n)
		phase := p.Mine()
		for phase == "play" { // until White resigns, or both pass
			rev := browsertest.JS[string](p, browsertest.Play+".dataset.rev")
			p.Press("Pass")
			p.Until(browsertest.Play + `.dataset.rev !== "` + rev + `"`)
			phase = p.Mine()
		}
		if phase == "count" {
			p.Press("Agree")
		}
		p.Until(browsertest.Play + `.dataset.phase === "over" && /You won/.test(document.querySelector(".big-result").innerText)`)
		if first {
			p.Until(`document.querySelector(".first-win")?.innerText.includes("Your first win!")`)
			p.Axe("the first win")
			p.Picture("first-win")
		} else {
			p.Until(`!document.querySelector(".first-win")`)
		}
	}
}
