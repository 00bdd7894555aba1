// Package duel plays matches between two networks: gating matches of a loop, and matches that rate
// its networks.
//
// A game's number, the match's seed and the networks decide every move, so a game may be
// played on any machine. [Game.Check] replays a game that another machine played.
package duel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/train/selfplay"
)

// Gate says what a new network must show before it plays.
type Gate struct {
	Games       int     `toml:"games" range:"0 to 1000000"`
	Visits      int     `toml:"visits" range:"1 to 1000000"`
	MinScore    float64 `toml:"min_score" range:"0 to 1"`
	Temperature float64 `toml:"temperature" range:"0 to 10"`
	Komi        float64 `toml:"komi" range:"-400 to 400"`
}

// Result counts a match from the first player's view.
type Result struct {
	Wins, Losses, Draws int
	Invalid             uint64 // answers that were no numbers
}

// Games counts them.
func (r *Result) Games() int { return r.Wins + r.Losses + r.Draws }

// Score is the points of a game, a draw counted half.
func (r *Result) Score() float64 {
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(max(1, r.Games()))
}

// Count counts what is played of a match, for who asks meanwhile.
type Count struct{ Games, Moves atomic.Int64 }

// Matches plays games on other machines.
type Matches interface {
	// Game plays a game between the networks in two files. The outcome has passed
	// [Game.Check].
	Game(ctx context.Context, g Game, a, b string) (Outcome, error)
}

// Play plays a game of a match between two networks.
type Play func(ctx context.Context, g Game) (Outcome, error)

// Match lets a network play another: pairs of games with the same random
// opening and colours exchanged, all at the same time. It counts them.
func Match(ctx context.Context, play Play, g *Gate, boards []selfplay.BoardShare, seed uint64, count *Count) (Result, error) {
	var result Result
	var mu sync.Mutex
	var first error
	var games sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for k := range g.Games {
		games.Go(func() {
			o, err := play(ctx, Game{Number: k, Seed: seed, Visits: g.Visits, Temperature: g.Temperature, Komi: g.Komi,
				Board: matchBoard(boards, k/2, (g.Games+1)/2), moves: &count.Moves})
			count.Games.Add(1)
			mu.Lock()
			defer mu.Unlock()
			result.Invalid += o.Invalid
			switch {
			case err != nil:
				if first == nil {
					first = err
					stop()
				}
			case o.Winner == "a":
				result.Wins++
			case o.Winner == "b":
				result.Losses++
			default:
				result.Draws++
			}
		})
	}
	games.Wait()
	return result, first
}

// Local plays games on this machine.
func Local(a, b nn.Evaluator) Play {
	return func(ctx context.Context, g Game) (Outcome, error) { return g.Play(ctx, a, b) }
}

// Remote plays games on other machines between the networks in two files.
func Remote(m Matches, a, b string) Play {
	return func(ctx context.Context, g Game) (Outcome, error) {
		o, err := m.Game(ctx, g, a, b)
		g.count(len(o.Moves))
		return o, err
	}
}

// matchBoard is the board of a pair of games. The pairs of a match are spread
// over the boards by their shares of self-play: one that is hardly ever played
// has no say in which network plays on, nor has it to be waited for.
func matchBoard(boards []selfplay.BoardShare, pair, pairs int) selfplay.BoardShare {
	return selfplay.BoardAt(boards, (float64(pair)+0.5)/float64(pairs))
}

// Game is one game of a match between two networks, a and b. It and the
// networks decide every move, on whatever machine it is played.
type Game struct {
	Number      int                 `json:"number"` // a has Black where it is even
	Seed        uint64              `json:"seed"`   // of the match
	Visits      int                 `json:"visits"`
	Temperature float64             `json:"temperature"`
	Komi        float64             `json:"komi"`
	Board       selfplay.BoardShare `json:"board"`

	moves *atomic.Int64 // played so far in the match; nil: nobody asks
}

func (m *Game) count(moves int) {
	if m.moves != nil {
		m.moves.Add(int64(moves))
	}
}

