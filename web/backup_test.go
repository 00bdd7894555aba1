package web

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
)

// sent performs a request with the token, and returns the answer. kind, if given, is the type of
// the body.
func sent(t *testing.T, s *Server, method, where string, body []byte, kind ...string) []byte {
	t.Helper()
	req, err := http.NewRequest(method, s.Address()+where, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header = http.Header{"Authorization": {"Bearer " + s.access.Keys.Token}, "Content-Type": kind}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return data
}

func restore(t *testing.T, s *Server, query string, data []byte) (r api.Restored) {
	t.Helper()
	require.NoError(t, json.Unmarshal(sent(t, s, http.MethodPost, "api/restore"+query, data), &r))
	require.NotContains(t, r.Error, "\n")
	return r
}

// files returns the files of a folder with their contents, except empty files such as the lock.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if len(data) > 0 { // skip empty logs, which a restored folder may lack
				all[strings.TrimPrefix(name, dir)] = string(data)
			}
			return err
		}
		return err
	}))
	return all
}

// entry is a file in a ZIP.
type entry struct {
	name, data string
	raw        uint64 // the size that the ZIP states; 0: the true size
	flags      uint16
}

// zipped packs files.
func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Flags: e.flags, Modified: time.Now()}
		var w io.Writer
		var err error
		if e.raw > 0 {
			h.UncompressedSize64, h.CompressedSize64 = e.raw, uint64(len(e.data))
			w, err = z.CreateRaw(h)
		} else {
			w, err = z.CreateHeader(h)
		}
		require.NoError(t, err)
		_, err = io.WriteString(w, e.data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.Bytes()
}

// unzipped returns the files of a ZIP.
func unzipped(t *testing.T, data []byte) (all []entry) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		all = append(all, entry{name: f.Name, data: string(text)})
	}
	return all
}

// manyThings returns a server with two games (one rated and resigned), an analysis, a review, an
// answered problem, names and a lesson.
func manyThings(t *testing.T) *Server {
	t.Helper()
	s := serve(t, t.TempDir())
	fill(t, s)
	return s
}

func fill(t *testing.T, s *Server) {
	t.Helper()
	c := join(t, s)
	begin(c, small("b"))
	finished(t, s, c, engines.Auto, "W+R", fewMoves...)
	c.ask("doc.new", api.NewDoc{SGF: "(;SZ[9]PB[A]PW[B];B[ee]C[my note](;W[cc])(;W[gc]))"}, nil)
	club := toReview(t, s, map[string]string{"club.sgf": spoilt})["club.sgf"].ID
	finishedCard(t, c, club)
	require.Equal(t, "bad_request", c.refused("player.side", api.SaidSide{Review: club, Side: "x"}).Code)
	require.Empty(t, ask[api.You](c, "watch", api.Watch{What: "you"}).Losses)
	c.ask("player.side", api.SaidSide{Review: club, Side: "b"}, nil)
	require.Len(t, ask[api.You](c, "watch", api.Watch{What: "you"}).Losses, 1, "the game without names counts")
	require.Equal(t, "b", finishedCard(t, c, club).You)
	p := ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Day.Problems[0].ID
	c.ask("drill.answer", api.DrillAnswer{ID: p}, nil)
	c.ask("player.names", api.SaidNames{Mine: []string{"Ann"}, Others: []string{"Ben"}}, nil)
	c.ask("lesson.done", api.ID{ID: "capture"}, nil)
}

