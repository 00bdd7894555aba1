package selfplay

import (
	"context"
	"testing"

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
