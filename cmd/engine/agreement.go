package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// agreementFlags say how short and long searches are compared.
type agreementFlags struct {
	on          bool
	short, long int64
	positions   int
	workers     []int
}

func (f *agreementFlags) add(c *cobra.Command) {
	*f = agreementFlags{short: 100, long: 10_000, positions: 20}
	c.Flags().BoolVar(&f.on, "agreement", false, "measure how often a short search chooses what a long one does")
	c.Flags().Int64Var(&f.short, "short-visits", f.short, "visits of the short searches")
	c.Flags().Int64Var(&f.long, "long-visits", f.long, "visits of the long searches")
	c.Flags().IntVar(&f.positions, "positions", f.positions, "positions to compare at")
	c.Flags().IntSliceVar(&f.workers, "workers", nil, "numbers of workers of the short searches, such as 1,4,16; default: --threads")
}

func (f *agreementFlags) check() error {
	switch {
	case f.short < 2 || f.long < f.short || f.long > 1e9:
		return usagef("--short-visits %d and --long-visits %d: 2 to 1000000000, in this order", f.short, f.long)
	case f.positions < 1 || f.positions > 10_000:
		return usagef("--positions %d: 1 to 10000", f.positions)
	}
	for _, w := range f.workers {
		if w < 1 || w > 1024 {
			return usagef("--workers %d: 1 to 1024", w)
		}
	}
	return nil
}

// agreement is how well short searches foresee long ones.
type agreement struct {
	ShortVisits int64             `json:"short_visits"`
	LongVisits  int64             `json:"long_visits"`
	Positions   int               `json:"positions"`
	Workers     []workerAgreement `json:"workers"`
}

// workerAgreement is that of short searches with so many evaluations under way.
type workerAgreement struct {
	Workers    int     `json:"workers"`
	Share      float64 `json:"share"`          // of positions where both choose the same move
	Error      float64 `json:"standard_error"` // of Share
	Loss       float64 `json:"winrate_loss"`   // mean, by the long search's opinion of both moves
	Strayed    float64 `json:"visit_loss"`     // the same, of the average visit instead of the chosen move
	Collisions float64 `json:"collision_rate"`
	Evals      float64 `json:"evaluations_per_second"`
}

// agree compares searches at positions that the network itself leads to.
func agree(ctx context.Context, params search.Params, server *nn.Server, size board.Size, rules board.Rules,
	f agreementFlags, progress func(n int)) (*agreement, error) {
	out := &agreement{ShortVisits: f.short, LongVisits: f.long, Positions: f.positions}
	for _, w := range f.workers {
		out.Workers = append(out.Workers, workerAgreement{Workers: w})
	}
	rng := rand.New(rand.NewPCG(1, 0xa62ee))
	same := make([]int, len(f.workers))
	seconds := make([]float64, len(f.workers))
	for k := range f.positions {
		g, err := likelyPosition(ctx, server, size, rules, k, rng)
		if err != nil {
			return nil, err
		}
		short := make([]*search.Result, len(f.workers))
		for i, w := range f.workers {
			p := params
			p.Parallel.Workers = w
			r, err := freshSearch(ctx, p, server, g, f.short)
			if err != nil {
				return nil, err
			}
			short[i] = r
			a := &out.Workers[i]
			a.Collisions += r.Stats.CollisionRate() / float64(f.positions)
			a.Evals += float64(r.Stats.Evaluations)
			seconds[i] += r.Stats.Elapsed.Seconds()
		}
		r, err := freshSearch(ctx, params, server, g, f.long)
		if err != nil {
			return nil, err
		}
		best := r.Choose(0, nil)
		for i, s := range short {
			p := s.Choose(0, nil)
			if p == best {
				same[i]++
			}
			out.Workers[i].Loss += winrateLoss(r, best, p) / float64(f.positions)
			out.Workers[i].Strayed += visitLoss(r, best, s) / float64(f.positions)
		}
		progress(k + 1)
	}
	for i := range out.Workers {
		a := &out.Workers[i]
		a.Share = float64(same[i]) / float64(f.positions)
		a.Error = math.Sqrt(a.Share * (1 - a.Share) / float64(f.positions))
		a.Evals /= max(seconds[i], 1e-9)
	}
	return out, nil
}

// winrateLoss is what the long search thinks that a move costs. A move that it
// has hardly looked at counts as its worst.
func winrateLoss(r *search.Result, best, chosen board.Point) float64 {
	b := r.Move(best)
	if b == nil || best == chosen {
		return 0
	}
	worst := b.Winrate
	for _, m := range r.Moves {
		worst = min(worst, m.Winrate)
	}
	if m := r.Move(chosen); m != nil && m.EdgeVisits > 0 {
		worst = m.Winrate
	}
	return max(0, b.Winrate-worst)
}

// visitLoss is what the long search thinks that the average visit of a short one
// costs: how far its visits strayed from the best move. It depends less on chance
// than the choice does.
func visitLoss(long *search.Result, best board.Point, short *search.Result) float64 {
	loss, visits := 0.0, 0.0
	for _, m := range short.Moves {
		n := float64(m.EdgeVisits)
		loss += n * winrateLoss(long, best, m.Move)
		visits += n
	}
	return loss / max(visits, 1)
}

// freshSearch searches a position without anything known from before.
func freshSearch(ctx context.Context, p search.Params, server *nn.Server, g *board.Game, visits int64) (*search.Result, error) {
	tree, err := search.New(p, server, nil)
	if err != nil {
		return nil, err
	}
	server.ClearCache()
	tree.Reset(g)
	r, err := tree.Search(ctx, search.Limits{Visits: visits})
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return &r, err
}

// likelyPosition plays moves drawn from the network's policy, from a few to
// about half of the board by turns.
func likelyPosition(ctx context.Context, e nn.Evaluator, size board.Size, rules board.Rules, k int, rng *rand.Rand) (*board.Game, error) {
	g, err := board.NewGame(size, rules)
	if err != nil {
		return nil, err
	}
	var out nn.Output
	for range 4 + size.Area()*(k%8)/16 {
		if err := e.Evaluate(ctx, &nn.Query{Game: g}, &out); err != nil {
			return nil, err
		}
		p, ok := drawMove(out.Policy[:size.Area()], 1, size, rng)
		if !ok {
			break
		}
		if err := g.Play(g.ToMove(), p); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (a *agreement) print(w io.Writer) {
	fmt.Fprintf(w, "%d visits against %d at %d positions\n", a.ShortVisits, a.LongVisits, a.Positions)
	for _, x := range a.Workers {
		fmt.Fprintf(w, "  %3d workers: same choice %.1f %% +- %.1f, %.2f %% of winrate lost, %.2f %% by the average visit, %.1f %% collisions, %.0f evaluations/s\n",
			x.Workers, 100*x.Share, 100*x.Error, 100*x.Loss, 100*x.Strayed, 100*x.Collisions, x.Evals)
	}
}

// measureAgreement adds the comparison to a benchmark's results.
func (out *benchmark) measureAgreement(cmd *cobra.Command, s *settings, params search.Params, server *nn.Server, f agreementFlags, log *slog.Logger) error {
	if len(f.workers) == 0 {
		f.workers = []int{params.Parallel.Workers}
	}
	progress, done := showCount(cmd, f.positions, "positions compared", log)
	var err error
	out.Agreement, err = agree(cmd.Context(), params, server, s.Play.Size, s.Play.Rules, f, progress)
	done()
	return err
}