// TestBackup moves everything, or the games alone, from one program to another. Nothing arrives
// twice, even if the backup is restored again or has grown.
func TestBackup(t *testing.T) {
	t.Parallel()
	from := manyThings(t)
	own := filepath.Join(from.conf.Reviews, "collections")
	require.NoError(t, os.MkdirAll(own, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(own, "By hand.SGF"), []byte("(;SZ[9]AB[ba][bb][ab]AW[ca][cb][cc][bc][ac]PL[W];W[aa]TE[1])"), 0o644))
	data := sent(t, from, http.MethodPost, "api/backup", []byte(`{"theme":"dark"}`))
	dir := t.TempDir()
	to := serve(t, dir)
	join(t, to)
	before := files(t, dir)
	r := restore(t, to, "", data)
	require.Empty(t, r.Error)
	require.Equal(t, before, files(t, dir), "nothing is changed before a yes")
	require.Equal(t, r.All, r.Fresh)
	for kind, n := range map[string]int{"games": 2, "docs": 1, "reviews": 1, "answers": 1, "rest": 2} {
		require.Equal(t, n, r.Fresh[kind], kind)
	}
	require.Greater(t, r.Fresh["problems"], 1, "of the collection and of the review")
	require.False(t, r.Other, "there is nobody else here")
	require.Equal(t, []string{"Ann"}, r.Names)
	require.JSONEq(t, `{"theme":"dark"}`, string(r.Settings))

	require.Equal(t, r.Fresh, restore(t, to, "?do=1", data).Fresh)
	require.Equal(t, map[string]int{"games": 0, "docs": 0, "reviews": 0, "problems": 0, "answers": 0, "rest": 0}, restore(t, to, "?do=1", data).Fresh, "a second time")
	a, b := files(t, from.conf.Folder), files(t, dir)
	for name, want := range a {
		if strings.HasSuffix(name, ".jsonl") && strings.HasPrefix(name, "/games/") || strings.HasPrefix(name, "/docs/") || name == "/levels.json" || name == "/profile.json" || name == "/reviews/drills.json" {
			require.Equal(t, want, b[name], name)
		}
	}
	ca, cb := join(t, from), join(t, to)
	require.Equal(t, ask[api.You](ca, "watch", api.Watch{What: "you"}), ask[api.You](cb, "watch", api.Watch{What: "you"}))
	require.Equal(t, ask[api.Profile](ca, "watch", api.Watch{What: "profile"}), ask[api.Profile](cb, "watch", api.Watch{What: "profile"}))
	require.Len(t, ask[api.Reviews](cb, "watch", api.Watch{What: "reviews"}).Reviews, 1)

	// A backup in the other direction restores only the new game.
	begin(cb, small("w"))
	r = restore(t, from, "", sent(t, to, http.MethodPost, "api/backup", nil))
	require.False(t, r.Other)
	require.Equal(t, map[string]int{"games": 1, "docs": 0, "reviews": 0, "problems": 0, "answers": 0, "rest": 0}, r.Fresh)

	// The export contains only games.
	third := serve(t, t.TempDir())
	cc := join(t, third)
	begin(cc, small("b"))
	r = restore(t, third, "?do=1", sent(t, from, http.MethodGet, "api/games.zip", nil))
	require.True(t, r.Other, "somebody has played here")
	require.Equal(t, map[string]int{"games": 2}, r.Fresh)
	require.Len(t, ask[api.Games](cc, "watch", api.Watch{What: "games"}).Games, 3)
}

// TestBackupsMeet plays on in two programs after a backup from one to the other: the ratings count
// each game once, and a continued game replaces its beginning.
func TestBackupsMeet(t *testing.T) {
	t.Parallel()
	here, there := serve(t, t.TempDir()), serve(t, t.TempDir())
	c, d := join(t, here), join(t, there)
	g := begin(c, small("b"))
	rated := func(s *Server, c *client) {
		t.Helper()
		finished(t, s, c, engines.Auto, "W+R", fewMoves...)
		time.Sleep(time.Second) // games that end in the same second would count as one
	}
	rated(here, c)
	restore(t, there, "?do=1", sent(t, here, http.MethodPost, "api/backup", nil))
	require.Equal(t, 1.0, there.games.levels.Curves()[0].Fit.Games)
	rated(here, c)
	rated(there, d)
	rated(there, d)
	old := sent(t, here, http.MethodPost, "api/backup", nil)
	c.play(g, "B2")
	r := restore(t, there, "?do=1", sent(t, here, http.MethodPost, "api/backup", nil))
	require.Equal(t, 2, r.Fresh["games"], "a new one, and more of one")
	require.Equal(t, 4.0, there.games.levels.Curves()[0].Fit.Games)
	more := ask[api.GameState](d, "watch", api.Watch{What: "game:" + g.Game})
	require.NotEmpty(t, more.Moves)
	require.Zero(t, restore(t, there, "?do=1", old).Fresh["games"], "an older backup takes nothing back")
	require.Equal(t, 4.0, there.games.levels.Curves()[0].Fit.Games)
	restore(t, here, "?do=1", sent(t, there, http.MethodPost, "api/backup", nil))
	require.Equal(t, 4.0, here.games.levels.Curves()[0].Fit.Games)
}

