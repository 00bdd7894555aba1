package web

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/web/api"
	"kosumi/web/webtest"
)

// Every screen at every size, light and dark, to be looked at one by one:
//
//	go test ./web -run TestScreens -screens FOLDER [-only game,home] [-language ja]
var (
	screensAt  = flag.String("screens", "", "`FOLDER` for pictures of every screen")
	onlyThese  = flag.String("only", "", "`NAMES` of the screens to take, as home,game")
	inLanguage = flag.String("language", "", "`LANGUAGE` of the pictures")
	themes     = flag.String("themes", "light,dark", "`THEMES` to take")
	sizesToSee = flag.String("sizes", "360x640,390x844,844x390,768x1024,1024x768,1280x720,1366x768", "`SIZES` to take")
)

func TestScreens(t *testing.T) {
	if *screensAt == "" {
		t.Skip("with -screens FOLDER")
	}
	require.NoError(t, os.MkdirAll(*screensAt, 0o755))
	s := servePageWith(t, *modelAt, Config{Folder: t.TempDir()})
	p := webtest.Page{Tab: browsertest.Open(t)}
	p.Do(chromedp.Navigate(s.URL()))
	p.Until(`document.querySelector("main.first")`)
	p.Do(chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: %q })); localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 300, tab: "mistakes" })); localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: true, pace: false }))`, *inLanguage), nil))
	take := func(name, path, ready string, then ...chromedp.Action) {
		if *onlyThese != "" && !strings.Contains(","+*onlyThese+",", ","+name+",") {
			return
		}
		for _, text := range strings.Split(*sizesToSee, ",") {
			var width, height int64
			fmt.Sscanf(text, "%dx%d", &width, &height)
			for _, theme := range strings.Split(*themes, ",") {
				p.Do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 1000), emulation.SetTouchEmulationEnabled(width < 1000),
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}), chromedp.Navigate(s.Address()+path))
				p.Until(ready)
				p.Do(then...)
				time.Sleep(500 * time.Millisecond)
				var data []byte
				p.Do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
					data, err = page.CaptureScreenshot().Do(ctx)
					return err
				}))
				require.NoError(t, os.WriteFile(filepath.Join(*screensAt, fmt.Sprintf("%s-%dx%d-%s.png", name, width, height, theme)), data, 0o644))
			}
		}
	}
	take("first", "", `document.querySelector("main.first")`)
	p.Do(emulation.SetDeviceMetricsOverride(1280, 720, 1, false), chromedp.Navigate(s.Address()))
	p.Enter()
	take("home", "", webtest.Home)
	take("new", "new", `document.querySelector("form.new output, form.new .dim")`)
	c := join(t, s)
	game := func(size int, n api.NewGame, moves ...string) string {
		n.Size, n.Rules, n.Colour = [2]int{size, size}, "chinese", "b"
		g := begin(c, n)
		for _, m := range moves {
			if at, err := board.Square(size).ParseVertex(m); err != nil || g.Stones[at] != '.' {
				continue // the engine has been there
			}
			if g = c.play(g, m); g.Phase != "play" {
				break
			}
		}
		return g.Game
	}
	nine := game(9, api.NewGame{Seat: api.Seat{Level: "15k"}, Clock: api.Clock{Kind: "byoyomi", Main: 600, Period: 30, Periods: 3}}, "E5", "G3", "C6", "C3", "G7")
	played := `document.querySelector("main.play .board canvas")`
	take("left", "", webtest.Home)
	take("game", "play/"+nine, played)
	take("more", "play/"+nine, played, chromedp.Evaluate(`document.querySelector(".more-button .tool").click()`, nil))
	big := game(19, api.NewGame{Seat: api.Seat{Visits: 8}}, "D4", "Q16", "D16", "Q4", "K10", "C10", "R10", "F3", "O17")
	take("game19", "play/"+big, played)
	take("place19", "play/"+big, played, chromedp.ActionFunc(func(ctx context.Context) error {
		if browsertest.JS[int](p.Tab, "innerWidth") < 640 {
			time.Sleep(400 * time.Millisecond)
			touch(p, "K4", "K4")
		}
		return nil
	}))
	over := game(9, api.NewGame{Seat: api.Seat{Visits: 8}}, "E5", "A1", "J9", "G3", "C6", "C3")
	o := ask[api.GameState](c, "watch", api.Watch{What: "game:" + over})
	c.do(&o, "game.resign", api.GameCommand{Game: over, Rev: o.Rev})
	p.Do(chromedp.Navigate(s.Address() + "analyse"))
	p.Until(`document.querySelector("main input[type=file]")`)
	chooseFiles(p, map[string]string{"club game.sgf": strings.Replace(spoiltNine, " <b>", "", 1)})
	p.Until(`document.querySelector("main.analyse")`)
	doc := browsertest.JS[string](p.Tab, "location.pathname")[1:]
	analysed := `Number(document.querySelector(".engine-line")?.dataset.visits) > 200 && !document.querySelector(".sweep-note")`
	take("analyse", doc, analysed)
	take("policy", doc, analysed, chromedp.KeyEvent("3"), chromedp.KeyEvent("2"), chromedp.Sleep(1500*time.Millisecond), chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 300, tab: "mistakes" }))`, nil))
	wide := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[19];B[pd];W[dd];B[pp];W[dp];B[fq];W[cn];B[jp])"}).ID
	take("analyse19", "analyse/"+wide, analysed)
	problem := ask[api.ID](c, "doc.new", api.NewDoc{SGF: cornerRecord}).ID
	take("life", "analyse/"+problem, analysed, chromedp.ActionFunc(func(ctx context.Context) error {
		p.Do(chromedp.Evaluate(`[...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel === "A8 white").focus()`, nil), chromedp.KeyEvent("\r"), chromedp.KeyEvent("i"))
		p.Until(`document.querySelectorAll(".life-card").length === 2`)
		return nil
	}))
	take("boards", "analyse", `document.querySelector(".doc-list a")`)
	p.Do(chromedp.Navigate(s.Address() + "review"))
	p.Until(`document.querySelector("main.reviews input[type=file]")`)
	chooseFiles(p, map[string]string{"club game.sgf": strings.Replace(spoiltNine, " <b>", "", 1)})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	review := browsertest.JS[string](p.Tab, "location.pathname")[1:]
	take("review", review, `document.querySelector("main.review .graph canvas")`)
	ask[api.ID](c, "review.add", api.AddReview{Game: over})
	take("over", "play/"+over, `document.querySelector('.over[data-review="done"]')`)
	take("reviews", "review", `document.querySelector(".review-row")`)
	take("problem", "drills", `document.querySelector("main.drill")`)
	take("settings", "settings", `document.querySelector("main.settings canvas")`)
	for _, id := range []string{nine, big} {
		g := ask[api.GameState](c, "watch", api.Watch{What: "game:" + id})
		c.do(&g, "game.resign", api.GameCommand{Game: id, Rev: g.Rev})
	}
	take("today", "", webtest.Home)
	p.Clean()
}
