//go:build figures

package web

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
)

// TestFilm makes the moving picture of the README: a game, its largest mistake, the better move.
//
//	go test ./web -tags figures -run TestFilm -pictures docs/images [-model FILE]
func TestFilm(t *testing.T) {
	if *pictures == "" {
		t.Skip("with -pictures FOLDER")
	}
	const width, height = 960, 640
	s := servePageWith(t, *modelAt, Config{Folder: t.TempDir()})
	p := openPage(t, s)
	p.Screen(width, height)
	newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 100}})
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Mine()
	var body []byte
	show := func(ms int) {
		time.Sleep(600 * time.Millisecond) // waits until animations on the page have ended
		var data []byte
		p.Do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
			data, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatWebp).WithQuality(75).Do(ctx)
			return err
		}))
		body = append(body, chunk("ANMF", slices.Concat(make([]byte, 6), bits24(width-1), bits24(height-1), bits24(ms), []byte{0}, bitmap(t, data)))...)
	}
	show(1200)
	for _, v := range []string{"E5", "G3", "C3", "A5", "C6", "G6", "F4", "D7"} { // the fourth is the mistake
		if browsertest.JS[bool](p, `!!document.querySelector('[role=gridcell][aria-label="`+v+`"]')`) { // the point is free
			p.Try(v)
			show(900)
		}
	}
	resign(p)
	p.Until(`document.querySelector(".over")?.dataset.review === "done" && document.querySelector(".story-ends a .chip-loss")`)
	show(3000)
	p.Click(`.story-ends a`)
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	show(2500)
	p.Press("Show better")
	p.Do(chromedp.KeyEvent(kb.End)) // the whole line
	show(4000)
	head := slices.Concat([]byte("WEBP"), chunk("VP8X", slices.Concat([]byte{2, 0, 0, 0}, bits24(width-1), bits24(height-1))), chunk("ANIM", make([]byte, 6))) // the animation repeats for ever
	film := chunk("RIFF", append(head, body...))
	require.Less(t, len(film), 1_000_000)
	require.NoError(t, os.WriteFile(filepath.Join("..", *pictures, "game.webp"), film, 0o644))
}

// chunk is a part of a WebP file, of even length.
func chunk(name string, data []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data))), data...)
	return append(b, make([]byte, len(data)%2)...)
}

func bits24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// bitmap returns the chunk of a WebP file that holds its picture.
func bitmap(t *testing.T, file []byte) []byte {
	for rest := file[12:]; len(rest) > 8; {
		n := 8 + int(binary.LittleEndian.Uint32(rest[4:8])+1)&^1
		if name := string(rest[:4]); name == "VP8 " || name == "VP8L" {
			return rest[:n]
		}
		rest = rest[n:]
	}
	require.Fail(t, "a WebP file without a picture")
	return nil
}
