package loop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/train/selfplay"
)

// matchResult counts a match from the first player's view.
type matchResult struct {
	wins, losses, draws int
}

func (r *matchResult) games() int { return r.wins + r.losses + r.draws }

// score is the points of a game, a draw counted half.
func (r *matchResult) score() float64 {
	return (float64(r.wins) + float64(r.draws)/2) / float64(max(1, r.games()))
}

// matchCount counts what is played of a match, for who asks meanwhile.
type matchCount struct {
	games, moves atomic.Int64
	began        time.Time
	goal, area   int
}

func (c *matchCount) progress() Progress {
	p := Progress{Stage: "guard match", Unit: "games", Done: c.games.Load(), Goal: int64(c.goal)}
	moves := c.moves.Load()
	p.Text = fmt.Sprintf("%d moves", moves)
	if share := min(float64(moves)/float64(c.goal*c.area), 0.99); share > 0 {
		p.Left = max(time.Second, time.Duration(float64(time.Since(c.began))*(1-share)/share))
	}
	return p
}

// playMatch lets two evaluators play each other: pairs of games with the same
// random opening and colours exchanged, all at the same time. It counts them.
func playMatch(ctx context.Context, a, b nn.Evaluator, g *Gate, boards []selfplay.BoardShare, seed uint64, count *matchCount) (matchResult, error) {
	var result matchResult
	var mu sync.Mutex
	var first error
	var games sync.WaitGroup
	for k := range g.Games {
		games.Go(func() {
			m := matchGame{gate: g, rng: rand.New(rand.NewPCG(seed, uint64(k/2))), board: matchBoard(boards, k/2, (g.Games+1)/2), seed: seed}
			players := [2]nn.Evaluator{a, b} // Black, White
			if k%2 == 1 {
				players = [2]nn.Evaluator{b, a}
			}
			winner, err := m.play(ctx, players, uint64(k), &count.moves)
			count.games.Add(1)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				if first == nil {
					first = err
				}
			case winner == board.Empty:
				result.draws++
			case (winner == board.Black) == (k%2 == 0):
				result.wins++
			default:
				result.losses++
			}
		})
	}
	games.Wait()
	return result, first
}

// matchBoard is the board of a pair of games. The pairs of a match are spread
// over the boards by their shares of self-play: one that is hardly ever played
// has no say in which network plays on, nor has it to be waited for.
func matchBoard(boards []selfplay.BoardShare, pair, pairs int) selfplay.BoardShare {
	return selfplay.BoardAt(boards, (float64(pair)+0.5)/float64(pairs))
}

// matchGame is one game of a match.
type matchGame struct {
	gate  *Gate
	rng   *rand.Rand
	board selfplay.BoardShare
	seed  uint64 // of the match
}

// openingMoves is the number of random moves that a pair of games begins with.
const openingMoves = 2

func (m *matchGame) play(ctx context.Context, players [2]nn.Evaluator, seed uint64, moves *atomic.Int64) (board.Color, error) {
	size := m.board.Size()
	g, err := board.NewGame(size, board.Rules{Ko: board.KoPositional, Komi: float32(m.gate.Komi)})
	if err != nil {
		return board.Empty, err
	}
	for range openingMoves {
		x, y := 1+m.rng.IntN(max(1, size.W-2)), 1+m.rng.IntN(max(1, size.H-2))
		if p := size.Point(min(x, size.W-1), min(y, size.H-1)); g.Legal(g.ToMove(), p) == nil {
			if err := g.Play(g.ToMove(), p); err != nil {
				return board.Empty, err
			}
		}
	}
	params := search.Plain()
	params.Choice.Temperature, params.Choice.TemperatureEarly = 0.1, m.gate.Temperature
	params.Memory.MaxBytes = 256 << 20
	params.Parallel.Workers = 1
	draw := rand.New(rand.NewPCG(seed, 77))
	var trees [2]*search.Tree
	for i, e := range players {
		params.Seed = seed*2 + uint64(i)
		if trees[i], err = search.New(params, selfplay.Steady(e, m.seed), nil); err != nil {
			return board.Empty, err
		}
	}
	for !g.Finished() && g.NumMoves() < 3*size.Area() {
		t := trees[0]
		if g.ToMove() == board.White {
			t = trees[1]
		}
		t.Reset(g)
		r, err := t.Search(ctx, search.Limits{Visits: int64(m.gate.Visits)})
		if err == nil && r.Stop == search.StopCancelled {
			err = context.Cause(ctx)
		}
		if err != nil {
			return board.Empty, fmt.Errorf("guard match: %w", err)
		}
		if err := g.Play(g.ToMove(), r.Choose(params.Choice.TemperatureAt(g.NumMoves(), size), draw)); err != nil {
			return board.Empty, fmt.Errorf("guard match: %w", err)
		}
		moves.Add(1)
	}
	if g.NoResult() {
		return board.Empty, nil
	}
	switch s := g.Score(); {
	case s > 0:
		return board.White, nil
	case s < 0:
		return board.Black, nil
	}
	return board.Empty, nil
}
