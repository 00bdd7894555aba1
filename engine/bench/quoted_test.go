package bench_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/search"
)

// The benchmarks of this package are those that the documents quote.
var (
	networkFile = flag.String("model", "", "network of the benchmarks; empty: the built-in ones")
	boardSize   = flag.Int("boardsize", 9, "boards of BenchmarkAgreement and BenchmarkImitated")
	visits      = flag.Int64("visits", 100, "visits of a search of BenchmarkProblems")
)

// network opens the network of the benchmarks.
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

// agreement compares short searches with a long one.
type agreement struct {
	same       int     // positions where both choose the same move
	loss       float64 // winrate lost by the short searches' choices, in the long search's view; a sum
	visitLoss  float64 // the same of their average visit instead of their choice
	collisions float64 // a sum of rates
}

// compare searches a position with long visits, and with short visits for each number of
// evaluations under way.
func compare(tb testing.TB, p search.Params, s *nn.Server, g *board.Game, short, long int64, workers []int, into []agreement) {
	fresh := func(workers int, visits int64) search.Result {
		p := p
		p.Parallel.Workers = workers
		s.ClearCache()
		tree, err := search.New(p, s, nil)
		require.NoError(tb, err)
		tree.Reset(g)
		r, err := tree.Search(tb.Context(), search.Limits{Visits: visits})
		require.NoError(tb, err)
		return r
	}
	l := fresh(p.Parallel.Workers, long)
	best := l.Choose(0, nil)
	for i, w := range workers {
		r, a := fresh(w, short), &into[i]
		choice := r.Choose(0, nil)
		if choice == best {
			a.same++
		}
		a.loss += winrateLoss(&l, best, choice)
		lost, sum := 0.0, 0.0
		for _, m := range r.Moves {
			lost += float64(m.EdgeVisits) * winrateLoss(&l, best, m.Move)
			sum += float64(m.EdgeVisits)
		}
		a.visitLoss += lost / max(sum, 1)
		a.collisions += r.Stats.CollisionRate()
	}
}

// winrateLoss is the winrate that a move loses in a search's view. A move without visits
// counts as the worst.
func winrateLoss(r *search.Result, best, chosen board.Point) float64 {
	b := r.Move(best)
	if b == nil || best == chosen {
		return 0
	}
	rate := b.Winrate
	for _, m := range r.Moves {
		rate = min(rate, m.Winrate)
	}
	if m := r.Move(chosen); m != nil && m.EdgeVisits > 0 {
		rate = m.Winrate
	}
	return max(0, b.Winrate-rate)
}

// TestAgreement: a search repeated with one worker and one orientation agrees with itself,
// though not all of its visits are of the best move.
func TestAgreement(t *testing.T) {
	p := search.Defaults()
	p.Net.Symmetry, p.Parallel.Workers = 0, 1
	s := server(t)
	g, err := bench.Likely(t.Context(), s, board.Square(5), board.Chinese(), 3, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	into := make([]agreement, 2)
	compare(t, p, s, g, 60, 60, []int{1, 4}, into)
	require.Equal(t, 1, into[0].same)
	require.Zero(t, into[0].loss)
	require.Zero(t, into[0].collisions)
	require.Positive(t, into[0].visitLoss)
}

// BenchmarkAgreement compares searches of 800 visits with one of 3,000, at one position an
// iteration (-benchtime 20x): by the number of evaluations under way, the positions where
// both choose the same move, the winrate lost by the choice and by the average visit, and
// the descents given up, all in percent.
func BenchmarkAgreement(b *testing.B) {
	p := search.Defaults()
	s := serve(b, network(b))
	workers := []int{1, 16, 32}
	into := make([]agreement, len(workers))
	rng := rand.New(rand.NewPCG(1, 0xa62ee))
	for k := 0; b.Loop(); k++ {
		g, err := bench.Likely(b.Context(), s, board.Square(*boardSize), board.Chinese(), k, rng)
		require.NoError(b, err)
		compare(b, p, s, g, 800, 3000, workers, into)
	}
	for i, name := range []string{"1", "16", "32"} {
		percent := func(x float64, what string) { b.ReportMetric(100*x/float64(b.N), what+"%/"+name) }
		percent(float64(into[i].same), "same")
		percent(into[i].loss, "loss")
		percent(into[i].visitLoss, "visitloss")
		percent(into[i].collisions, "collisions")
	}
}

// BenchmarkProblems searches each problem of testdata/problems in every orientation: right
// first moves of the network alone and of a search, in percent.
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
