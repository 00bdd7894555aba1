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

// TestRosterRemembers: who is banned and who was found right is known after a restart;
// one that is banned is no longer taken to be right.
func TestRosterRemembers(t *testing.T) {
	dir := t.TempDir()
	open := func() *roster {
		r, err := openRoster(dir, slog.New(slog.DiscardHandler), time.Now)
		require.NoError(t, err)
		return r
	}
	r := open()
	for _, id := range []string{"good", "fallen", "bad"} {
		r.join(id, Card{Name: id})
	}
	r.prove("good")
	r.prove("fallen")
	r.ban("fallen", "it lies")
	r.ban("bad", "garbage")
	r.ban("nobody", "it is not here")
	r.saveBanned()

	r = open()
	require.Equal(t, map[string]string{"fallen": "it lies", "bad": "garbage"}, r.banned)
	for _, id := range []string{"good", "new"} {
		r.join(id, Card{})
	}
	require.True(t, r.members["good"].proven())
	require.False(t, r.members["new"].proven())
	require.NotContains(t, r.proven, "fallen")
}

// TestRosterMakesRoom: those go first that were not heard of for long, then an eighth of
// those that have done nothing; the server's own worker stays.
func TestRosterMakesRoom(t *testing.T) {
	now := time.Now()
	r := &roster{log: slog.New(slog.DiscardHandler), now: func() time.Time { return now }, members: map[string]*member{}, trusted: "own"}
	for _, id := range []string{"own", "gone"} {
		r.join(id, Card{})
	}
	now = now.Add(11 * time.Minute)
	for i := range 16 {
		r.join(fmt.Sprint(i), Card{})
		now = now.Add(time.Second)
	}
	require.True(t, r.dropIdle())
	require.Len(t, r.members, 17)
	require.NotContains(t, r.members, "gone")
	require.True(t, r.dropIdle())
	require.Len(t, r.members, 15)
	require.NotContains(t, r.members, "0")
	require.Contains(t, r.members, "own")
	for _, m := range r.members {
		m.tasks = 1
	}
	require.False(t, r.dropIdle())
}

// TestJudges: the newest networks stay open, and one that is used until its use ends.
func TestJudges(t *testing.T) {
	closed := make(chan string, 8)
	js := judges{open: func(path string) (nn.Evaluator, func(), error) {
		return nil, func() { closed <- filepath.Base(path) }, nil
	}}
	offer := func(name string) {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		require.NoError(t, js.offer(path, name))
	}
	offer("a")
	offer("a")
	used := js.of("a")
	for _, name := range []string{"b", "c", "d", "e"} {
		offer(name)
	}
	file, sha := js.present()
	require.Equal(t, []string{"e", "e"}, []string{string(file), sha})
	require.Equal(t, "b", <-closed)
	require.Nil(t, js.of("a"))
	require.Nil(t, js.of(""))
	require.Empty(t, closed)
	used.users.Done()
	require.Equal(t, "a", <-closed)
	js.close()
	require.Len(t, closed, 3)
}