// Outcome is what came of a game.
type Outcome struct {
	Winner  string `json:"winner"`            // "a", "b" or "" for a draw
	Moves   []int  `json:"moves"`             // after the opening, indices on the board, a pass is the area
	Invalid uint64 `json:"invalid,omitempty"` // answers of a network that were no numbers
}

// openingMoves is the number of random moves that a pair of games begins with.
const openingMoves = 2

// start is the position after the opening.
func (m *Game) start() (*board.Game, error) {
	size := m.Board.Size()
	g, err := board.NewGame(size, board.Rules{Ko: board.KoPositional, Komi: float32(m.Komi)})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(m.Seed, uint64(m.Number/2)))
	for range openingMoves {
		x, y := 1+rng.IntN(max(1, size.W-2)), 1+rng.IntN(max(1, size.H-2))
		if p := size.Point(min(x, size.W-1), min(y, size.H-1)); g.Legal(g.ToMove(), p) == nil {
			if err := g.Play(g.ToMove(), p); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

func (m *Game) over(g *board.Game) bool {
	return g.Finished() || g.NumMoves() >= 3*g.Size().Area()
}

// winner counts a game that is over.
func (m *Game) winner(g *board.Game) string {
	score := g.Score()
	if g.NoResult() || score == 0 {
		return ""
	}
	if (score < 0) == (m.Number%2 == 0) { // score is White's
		return "a"
	}
	return "b"
}

// Play plays the game.
func (m *Game) Play(ctx context.Context, a, b nn.Evaluator) (Outcome, error) {
	var o Outcome
	g, err := m.start()
	if err != nil {
		return o, err
	}
	players := [2]nn.Evaluator{a, b} // Black, White
	if m.Number%2 == 1 {
		players = [2]nn.Evaluator{b, a}
	}
	params := search.Plain()
	params.Choice.Temperature, params.Choice.TemperatureEarly = 0.1, m.Temperature
	params.Memory.MaxBytes = 256 << 20
	params.Parallel.Workers = 1
	draw := rand.New(rand.NewPCG(uint64(m.Number), 77))
	var trees [2]*search.Tree
	for i, e := range players {
		params.Seed = uint64(m.Number)*2 + uint64(i)
		if trees[i], err = search.New(params, selfplay.Steady(e, m.Seed), nil); err != nil {
			return o, err
		}
	}
	for !m.over(g) {
		t := trees[0]
		if g.ToMove() == board.White {
			t = trees[1]
		}
		t.Reset(g)
		r, err := t.Search(ctx, search.Limits{Visits: int64(m.Visits)})
		if err == nil && r.Stop == search.StopCancelled {
			err = context.Cause(ctx)
		}
		if err != nil {
			return o, fmt.Errorf("gating match: %w", err)
		}
		p := r.Choose(params.Choice.TemperatureAt(g.NumMoves(), g.Size()), draw)
		if err := g.Play(g.ToMove(), p); err != nil {
			return o, fmt.Errorf("gating match: %w", err)
		}
		o.Moves = append(o.Moves, g.Size().Index(p))
		m.count(1)
	}
	o.Winner = m.winner(g)
	return o, nil
}

// Check replays a game that another machine played, and sets its winner.
func (m *Game) Check(o *Outcome) error {
	g, err := m.start()
	if err != nil {
		return err
	}
	for i, index := range o.Moves {
		if index < 0 || index > g.Size().Area() || m.over(g) {
			return fmt.Errorf("gating: game %d has point %d at move %d, which is off the board or after the end", m.Number, index, i+1)
		}
		if err := g.Play(g.ToMove(), g.Size().FromIndex(index)); err != nil {
			return fmt.Errorf("gating match: game %d, move %d: %w", m.Number, i+1, err)
		}
	}
	if !m.over(g) {
		return fmt.Errorf("gating match: game %d ends after %d moves", m.Number, len(o.Moves))
	}
	o.Winner = m.winner(g)
	return nil
}
