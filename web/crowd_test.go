package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
	"kosumi/web/engines"
)

// TestCrowd lets a hundred pages analyse at once: each gets its turn, a game continues meanwhile,
// and all resources are released afterwards.
func TestCrowd(t *testing.T) {
	const pages = 100
	s := serve(t, t.TempDir())
	all := make([]*client, pages)
	ids := make([]string, pages)
	for i := range all {
		all[i] = join(t, s)
		ids[i] = ask[api.ID](all[i], "doc.new", api.NewDoc{Size: [2]int{5, 5}}).ID
	}
	for i, c := range all {
		c.ask("analysis.set", api.Analyse{Doc: ids[i], On: true, Visits: 20}, nil)
	}
	for _, c := range all {
		f := until(c, "analysis.frame", func(f *api.Frame) bool { return f.Final != "" })
		require.Equal(t, "visits", f.Final)
		require.GreaterOrEqual(t, f.Visits, int64(20))
	}
	require.LessOrEqual(t, s.engines.Memory.Granted(), int64(engines.AllBytes+pages*engines.LeastBytes))

	// Now the analyses have no visit limit: a move in a game does not wait until they end.
	for i, c := range all {
		c.ask("analysis.set", api.Analyse{Doc: ids[i], On: true}, nil)
	}
	player := join(t, s)
	g := begin(player, small("b"))
	g = player.play(g, "C3")
	require.GreaterOrEqual(t, len(g.Moves), 2)
	for _, c := range all {
		c.ws.CloseNow()
	}
	require.Eventually(t, func() bool {
		_, pages := s.hub.Watching()
		return pages == 1 && s.engines.Memory.Granted() <= engines.TreeBytes
	}, browsertest.Patience, 50*time.Millisecond)
}
