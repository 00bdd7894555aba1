package selfplay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/nntest"
)

// BenchmarkOwnWork plays without a network, so that what remains is the work of
// games, searches, queue and rows: nanoseconds for each evaluation.
func BenchmarkOwnWork(b *testing.B) {
	for name, change := range map[string]func(c *Config){
		"gumbel 16": func(c *Config) {
			c.Search.Method, c.Search.Visits, c.Search.CheapShare, c.Search.Considered = Gumbel, 16, 0, 8
		},
		"gumbel 64": func(c *Config) { c.Search.Method = Gumbel },
		"puct 100":  func(c *Config) { c.Search.Visits = 100 },
	} {
		b.Run(name, func(b *testing.B) {
			c := Defaults()
			change(&c)
			s, _ := newSession(b, c, b.TempDir(), 64)
			server, err := nn.NewServer(nntest.HashModel(1), nn.ServerConfig{Sessions: 2, MaxBatch: 16, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Play(context.Background(), server, Goal{Games: 20}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(server.Stats().Rows), "ns/eval")
			b.ReportMetric(float64(server.Stats().Rows)/float64(s.Stats().Moves), "evals/move")
		})
	}
}

// BenchmarkWire packs, unpacks and checks a game as workers and servers do.
func BenchmarkWire(b *testing.B) {
	c := Defaults()
	c.Opening.Forks = 0
	e := exactServer(b, 3)
	var f *Finished
	for _, f = range playNumbers(b, c, 5, e, 0) {
	}
	data, err := Marshal(f)
	require.NoError(b, err)
	for name, do := range map[string]func() error{
		"pack":   func() error { _, err := Marshal(f); return err },
		"unpack": func() error { _, err := Unmarshal(data); return err },
		"verify": func() error { return c.Verify(f, 5) },
		"recheck": func() error {
			_, _, err := c.Recheck(b.Context(), f, 5, e, 3)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, do())
			}
			b.ReportMetric(float64(len(f.Game.Turns)), "turns")
			b.ReportMetric(float64(len(data)), "bytes")
		})
	}
}
