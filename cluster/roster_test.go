package cluster

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
)

// TestRosterRemembers: a worker that is banned stays so after a restart.
func TestRosterRemembers(t *testing.T) {
	dir := t.TempDir()
	open := func() *roster {
		r, err := openRoster(dir, slog.New(slog.DiscardHandler), time.Now)
		require.NoError(t, err)
		return r
	}
	r := open()
	for _, id := range []string{"good", "bad"} {
		r.join(id, Card{Name: id})
	}
	r.ban("bad", "garbage")
	r.ban("nobody", "it is not here")
	r.saveBanned()
	require.Equal(t, map[string]string{"bad": "garbage"}, open().banned)
}

// TestRosterMakesRoom: silent workers are removed first, then an eighth of those without a game.
func TestRosterMakesRoom(t *testing.T) {
	now := time.Now()
	r := &roster{log: slog.New(slog.DiscardHandler), now: func() time.Time { return now }, members: map[string]*member{}}
	r.join("gone", Card{})
	now = now.Add(11 * time.Minute)
	for i := range 16 {
		r.join(fmt.Sprint(i), Card{})
		now = now.Add(time.Second)
	}
	require.True(t, r.dropIdle())
	require.Len(t, r.members, 16)
	require.NotContains(t, r.members, "gone")
	require.True(t, r.dropIdle())
	require.Len(t, r.members, 14)
	require.NotContains(t, r.members, "0")
	for _, m := range r.members {
		m.games.Gating = 1
	}
	require.False(t, r.dropIdle())
}

// TestJudges: the most recently used networks stay open, and one in use stays open until it is
// released.
func TestJudges(t *testing.T) {
	closed := make(chan string, 8)
	js := judges{open: func(path string) (nn.Evaluator, func(), error) {
		return nil, func() { closed <- filepath.Base(path) }, nil
	}}
	dir, sums := t.TempDir(), map[string]string{}
	offer := func(name string) {
		path := filepath.Join(dir, name)
		if sums[name] == "" {
			require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		}
		f, err := js.offer(path, nil)
		require.NoError(t, err)
		require.Equal(t, name, f.Name)
		sums[name] = f.SHA256
	}
	for _, name := range []string{"a", "b", "a"} {
		offer(name)
	}
	used := js.of(sums["b"])
	for _, name := range []string{"c", "d", "e", "a", "f"} {
		offer(name)
	}
	require.Equal(t, "c", <-closed)
	require.Nil(t, js.of(sums["b"]))
	require.Nil(t, js.of(""))
	require.Empty(t, closed)
	used.users.Done()
	require.Equal(t, "b", <-closed)
	require.Equal(t, sums["a"], js.exam(sums["a"]).SHA256)
	js.close()
	require.Len(t, closed, 4)
}
