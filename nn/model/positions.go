package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"kosumi/board"
	"kosumi/nn"
)

// lockstep is how many games are played side by side in one session. It is part
// of what makes a seed give the same positions on every machine.
const lockstep = 8

// SelfPositions returns positions from games that the network's policy plays
// against itself, count of them, under various rules and komi. Moves are drawn
// with the probabilities that the policy gives them, more sharply after the
// opening. The same seed gives the same positions wherever the network computes
// the same numbers. progress, if not nil, is told from one goroutine at a time
// how many positions there are so far.
func (m *Model) SelfPositions(ctx context.Context, size board.Size, count int, seed uint64, progress func(done int)) ([]*board.Game, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	perGame := positionsPerGame(size)
	groups := max((count+perGame*lockstep-1)/(perGame*lockstep), 1)
	results := make([][]*board.Game, groups)
	errs := make([]error, groups)
	next := make(chan int, groups)
	for i := range groups {
		next <- i
	}
	close(next)
	var mu sync.Mutex
	var work sync.WaitGroup
	made := 0
	for range min(groups, runtime.NumCPU()) {
		work.Go(func() {
			for i := range next {
				p := player{codec: codec, rng: rand.New(rand.NewPCG(seed, uint64(i))), perGame: perGame, first: i * lockstep}
				results[i], errs[i] = p.run(ctx, m, size)
				mu.Lock()
				made += len(results[i])
				if progress != nil {
					progress(min(made, count))
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return shuffled(results, count, seed), nil
}

// positionsPerGame is how many positions are taken from one game: few, so that
// they differ.
func positionsPerGame(size board.Size) int { return max(4, size.Area()/12) }

// shuffled returns count of all positions in an order drawn by the seed.
func shuffled(groups [][]*board.Game, count int, seed uint64) []*board.Game {
	var all []*board.Game
	for _, g := range groups {
		all = append(all, g...)
	}
	rng := rand.New(rand.NewPCG(seed, 0x706f73))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(count, len(all))]
}

// player plays a group of games in one session, all of them move by move.
type player struct {
	codec   *nn.Codec
	rng     *rand.Rand
	perGame int
	first   int // number of the group's first game
}

func (p *player) run(ctx context.Context, m *Model, size board.Size) ([]*board.Game, error) {
	b, err := m.openFloat(size, lockstep)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var games [lockstep]*board.Game
	for i := range games {
		if games[i], err = p.newGame(size, p.first+i); err != nil {
			return nil, err
		}
	}
	in := newRows(p.codec.Spec().Inputs, b.Inputs(), lockstep)
	out := newRows(p.codec.Spec().Outputs, b.Outputs(), lockstep)
	scratch := p.codec.NewScratch()
	length := gameLength(size)
	var taken []*board.Game
	var answer nn.Output
	for move := range length {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, g := range games {
			if err := p.codec.Encode(&nn.Query{Game: g}, 0, in[i], scratch); err != nil {
				return nil, err
			}
		}
		if err := b.Run(lockstep); err != nil {
			return nil, err
		}
		for i, g := range games {
			if g.Finished() || g.PastPhaseEnd() {
				continue
			}
			if p.rng.IntN(length) < p.perGame {
				c := new(board.Game)
				c.CopyFrom(g)
				taken = append(taken, c)
			}
			p.codec.Decode(&nn.Query{Game: g}, 0, out[i], scratch, &answer)
			if err := g.Play(g.ToMove(), p.draw(&answer, size, move)); err != nil {
				return nil, fmt.Errorf("a move of the network's policy: %w", err)
			}
		}
	}
	return taken, nil
}

// gameLength is the number of moves after which a game is broken off.
func gameLength(size board.Size) int { return size.Area()*4/5 + 4 }

// newGame starts a game under one of several rules; every fourth with a komi
// that favours one side.
func (p *player) newGame(size board.Size, number int) (*board.Game, error) {
	rules := [...]func() board.Rules{board.Chinese, board.Japanese, board.TrompTaylor, board.Chinese}[number%4]()
	if number%4 == 3 {
		rules.Komi += float32(p.rng.IntN(31) - 15)
	}
	return board.NewGame(size, rules)
}

// draw picks a move by the policy: as it is in the opening, then towards the
// likelier moves.
func (p *player) draw(o *nn.Output, size board.Size, move int) board.Point {
	sharpness := 1.0
	if move > size.Area()/10 {
		sharpness = 1.5
	}
	total := 0.0
	var weights [board.MaxMoves]float64
	for i, x := range o.Policy[:size.Area()+1] {
		if x > 0 {
			weights[i] = math.Pow(float64(x), sharpness)
			total += weights[i]
		}
	}
	at := p.rng.Float64() * total
	best := size.Area() // pass is always legal
	for i, w := range weights[:size.Area()+1] {
		if w <= 0 {
			continue
		}
		best = i
		if at -= w; at < 0 {
			break
		}
	}
	return size.FromIndex(best)
}

// newRows cuts the memory of a backend into rows: row, then tensor.
func newRows(specs []nn.TensorSpec, memory [][]float32, n int) [][][]float32 {
	all := make([][][]float32, n)
	for r := range all {
		for i := range specs {
			size := specs[i].Len()
			all[r] = append(all[r], memory[i][r*size:(r+1)*size])
		}
	}
	return all
}
