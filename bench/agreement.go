package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Agreement is how well short searches foresee long ones.
type Agreement struct {
	ShortVisits int64             `json:"short_visits"`
	LongVisits  int64             `json:"long_visits"`
	Positions   int               `json:"positions"`
	Workers     []WorkerAgreement `json:"workers"`
}

// WorkerAgreement is that of short searches with so many evaluations under way.
type WorkerAgreement struct {
	Workers    int     `json:"workers"`
	Share      float64 `json:"share"`          // of positions where both choose the same move
	Error      float64 `json:"standard_error"` // of Share
	Loss       float64 `json:"winrate_loss"`   // mean, by the long search's opinion of both moves
	Strayed    float64 `json:"visit_loss"`     // the same, of the average visit instead of the chosen move
	Collisions float64 `json:"collision_rate"`
	Evals      float64 `json:"evaluations_per_second"`
}

// AgreementConfig says what is compared.
type AgreementConfig struct {
	Short, Long int64 // visits of a search
	Positions   int
	Workers     []int // of the short searches, one comparison for each
	Size        board.Size
	Rules       board.Rules
	Progress    func(n int) // told of each position that is done
}

// Agree compares searches at positions that the network itself leads to. Params
// are those of the long searches, and but for the workers of the short ones.
func Agree(ctx context.Context, params search.Params, server *nn.Server, f AgreementConfig) (*Agreement, error) {
	out := &Agreement{ShortVisits: f.Short, LongVisits: f.Long, Positions: f.Positions}
	for _, w := range f.Workers {
		out.Workers = append(out.Workers, WorkerAgreement{Workers: w})
	}
	rng := rand.New(rand.NewPCG(1, 0xa62ee))
	same := make([]int, len(f.Workers))
	seconds := make([]float64, len(f.Workers))
	for k := range f.Positions {
		g, err := Likely(ctx, server, f.Size, f.Rules, k, rng)
		if err != nil {
			return nil, err
		}
		short := make([]*search.Result, len(f.Workers))
		for i, w := range f.Workers {
			p := params
			p.Parallel.Workers = w
			r, err := freshSearch(ctx, p, server, g, f.Short)
			if err != nil {
				return nil, err
			}
			short[i] = r
			a := &out.Workers[i]
			a.Collisions += r.Stats.CollisionRate() / float64(f.Positions)
			a.Evals += float64(r.Stats.Evaluations)
			seconds[i] += r.Stats.Elapsed.Seconds()
		}
		r, err := freshSearch(ctx, params, server, g, f.Long)
		if err != nil {
			return nil, err
		}
		best := r.Choose(0, nil)
		for i, s := range short {
			p := s.Choose(0, nil)
			if p == best {
				same[i]++
			}
			out.Workers[i].Loss += winrateLoss(r, best, p) / float64(f.Positions)
			out.Workers[i].Strayed += visitLoss(r, best, s) / float64(f.Positions)
		}
		f.Progress(k + 1)
	}
	for i := range out.Workers {
		a := &out.Workers[i]
		a.Share = float64(same[i]) / float64(f.Positions)
		a.Error = math.Sqrt(a.Share * (1 - a.Share) / float64(f.Positions))
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

// Print writes the comparison as text.
func (a *Agreement) Print(w io.Writer) {
	fmt.Fprintf(w, "%d visits against %d at %d positions\n", a.ShortVisits, a.LongVisits, a.Positions)
	for _, x := range a.Workers {
		fmt.Fprintf(w, "  %3d workers: same choice %.1f %% +- %.1f, %.2f %% of winrate lost, %.2f %% by the average visit, %.1f %% collisions, %.0f evaluations/s\n",
			x.Workers, 100*x.Share, 100*x.Error, 100*x.Loss, 100*x.Strayed, 100*x.Collisions, x.Evals)
	}
}
