package search

import (
	"context"
	"fmt"
	"testing"

	"kosumi/board"
	"kosumi/nn"
)

// quick is an evaluator that costs almost nothing: the board's hash selects a policy from a table,
// and illegal moves get -1.
type quick struct{ policies [64][board.MaxMoves]float32 }

func newQuick(area int) *quick {
	e := new(quick)
	for k := range e.policies {
		sum := float32(0)
		for i := range area + 1 {
			x := float32(scramble(uint64(k*1000+i))>>40) / (1 << 24)
			x = x*x*x*x*x*x*x*x + 1e-4
			if i == area {
				x *= 0.01
			}
			e.policies[k][i] = x
			sum += x
		}
		for i := range area + 1 {
			e.policies[k][i] /= sum
		}
	}
	return e
}

func (e *quick) Evaluate(_ context.Context, q *nn.Query, out *nn.Output) error {
	g := q.Game
	var buf [board.MaxMoves]bool
	legal := g.LegalMoves(buf[:0])
	h := g.Board().Hash().Lo
	policy := &e.policies[h%64]
	for i, ok := range legal {
		out.Policy[i] = policy[i]
		if !ok {
			out.Policy[i] = -1
		}
	}
	v := float32(scramble(h)>>40)/(1<<24)*1.2 - 0.6
	out.Win, out.Loss, out.NoResult = (1+v)/2, (1-v)/2, 0
	out.HasScore = true
	out.ScoreMean, out.ScoreStdev, out.Lead = 10*v, 8, 9*v
	out.ScoreMeanSq = out.ScoreMean*out.ScoreMean + 64
	out.VarTimeLeft, out.ErrWinLoss, out.ErrScore = -1, -1, -1
	return nil
}

// BenchmarkEvaluator measures the evaluator of the other benchmarks, so that its cost can be
// subtracted.
func BenchmarkEvaluator(b *testing.B) {
	g := newGame(b, 9)
	e, q, out := newQuick(81), &nn.Query{Game: g}, new(nn.Output)
	b.ReportAllocs()
	for b.Loop() {
		_ = e.Evaluate(b.Context(), q, out)
	}
}

func benchmarkSearch(b *testing.B, p Params, size int, visits int64) {
	g := newGame(b, size)
	tree := treeAt(b, p, newQuick(size*size), g)
	searchedWith(b, tree, Limits{Visits: visits})
	var playouts, depth int64
	var perNode float64
	b.ReportAllocs()
	before := nn.ProcessorTime()
	for b.Loop() {
		tree.Clear()
		r, err := tree.Search(b.Context(), Limits{Visits: visits})
		if err != nil {
			b.Fatal(err)
		}
		playouts += r.Stats.Playouts
		depth += r.Stats.DepthSum
		perNode = r.Stats.BytesPerNode()
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(seconds*1e9/float64(playouts), "ns/playout")
	b.ReportMetric(float64((nn.ProcessorTime()-before).Nanoseconds())/float64(playouts), "cpu-ns/playout")
	b.ReportMetric(float64(depth)/float64(playouts), "depth")
	b.ReportMetric(perNode, "B/node")
}

func BenchmarkSearch(b *testing.B) {
	exact := Defaults()
	exact.Backup.ExactShare = 0
	for _, c := range []struct {
		name string
		p    Params
	}{{"tutorial", Tutorial()}, {"plain", Plain()}, {"defaults", Defaults()}, {"exact", exact}} {
		for _, visits := range []int64{1000, 10000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, visits), func(b *testing.B) { benchmarkSearch(b, c.p, 9, visits) })
		}
	}
}

func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2, 4, 16} {
		p := Defaults()
		p.Parallel.Workers = workers
		b.Run(fmt.Sprint(workers), func(b *testing.B) { benchmarkSearch(b, p, 9, 10000) })
	}
}
