//go:build unix

package web

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/reviews"
	"kosumi/web/store"
)

// TestServedFiles puts links, pipes, folders and files of excessive size in place of files. None of
// them is sent, no request hangs, and the lists name documents and games that cannot be read.
func TestServedFiles(t *testing.T) {
	needHandout(t)
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("(;SZ[9]C[a secret])"), 0o600))
	s := serve(t, filepath.Join(dir, "home"))
	c := join(t, s)
	upload(t, s, "?to=review", map[string]string{"a.sgf": "(;SZ[5]KM[7.5]RU[Chinese];B[cc];W[bb])"})
	list := ask[api.Reviews](c, "watch", api.Watch{What: "reviews"})
	until(c, "reviews.state", func(r *api.Reviews) bool { list = *r; return len(r.Reviews) == 1 && r.Reviews[0].State == reviews.Done })
	get := func(path string) (int, string) {
		req, err := http.NewRequest("GET", s.Address()+"api/"+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.access.Keys.Token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	id := list.Reviews[0].Review
	home := s.conf.Folder
	kinds := map[string]func(path string) error{
		"a link out":         func(p string) error { return os.Symlink(secret, p) },
		"a link by ..":       func(p string) error { return os.Symlink("../../secret", p) },
		"a link to a link":   func(p string) error { return os.Symlink(filepath.Join(dir, "hop"), p) },
		"a link inside":      func(p string) error { return os.Symlink(filepath.Join(home, "token"), p) },
		"a link to a device": func(p string) error { return os.Symlink("/dev/zero", p) },
		"a pipe":             func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"a folder":           func(p string) error { return os.Mkdir(p, 0o700) },
		"a huge file": func(p string) error {
			f, err := os.Create(p)
			if err == nil {
				err = f.Truncate(1 << 40)
				f.Close()
			}
			return err
		},
	}
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "hop")))
	for kind, lay := range kinds {
		t.Run(kind, func(t *testing.T) {
			for _, ext := range []string{".html", ".sgf", ".json"} {
				path := filepath.Join(s.conf.Reviews, id+ext)
				code, whole := get("reviews/" + id + ext)
				require.Equal(t, 200, code)
				require.NoError(t, os.Remove(path))
				require.NoError(t, lay(path))
				code, body := get("reviews/" + id + ext)
				require.Equal(t, 404, code, ext)
				require.NotContains(t, body, "secret")
				require.NoError(t, os.Remove(path))
				require.NoError(t, os.WriteFile(path, []byte(whole), 0o644))
			}
			doc, game := store.NewID(), store.NewID()
			require.NoError(t, lay(s.folder.Path("docs", doc, ".sgf")))
			require.NoError(t, lay(s.folder.Path("games", game, ".jsonl")))
			for _, path := range []string{"docs/" + doc, "games/" + game} {
				code, body := get(path + ".sgf")
				require.Equal(t, 404, code, path)
				require.NotContains(t, body, "secret")
			}
			docs := ask[api.Docs](c, "watch", api.Watch{What: "docs"})
			require.Len(t, docs.Unread, 1, kind)
			require.NotContains(t, docs.Unread[0].Why, "secret)")
			require.Len(t, ask[api.Games](c, "watch", api.Watch{What: "games"}).Unread, 1, kind)
			require.NoError(t, os.Remove(s.folder.Path("docs", doc, ".sgf")))
			require.NoError(t, os.Remove(s.folder.Path("games", game, ".jsonl")))
		})
	}
	for _, path := range []string{"reviews/..%2f..%2fsecret.html", "reviews/records%2f" + id + ".sgf", "reviews/" + id + "%00.html", "docs/..%2ftoken.sgf", "games/%2e%2e%2ftoken.sgf", "reviews/.html", "reviews/" + id + ".txt"} {
		code, body := get(path)
		require.Equal(t, 404, code, path)
		require.NotContains(t, body, "secret")
	}
	require.Equal(t, "(;SZ[9]C[a secret])", testshared.Read(t, secret), "nothing was written through a link")

	// Links to folders that the owner has moved elsewhere are followed.
	moved := filepath.Join(dir, "moved")
	require.NoError(t, os.Rename(filepath.Join(home, "docs"), moved))
	require.NoError(t, os.Symlink(moved, filepath.Join(home, "docs")))
	mine := ask[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{9, 9}}).ID
	code, _ := get("docs/" + mine + ".sgf")
	require.Equal(t, 200, code)
}
