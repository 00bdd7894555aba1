package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/ui"
)

var placeholder = regexp.MustCompile(`\{\w+\}`)

// pseudo makes a text longer by two fifths, with accented letters and in brackets. On the page, a
// text with only one bracket is cut off, and a text without brackets is untranslated.
func pseudo(text string) string {
	var b strings.Builder
	from := 0
	letters := strings.NewReplacer("a", "å", "e", "é", "i", "î", "o", "ö", "u", "ü", "A", "Å", "E", "É", "I", "Î", "O", "Ö", "U", "Ü", "n", "ñ", "s", "š", "c", "ç")
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		b.WriteString(letters.Replace(text[from:at[0]]) + text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(letters.Replace(text[from:]))
	pad := (2*utf8.RuneCountInString(placeholder.ReplaceAllString(text, "")) + 4) / 5
	return "⟦" + b.String() + strings.Repeat("·", pad) + "⟧"
}

// pseudoPage is the page with the pseudo-language in place of Korean.
func pseudoPage(t *testing.T) fs.FS {
	t.Helper()
	if _, err := os.Stat("ui/dist/index.html"); err != nil {
		testshared.Absent(t, "%v", ui.ErrNotBuilt)
	}
	texts := map[string]string{}
	require.NoError(t, toml.Unmarshal([]byte(testshared.Read(t, "i18n/en.toml")), &texts))
	var list []string // in the order of the keys, as web/ui/build.mjs writes texts
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, pseudo(texts[k]))
	}
	script, err := json.Marshal(list)
	require.NoError(t, err)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, "export default %s", script)
	require.NoError(t, z.Close())
	all := fstest.MapFS{}
	disk := os.DirFS("ui/dist")
	require.NoError(t, fs.WalkDir(disk, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(disk, path)
		if korean, _ := filepath.Match("assets/ko-*.js.gz", path); korean {
			data = packed.Bytes()
		}
		all[path] = &fstest.MapFile{Data: data}
		return err
	}))
	return all
}

// faults lists the texts of a screen that are untranslated or cut off.
const faults = `(() => { const bad = []; const name = /^[\d\W]*$|Kosumi|kernels|built in|Aki|Bo\b|\.sgf|kosumi|\/tmp|SGF|HTML|int|fp|onnx|cpu|[A-T]\d|A1|日本語|中文|한국어|English|^[A-T]$|ctrl|shift|space|PgUp|Home|j k|p u h v|g r o l|^[a-z?,]$|n, shift|×|^[BW][+]/;
	for (const e of document.querySelectorAll("body *")) {
		const style = getComputedStyle(e), r = e.getBoundingClientRect();
		if (!r.width || style.visibility === "hidden" || e.closest("svg,option,.licences")) continue;
		for (const n of e.childNodes) if (n.nodeType === 3 && n.data.trim() && !n.data.includes("⟦") && !n.data.includes("⟧") && !name.test(n.data.trim())) bad.push("English: " + n.data.trim());
		if (e.closest(".sr,.pv,.tree,[role=grid],input,textarea")) continue;
		if (style.overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1 && [...e.childNodes].some((n) => n.nodeType === 3 || n.nodeName === "SPAN" || n.nodeName === "BUTTON")) bad.push("cut: " + e.className + " " + e.innerText.slice(0, 60));
		if (r.right > innerWidth + 1 && !e.closest(".board,.reviews,.moves,.cands,.wide")) bad.push("beyond the edge: " + e.tagName + "." + e.className + " " + e.innerText?.slice(0, 40));
	}
	return [...new Set(bad)]; })()`

// TestPseudoLanguage shows the screens in a language longer than any real one: no text is cut
// off, and no English is left.
func TestPseudoLanguage(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s := servePageWith(t, "", Config{Folder: searched(t), Page: pseudoPage(t)})
	p := openPage(t, s)
	chooseFiles(p, map[string]string{"game.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	review := browsertest.JS[string](p, "location.pathname")
	c := join(t, s)
	game := ask[api.ID](c, "game.new", api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 1}, Clock: api.Clock{Kind: "byoyomi", Main: 600, Period: 30, Periods: 3}}).ID
	doc := ask[api.ID](c, "doc.new", api.NewDoc{Game: game, Size: [2]int{9, 9}}).ID
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "ko" })); localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", other: true, w: 9, h: 9, more: true, handicap: 2, free: true }))`, nil))
	for _, path := range []string{"", "new", "play/" + game, "analyse", "analyse/" + doc, "review", review[1:], "drills", "settings", "learn", "learn/eyes", "problems", "problems/today", "you", "networks"} {
		p.Do(chromedp.Navigate(s.Address() + path))
		p.Until(`document.querySelector("#view main:not([aria-busy])") && document.documentElement.lang === "ko"`)
		if strings.HasPrefix(path, "play/") {
			p.Click(`.more-button .tool`)
		}
		for _, width := range []int64{1280, 390} {
			p.Screen(width, 844)
			p.None(faults, "/%s at %d", path, width)
		}
	}
	p.Click(`nav.rail button`)
	p.Until(`document.querySelector("dialog[open]")`)
	p.None(faults, "keys")
}
