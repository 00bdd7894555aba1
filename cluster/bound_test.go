package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/train/selfplay"
)

// boundedFolder is a folder for a fixed number of games.
type boundedFolder struct {
	*folder
	goal int
}

func (f boundedFolder) Left() (int64, bool) { return int64(f.goal - f.count()), false }

// TestBootstrapIsBounded leases games to several workers: leased and stored games together never
// exceed the goal, however leases end, also after a restart. In the end all are stored.
func TestBootstrapIsBounded(t *testing.T) {
	const goal = 100
	f := boundedFolder{newFolder(1 << 40), goal}
	dir, now := t.TempDir(), time.Now()
	open := func() *Server {
		s, err := NewServer(ServerConfig{Dir: dir, Host: f, Known: f.known(), Now: func() time.Time { return now }})
		require.NoError(t, err)
		_, err = s.leases.offer(Offer{Network: "random", Recipe: recipe()}, 0)
		require.NoError(t, err)
		return s
	}
	s := open()
	take := func(worker string, want int) []uint64 {
		numbers, err := s.leases.grant(worker, s.room(want, now), now)
		require.NoError(t, err)
		require.LessOrEqual(t, len(s.leases.out)+f.count(), goal)
		return numbers
	}
	file := func(numbers ...uint64) {
		for _, n := range numbers {
			id := selfplay.Filed{ID: selfplay.ID{Number: n}}
			f.games[id.ID], f.filed = []byte{1}, append(f.filed, id)
			s.leases.settle(id)
		}
	}
	a, b, c := take("a", 64), take("b", 64), take("c", 64)
	require.Len(t, a, 64)
	require.Len(t, b, 36)
	require.Empty(t, c)
	file(a[:30]...)
	require.Empty(t, take("c", 64), "what is stored is not given again")
	s.leases.release("b", b[:6])
	require.Len(t, take("c", 64), 6)
	require.NoError(t, s.Close())

	s = open()
	require.Empty(t, take("c", 64), "workers keep their numbers over a restart")
	now = now.Add(3 * time.Minute)
	for f.count() < goal {
		numbers := take("d", 16)
		require.NotEmpty(t, numbers)
		file(numbers...)
	}
	require.Empty(t, take("d", 16))
	require.Equal(t, goal, f.count())
	require.Less(t, s.leases.disk.Next, uint64(goal+1), "no number was lost to a reserve")
	require.NoError(t, s.Close())
}

// TestHoardedNumbers: a worker leases all games and keeps renewing the leases; after a while other
// workers get the games.
func TestHoardedNumbers(t *testing.T) {
	const goal = 100
	now := time.Now()
	s, err := NewServer(ServerConfig{Dir: t.TempDir(), Host: boundedFolder{newFolder(1 << 40), goal}, Now: func() time.Time { return now }})
	require.NoError(t, err)
	_, err = s.leases.offer(Offer{Network: "random", Recipe: recipe()}, 0)
	require.NoError(t, err)
	take := func(worker string) []uint64 {
		numbers, err := s.leases.grant(worker, s.room(goal, now), now)
		require.NoError(t, err)
		return numbers
	}
	hoarded := take("hoarder")
	require.Len(t, hoarded, goal)
	for end := now.Add(exactTime); now.Before(end); now = now.Add(leaseTime / 2) {
		s.leases.renew("hoarder", hoarded, now)
		require.Empty(t, take("other"), "renewed numbers count as being played")
	}
	for range 4 {
		now = now.Add(leaseTime / 2)
		s.leases.renew("hoarder", hoarded, now)
	}
	require.Equal(t, hoarded, take("other"))
	require.NoError(t, s.Close())
}
