package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// TestWebFullDisk changes a document and a game on a full disk, and kills the program: a refused
// change has no effect, and succeeds once there is room.
func TestWebFullDisk(t *testing.T) {
	testshared.Long(t)
	t.Run("files may not grow", func(t *testing.T) {
		fullDisk(t, t.TempDir(), func(s *webServer) (free func()) {
			set := func(most uint64) {
				require.NoError(t, unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil))
			}
			set(0)
			return func() { set(unix.RLIM_INFINITY) }
		}, nil)
	})
	t.Run("a full file system", func(t *testing.T) {
		dir := t.TempDir()
		if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
			t.Skipf("no file system can be mounted here: %v", err)
		}
		t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
		fullDisk(t, dir, func(*webServer) (free func()) {
			filler := filepath.Join(dir, "filler")
			require.ErrorIs(t, os.WriteFile(filler, make([]byte, 2<<20), 0o600), unix.ENOSPC)
			return func() { require.NoError(t, os.Remove(filler)) }
		}, []string{"full"})
	})
}

func fullDisk(t *testing.T, dir string, fill func(*webServer) (free func()), args []string) {
	server := startWeb(t, dir)
	c := dialWeb(t, server)
	doc := get[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{9, 9}}).ID
	game := get[api.ID](c, "game.new", api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Handicap: 9, Free: true, Colour: "b"}).ID
	note := func(text string) api.TreeOp { return api.TreeOp{Doc: doc, Op: "note", Note: text} }
	play := func(rev int, move string) api.Play { return api.Play{Game: game, Rev: rev, Move: move} }
	get[any](c, "tree.op", note("kept"))
	get[any](c, "game.play", play(0, "C3"))
	free := fill(server)
	kept := []string{"C3"}
	refused, err := c.send("game.play", play(1, "D4"), nil)
	require.NoError(t, err)
	if refused == nil { // the change may still fit into the last block
		kept = append(kept, "D4")
	} else {
		require.Equal(t, "not_saved", refused.Code, refused.Text)
	}
	refused, err = c.send("tree.op", note("on a full disk"), nil)
	require.NoError(t, err)
	require.Equal(t, "not_saved", refused.Code, refused.Text)
	require.True(t, refused.Retry)
	require.Equal(t, args, refused.Args)
	require.Equal(t, "kept", get[api.Doc](c, "watch", api.Watch{What: "doc:" + doc}).Nodes[0].Note)
	server.kill()
	if args != nil { // if args is nil, the limit was one of the process and ended with it
		free()
	}
	server = startWeb(t, dir)
	c = dialWeb(t, server)
	require.Equal(t, "kept", get[api.Doc](c, "watch", api.Watch{What: "doc:" + doc}).Nodes[0].Note)
	now := get[api.GameState](c, "watch", api.Watch{What: "game:" + game})
	require.Equal(t, kept, now.Setup)
	get[any](c, "game.play", play(now.Rev, "G7"))
	free = fill(server)
	refused, err = c.send("tree.op", note("later"), nil)
	require.NoError(t, err)
	require.NotNil(t, refused)
	free()
	get[any](c, "tree.op", note("later"))
	require.Equal(t, "later", get[api.Doc](c, "watch", api.Watch{What: "doc:" + doc}).Nodes[0].Note)
}
