package loop

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

// Gate is the settings of gating matches.
type Gate struct {
	Games       int     `toml:"games" range:"0 to 1000000"`
	Visits      int     `toml:"visits" range:"1 to 1000000"`
	MinScore    float64 `toml:"min_score" range:"0 to 1"`
	Temperature float64 `toml:"temperature" range:"0 to 10"`
	Komi        float64 `toml:"komi" range:"-400 to 400"`
}

// matchResult counts the games of a match from the first player's view.
type matchResult struct {
	wins, losses, draws int
	invalid             uint64 // non-finite evaluations of the first player in games on other machines
}

func (r *matchResult) games() int { return r.wins + r.losses + r.draws }

// score is the first player's mean points a game; a draw is half.
func (r *matchResult) score() float64 {
	return (float64(r.wins) + float64(r.draws)/2) / float64(max(1, r.games()))
}

type matchCount struct{ games, moves atomic.Int64 }

// Matches is implemented by exchanges that can play match games on other machines.
type Matches interface {
	// Game plays a game between the networks in two files. The outcome has passed [GateGame.Check].
	Game(ctx context.Context, g GateGame, a, b string) (GateOutcome, error)
}

// play plays a game of a match between two networks.
type play func(ctx context.Context, g GateGame) (GateOutcome, error)

// playMatch plays all pairs of games at the same time. Both games of a pair have the same random
// opening, with colours exchanged.
func playMatch(ctx context.Context, play play, g *Gate, boards []selfplay.BoardShare, seed uint64, count *matchCount) (matchResult, error) {
	var result matchResult
	var mu sync.Mutex
	var first error
	var games sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for k := range g.Games {
		games.Go(func() {
			o, err := play(ctx, GateGame{Number: k, Seed: seed, Visits: g.Visits, Temperature: g.Temperature, Komi: g.Komi,
				Board: matchBoard(boards, k/2, (g.Games+1)/2), moves: &count.moves})
			count.games.Add(1)
			mu.Lock()
			defer mu.Unlock()
			result.invalid += o.Invalid
			switch {
			case err != nil:
				if first == nil {
					first = err
					stop()
				}
			case o.Winner == "a":
				result.wins++
			case o.Winner == "b":
				result.losses++
			default:
				result.draws++
			}
		})
	}
	games.Wait()
	return result, first
}

// local returns a play function for this machine.
func local(a, b nn.Evaluator) play {
	return func(ctx context.Context, g GateGame) (GateOutcome, error) { return g.Play(ctx, a, b) }
}

// remote returns a play function for other machines; a and b are files of networks.
func remote(m Matches, a, b string) play {
	return func(ctx context.Context, g GateGame) (GateOutcome, error) {
		o, err := m.Game(ctx, g, a, b)
		g.count(len(o.Moves))
		return o, err
	}
}

// matchBoard returns the board of a pair of games. Board sizes have the same shares as in
// self-play.
func matchBoard(boards []selfplay.BoardShare, pair, pairs int) selfplay.BoardShare {
	return selfplay.BoardAt(boards, (float64(pair)+0.5)/float64(pairs))
}

// GateGame is a game of a match between two networks, a and b. Its number, the match's seed and
// the networks determine every move, so any machine may play it. [GateGame.Check] replays a game
// that another machine played.
type GateGame struct {
	Number      int                 `json:"number"` // in games of even number, a has Black
	Seed        uint64              `json:"seed"`   // of the match
	Visits      int                 `json:"visits"`
	Temperature float64             `json:"temperature"`
	Komi        float64             `json:"komi"`
	Board       selfplay.BoardShare `json:"board"`

	moves *atomic.Int64 // counts moves of the match; nil: not counted
}

func (m *GateGame) count(moves int) {
	if m.moves != nil {
		m.moves.Add(int64(moves))
	}
}

// GateOutcome is the moves and the winner of a game.
type GateOutcome struct {
	Winner  string `json:"winner"`            // "a", "b" or "" for a draw
	Moves   []int  `json:"moves"`             // moves after the opening, as indices of points; a pass is the number of points
	Invalid uint64 `json:"invalid,omitempty"` // answers of network a that were not finite numbers; counted only in games that workers played
}

// openingMoves is the number of random moves at the start of a pair of games.
const openingMoves = 2

// start returns the position after the opening.
func (m *GateGame) start() (*board.Game, error) {
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

func (m *GateGame) over(g *board.Game) bool {
	return g.Finished() || g.NumMoves() >= 3*g.Size().Area()
}

func (m *GateGame) winner(g *board.Game) string {
	score := g.Score()
	if g.NoResult() || score == 0 {
		return ""
	}
	if (score < 0) == (m.Number%2 == 0) { // score is White's
		return "a"
	}
	return "b"
}

func (m *GateGame) Play(ctx context.Context, a, b nn.Evaluator) (GateOutcome, error) {
	var o GateOutcome
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
		if trees[i], err = search.New(params, selfplay.Steady(e, m.Seed, true), nil); err != nil {
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

// Check replays a game from another machine, which must be legal and complete, and sets its winner.
func (m *GateGame) Check(o *GateOutcome) error {
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
