package quantize

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
)

// lockstep is how many games are played side by side in one session. It is part
// of what makes a seed give the same positions on every machine.
const lockstep = 2

// SelfPlay says which positions a network plays for itself.
type SelfPlay struct {
	// Positions is how many there are to be. Fewer come out only if the
	// network's games are very short.
	Positions int
	// Games is from how many games they are; 0 chooses, few positions a game.
	Games int
	// Seed settles everything random. The same seed gives the same positions
	// wherever the network computes the same numbers.
	Seed uint64
	// Workers play at once; 0 means one for each core.
	Workers int
	// Progress, if not nil, is told how many moves of about how many were made.
	Progress func(done, total int)
}

// SelfPositions returns positions from games that the network's policy plays
// against itself, under various rules and komi. Moves are drawn with the
// probabilities that the policy gives them, more sharply after the opening;
// games are broken off at various lengths, so that they need not all be played
// to the end.
func SelfPositions(ctx context.Context, m *model.Model, size board.Size, s SelfPlay) ([]*board.Game, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	if s.Games <= 0 {
		s.Games = max(8, (s.Positions+positionsPerGame(size)-1)/positionsPerGame(size))
	}
	s.Games = (s.Games + lockstep - 1) / lockstep * lockstep
	perGame := (s.Positions + s.Games - 1) / s.Games
	groups := s.Games / lockstep
	p := party{model: m, codec: codec, size: size, play: s, total: s.Games * gameLength(size) * 2 / 3}
	games := make([][]*board.Game, groups)
	var work sync.WaitGroup
	workers := s.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	next := make(chan int, groups)
	for i := range groups {
		next <- i
	}
	close(next)
	errs := make([]error, groups)
	for range min(groups, workers) {
		work.Go(func() {
			for i := range next {
				games[i], errs[i] = p.group(ctx, i)
			}
		})
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return pick(slices.Concat(games...), perGame, s)
}

// positionsPerGame is how many positions are taken from one game, so that they
// differ.
func positionsPerGame(size board.Size) int { return max(4, size.Area()/12) }

// pick takes positions from games, in an order drawn by the seed.
func pick(games []*board.Game, perGame int, s SelfPlay) ([]*board.Game, error) {
	rng := rand.New(rand.NewPCG(s.Seed, 0x706f73))
	var all []*board.Game
	for _, g := range games {
		moves := g.NumMoves()
		if moves == 0 {
			continue
		}
		order := rng.Perm(moves)
		for _, n := range order[:min(perGame, moves)] {
			at, err := after(g, n)
			if err != nil {
				return nil, err
			}
			all = append(all, at)
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(s.Positions, len(all))], nil
}

// after returns the position after the first n moves of a game.
func after(g *board.Game, n int) (*board.Game, error) {
	out, err := board.NewGame(g.Size(), g.Rules())
	if err != nil {
		return nil, err
	}
	for _, m := range g.Moves()[:n] {
		if err := out.Play(m.Color, m.Point); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// party plays groups of games.
type party struct {
	model *model.Model
	codec *nn.Codec
	size  board.Size
	play  SelfPlay
	total int // moves, about

	mu   sync.Mutex
	done int
}

func (p *party) tell(moves int) {
	if p.play.Progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += moves
	p.play.Progress(min(p.done, p.total), p.total)
}

// group plays one group of games in one session, all of them move by move.
func (p *party) group(ctx context.Context, number int) ([]*board.Game, error) {
	b, err := p.model.OpenOriginal(p.size, lockstep)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	rng := rand.New(rand.NewPCG(p.play.Seed, uint64(number)))
	games, lengths := make([]*board.Game, lockstep), make([]int, lockstep)
	for i := range games {
		if games[i], err = newSelfGame(p.size, number*lockstep+i, rng); err != nil {
			return nil, err
		}
		full := gameLength(p.size)
		lengths[i] = full/3 + rng.IntN(full-full/3) + 1
	}
	spec := p.codec.Spec()
	in, out := nn.Rows(spec.Inputs, b.Inputs(), lockstep), nn.Rows(spec.Outputs, b.Outputs(), lockstep)
	scratch := p.codec.NewScratch()
	var answer nn.Output
	for move := 0; ; move++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		going := 0
		for i, g := range games {
			if err := p.codec.Encode(&nn.Query{Game: g, Meta: &features.Amateurs}, 0, in[i], scratch); err != nil {
				return nil, err
			}
			if move < lengths[i] && !g.Ended() {
				going++
			}
		}
		if going == 0 {
			return games, nil
		}
		if err := b.Run(lockstep); err != nil {
			return nil, err
		}
		for i, g := range games {
			if move >= lengths[i] || g.Ended() {
				continue
			}
			p.codec.Decode(&nn.Query{Game: g, Meta: &features.Amateurs}, 0, out[i], scratch, &answer)
			if err := g.Play(g.ToMove(), drawMove(&answer, p.size, move, rng)); err != nil {
				return nil, fmt.Errorf("a move of the network's policy: %w", err)
			}
		}
		p.tell(going)
	}
}

// gameLength is the number of moves after which a game is broken off at the
// latest.
func gameLength(size board.Size) int { return size.Area()*4/5 + 4 }

// newSelfGame starts a game under one of several rules; every fourth with a komi
// that favours one side.
func newSelfGame(size board.Size, number int, rng *rand.Rand) (*board.Game, error) {
	rules := [...]func() board.Rules{board.Chinese, board.Japanese, board.TrompTaylor, board.Chinese}[number%4]()
	if number%4 == 3 {
		rules.Komi += float32(rng.IntN(31) - 15)
	}
	return board.NewGame(size, rules)
}

// drawMove draws a move by the policy: as it is in the opening, then rather the
// likelier moves.
func drawMove(o *nn.Output, size board.Size, move int, rng *rand.Rand) board.Point {
	temperature := 1.0
	if move > size.Area()/10 {
		temperature = 1 / 1.5
	}
	at := nn.Draw(o.Policy[:size.Area()+1], temperature, rng)
	if at < 0 {
		return board.Pass
	}
	return size.FromIndex(at)
}
