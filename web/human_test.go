package web

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/internal/testshared"
	"kosumi/nn/nntest"
	"kosumi/web/api"
)

// TestHumanMoves: an analysis has the probabilities of the moves of people of a given rank, and they
// differ between ranks.
func TestHumanMoves(t *testing.T) {
	net, err := networkOf("")
	require.NoError(t, err)
	people, err := networkOf(testshared.Path(t, "golden/human/models/synth-human-b3c32.bin.gz"))
	require.NoError(t, err)
	s, err := New(Config{Folder: t.TempDir(), Networks: only(nntest.WithHumans{Server: net, People: people}, ""), Engine: engine.Defaults(), Page: bare})
	require.NoError(t, err)
	go s.Serve()
	defer s.Close()
	c := join(t, s)
	doc := ask[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{9, 9}}).ID
	moves := func(rank string) string {
		c.ask("analysis.set", api.Analyse{Doc: doc, On: true, Visits: 10, Human: rank, Threads: 2}, nil)
		f := until(c, "analysis.frame", func(f *api.Frame) bool { return f.Final != "" })
		if f.Final == "failed" {
			return f.Error
		}
		policy, err := base64.StdEncoding.DecodeString(f.Human)
		require.NoError(t, err)
		require.Len(t, policy, 82)
		sum := 0.0
		for _, b := range policy {
			sum += float64(b) / 255 * float64(b) / 255
		}
		require.InDelta(t, 1, sum, 0.1)
		return string(policy)
	}
	weak, strong := moves("rank_20k"), moves("rank_9d")
	require.NotEqual(t, weak, strong)
	require.Equal(t, weak, moves("rank_20k"))
	require.Contains(t, moves("rank_99z"), "rank_99z")
}