// TestBackupQueued: a record that waits for its review keeps its name.
func TestBackupQueued(t *testing.T) {
	from, to := serve(t, t.TempDir()), serve(t, t.TempDir())
	for _, s := range []*Server{from, to} {
		join(t, s).ask("review.pause", api.PauseReviews{Paused: true}, nil)
	}
	id := toReview(t, from, map[string]string{"club.sgf": spoilt})["club.sgf"].ID
	restore(t, to, "?do=1", sent(t, from, http.MethodPost, "api/backup", nil))
	list := ask[api.Reviews](join(t, to), "watch", api.Watch{What: "reviews"}).Reviews
	require.Len(t, list, 1)
	require.Equal(t, []string{id, "club.sgf"}, []string{list[0].Review, list[0].Name})
}

// TestHostileBackups: each backup is refused in one sentence, or its bad files are named and left
// out. The server's folder stays as it is, and nothing outside it changes.
func TestHostileBackups(t *testing.T) {
	t.Parallel()
	good := sent(t, manyThings(t), http.MethodPost, "api/backup", nil)
	all := unzipped(t, good)
	with := func(more ...entry) []byte { return zipped(t, append(append([]entry{}, all...), more...)...) }
	changed := func(in string, f func(data string) string) []byte {
		var list []entry
		for _, e := range all {
			if ok, _ := path.Match(in, e.name); ok {
				e.data = f(e.data)
			}
			list = append(list, e)
		}
		return zipped(t, list...)
	}
	replace := func(old, new string) func(string) string {
		return func(s string) string {
			require.Contains(t, s, old)
			return strings.ReplaceAll(s, old, new)
		}
	}
	game := all[0].name
	for _, e := range all {
		if strings.HasSuffix(e.name, ".jsonl") && strings.HasPrefix(e.name, "games/") {
			game = e.name
		}
	}
	dir := filepath.Join(t.TempDir(), "inner")
	s := serve(t, dir)
	before := files(t, filepath.Dir(dir))
	for _, c := range []struct {
		name    string
		data    []byte
		key     string // key of the refusal's sentence; "": not refused
		damaged string // the file that is left out if the backup is not refused
	}{
		{"nothing", nil, "backup_torn", ""},
		{"no zip", []byte("PK\x03\x04 but no more"), "backup_torn", ""},
		{"torn", good[:len(good)/2], "backup_torn", ""},
		{"torn at the front", good[len(good)/2:], "backup_torn", ""},
		{"a manifest that is none", changed("kosumi.json", func(string) string { return "[" }), "backup_torn", ""},
		{"no version", changed("kosumi.json", replace(`"version":1`, `"version":0`)), "backup_torn", ""},
		{"newer", changed("kosumi.json", replace(`"version":1`, `"version":2`)), "backup_newer", ""},
		{"a name twice", with(all[1]), "backup_odd", ""},
		{"a name twice but for case", with(entry{name: strings.ToUpper(all[1].name), data: "x"}), "backup_odd", ""},
		{"out of the folder", with(entry{name: "../../outside.sgf", data: "x"}), "backup_odd", ""},
		{"out of games", with(entry{name: "games/../../outside.jsonl", data: "x"}), "backup_odd", ""},
		{"an absolute path", with(entry{name: "/tmp/outside", data: "x"}), "backup_odd", ""},
		{"a path of Windows", with(entry{name: `games\..\outside`, data: "x"}), "backup_odd", ""},
		{"a bomb", with(entry{name: "games/" + store.NewID() + ".jsonl", data: "x", raw: 3 << 30}), "backup_large", ""},
		{"many bombs", with(entry{name: "a", data: "x", raw: 1 << 30}, entry{name: "b", data: "x", raw: 1 << 30}, entry{name: "c", data: "x", raw: 1 << 30}), "backup_large", ""},
		{"sizes that overflow", with(entry{name: "a", data: "x", raw: 1<<64 - 10}, entry{name: "b", data: "x", raw: 1 << 63}), "backup_large", ""},
		{"only a picture", zipped(t, entry{name: "me.png", data: "x"}), "zip_empty", ""},
		{"a file larger than it says", with(entry{name: "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl", data: strings.Repeat("x", 1000), raw: 10}), "", "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl"},
		{"a large file of a kind", with(entry{name: "docs/aaaaaaaaaaaaaaaaaaaaaaaaaa.sgf", data: "x", raw: 1 << 30}), "", "docs/aaaaaaaaaaaaaaaaaaaaaaaaaa.sgf"},
		{"a locked file", with(entry{name: "docs/aaaaaaaaaaaaaaaaaaaaaaaaaa.sgf", data: "(;SZ[9];B[ee])", flags: 1, raw: 14}), "", "docs/aaaaaaaaaaaaaaaaaaaaaaaaaa.sgf"},
		{"a damaged byte", changed(game, replace(`"size":[`, `"size":[9`)), "", game},
		{"another's ID", with(entry{name: "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl", data: find(all, game)}), "", "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl"},
		{"a journal of nonsense", with(entry{name: "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl", data: "{}\n"}), "", "games/aaaaaaaaaaaaaaaaaaaaaaaaaa.jsonl"},
		{"a board of nonsense", changed("docs/*", func(string) string { return "%PDF" }), "", "docs/"},
		{"mistakes that are not there", changed("reviews/*.json", replace(`"mistakes":[`, `"mistakes":[9999,`)), "", "reviews/"},
		{"stones that are missing", changed("reviews/*.json", func(s string) string { return strings.Replace(s, `"stones":".`, `"stones":"`, 1) }), "", "reviews/"},
		{"problems of nonsense", changed("drills.json", func(string) string { return `{"version":1,"problems":[{"width":99}]}` }), "", "drills.json"},
		{"answers of nonsense", changed("drills-answers.jsonl", func(string) string { return `{"id":"x","grade":9}` }), "", "drills-answers.jsonl"},
		{"ratings of nonsense", changed("levels.json", func(string) string { return `{"9x9":{"weights":[1]}}` }), "", "levels.json"},
		{"a profile of nonsense", changed("profile.json", func(string) string { return `{"version":7}` }), "", "profile.json"},
	} {
		for _, query := range []string{"", "?do=1"} {
			if c.key == "" && query != "" {
				continue
			}
			r := restore(t, s, query, c.data)
			require.Equal(t, before, files(t, filepath.Dir(dir)), c.name)
			if c.key != "" {
				require.NotNil(t, r.Say, "%s: %s", c.name, r.Error)
				require.Equal(t, c.key, r.Say.Key, c.name)
				continue
			}
			require.Empty(t, r.Error, c.name)
			require.Len(t, r.Damaged, 1, c.name)
			require.Contains(t, r.Damaged[0], c.damaged, c.name)
		}
	}
	// A confirmed restore takes all files except the damaged one.
	r := restore(t, s, "?do=1", changed("docs/*", func(string) string { return "%PDF" }))
	require.Len(t, r.Damaged, 1)
	require.Equal(t, 2, r.Fresh["games"])
	require.Len(t, ask[api.Games](join(t, s), "watch", api.Watch{What: "games"}).Games, 2)
}

// TestZipOfRecords: the game records in a ZIP that is not a backup become documents.
func TestZipOfRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "inner")
	r := restore(t, serve(t, dir), "?to=doc", zipped(t, entry{name: "a/club.sgf", data: "(;SZ[9];B[ee];W[cc])"}, entry{name: "../evil.sgf", data: "(;SZ[9];B[aa])"}, entry{name: "bad.SGF", data: "x"}))
	require.Len(t, r.Records, 3)
	require.NotEmpty(t, r.Records[0].ID)
	require.NotEmpty(t, r.Records[1].ID)
	require.Equal(t, "sgf_none", r.Records[2].Say.Key)
	_, err := os.Stat(filepath.Join(filepath.Dir(dir), "evil.sgf"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// find returns the content of a file.
func find(all []entry, name string) string {
	for _, e := range all {
		if e.name == name {
			return e.data
		}
	}
	return ""
}
