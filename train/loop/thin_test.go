package loop

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/train/selfplay"
)

// TestHistoryStaysShort: over many iterations the history keeps its bound, its sums, its order,
// and the entry of every network that still exists.
func TestHistoryStaysShort(t *testing.T) {
	const iterations, most = 5000, 100
	s := &State{Base: "n7"}
	games := 0
	for i := range iterations {
		name := fmt.Sprintf("n%d", i)
		s.Networks = append(s.Networks, Network{Name: name, Promoted: true})
		s.History = append(s.History, Record{Iteration: i, Network: name, Stats: selfplay.Stats{Games: 3}, Evals: 2, Seconds: Seconds{Train: 1}, Games: int64(3 * i)})
		s.Current = name
		games += 3
		for k := range len(s.Networks) - 3 { // all but the newest and each thousandth are removed
			s.Networks[k].Gone = s.iterationOf(k)%1000 != 0 && s.Networks[k].Name != s.Base
		}
		s.thin(most)
		require.LessOrEqual(t, len(s.History), most)
	}
	require.Greater(t, len(s.History), most/2)
	sum, evals, seconds, before := 0, uint64(0), 0.0, -1
	for i := range s.History {
		r := &s.History[i]
		require.Equal(t, s.Networks[i].Name, r.Network)
		require.Greater(t, r.Iteration, before)
		before = r.Iteration
		sum, evals, seconds = sum+r.Stats.Games, evals+r.Evals, seconds+r.Seconds.Train
	}
	require.Equal(t, games, sum)
	require.EqualValues(t, 2*iterations, evals)
	require.InDelta(t, iterations, seconds, 1e-6)
	for _, name := range []string{"n7", "n0", "n1000", "n4000", s.Current} {
		require.NotNil(t, s.network(name), name)
	}
	require.Equal(t, iterations-1, s.iterationOf(len(s.History)-1))
}
