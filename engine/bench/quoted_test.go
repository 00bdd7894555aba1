package bench_test

import (
	"flag"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/search"
)

// Flags of BenchmarkProblems; docs/measurements.md gives its command.
var (
	networkFile = flag.String("model", "", "network of the benchmarks; empty: the built-in ones")
	visits      = flag.Int64("visits", 100, "visits of a search of BenchmarkProblems")
)

func network(tb testing.TB) *model.Model {
	tb.Helper()
	m, err := model.Open(*networkFile, model.Config{Precision: "auto"})
	require.NoError(tb, err)
	tb.Cleanup(func() { m.Close() })
	return m
}

func serve(tb testing.TB, m nn.Model) *nn.Server {
	tb.Helper()
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: nn.Cores(), CacheBytes: 64 << 20, Meta: &features.Amateurs})
	require.NoError(tb, err)
	tb.Cleanup(func() { s.Close() })
	return s
}

// BenchmarkProblems searches each problem of testdata/problems in every orientation. It
// reports the percentage of correct first moves, of the network alone and of a search.
func BenchmarkProblems(b *testing.B) {
	s := serve(b, network(b))
	p := search.Defaults()
	p.Seed = 1
	for _, file := range problemFiles(b) {
		b.Run(kindOf(file), func(b *testing.B) {
			list, alone, searched, n := readProblems(b, file), 0, 0, 0
			for b.Loop() {
				for i := range list {
					for k := range list[i].game.Size().Symmetries() {
						g, right := list[i].turned(b, board.Symmetry(k))
						a, c := solve(b, p, s, g)
						alone, searched, n = alone+right[a], searched+right[c], n+1
					}
				}
			}
			b.ReportMetric(100*float64(alone)/float64(n), "alone%")
			b.ReportMetric(100*float64(searched)/float64(n), "search%")
		})
	}
}

// solve returns the likeliest move of the network alone, and the choice of a search.
func solve(tb testing.TB, p search.Params, s *nn.Server, g *board.Game) (alone, searched board.Point) {
	var out nn.Output
	require.NoError(tb, s.Evaluate(tb.Context(), &nn.Query{Game: g, Meta: &features.Amateurs}, &out))
	size, best := g.Size(), float32(math.Inf(-1))
	for i, x := range out.Policy[:size.Area()+1] {
		if x > best {
			best, alone = x, board.Pass
			if i < size.Area() {
				alone = size.FromIndex(i)
			}
		}
	}
	tree, err := search.New(p, s, nil)
	require.NoError(tb, err)
	tree.Reset(g)
	r, err := tree.Search(tb.Context(), search.Limits{Visits: *visits})
	require.NoError(tb, err)
	return alone, r.Choose(0, nil)
}
