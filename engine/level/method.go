package level

import (
	"math"
	"math/rand/v2"

	"kosumi/board"
)

// Candidate is a move that may be played.
type Candidate struct {
	Move  board.Point
	Prior float64 // the network's probability of the move
	Loss  float64 // by how many points it is worse than the best move; NaN if the search has not visited it
}

// Situation is the input of a level's choice: at least one candidate, the likeliest first.
type Situation struct {
	Game       *board.Game
	Candidates []Candidate
	Seed       uint64 // determines the errors of judgement in this game
}

// scale is the factor that converts points of a 9x9 game to another board size. It grows more slowly
// than the area, as the value of a move does.
func scale(size board.Size) float64 { return math.Pow(float64(size.Area())/81, 0.65) }

// drawBy returns an index i with a probability in proportion to exp(logs[i]).
func drawBy(logs []float64, rng *rand.Rand) int {
	best, at := math.Inf(-1), 0
	for i, w := range logs {
		if g := w - math.Log(-math.Log(1-rng.Float64())); g > best { // Gumbel's way to draw
			best, at = g, i
		}
	}
	return at
}

// choose draws a move at a dial (Player.Dial) and returns its index. The weight of a move is its likelihood
// times exp(-points lost/tau). The points lost have an error that stays the same as long as the stones
// around the move do. Up to [Reading], the higher the dial, the more points a level gives away
// knowingly; beyond it points hardly count, and the level plays like a beginner.
func (s *Situation) choose(dial float64, rng *rand.Rand) int {
	unit := scale(s.Game.Size())
	tau := 0.1 * math.Pow(2, dial) * unit           // 0.1 to 100 points on 9x9, more on larger boards
	sigma := 0.1 * math.Pow(2, min(dial, 7)) * unit // error of judgement, up to 13 points on 9x9
	blind := beginner(dial)
	flat := 1 + 0.12*dial + 1.6*blind // temperature of the likelihood
	logs := make([]float64, len(s.Candidates))
	unseen := 2 * unit // assumed loss of a move without visits: as much as the worst visited move, but at least this
	for _, c := range s.Candidates {
		if c.Loss > unseen {
			unseen = c.Loss
		}
	}
	for i, c := range s.Candidates {
		loss := c.Loss
		if math.IsNaN(loss) {
			loss = unseen
		}
		off := s.misjudged(c.Move, 0)
		logs[i] = math.Log(max(c.Prior, 1e-9))/flat - (loss+sigma*off)/tau
		if blind > 0 {
			logs[i] += s.glance(c.Move, blind, off)
		}
	}
	return drawBy(logs, rng)
}

// misjudged returns a number from the standard normal distribution that depends only on the game, the point, the
// stones within three points of it, and the argument what. With 0 for what, the number is the error of a move's value;
// with sight, it decides whether the move is seen.
func (s *Situation) misjudged(p board.Point, what uint64) float64 {
	g, size := s.Game, s.Game.Size()
	h := (s.Seed + what) ^ uint64(p)*0x9e3779b97f4a7c15
	if p != board.Pass {
		x, y := size.XY(p)
		for q := range board.Point(size.Area()) {
			if u, v := size.XY(q); max(u-x, x-u)+max(v-y, y-v) <= 3 && g.At(q) != board.Empty {
				h = (h ^ uint64(q)<<2 ^ uint64(g.At(q))) * 0xff51afd7ed558ccd
				h ^= h >> 32
			}
		}
	}
	return rand.New(rand.NewPCG(h, h>>7)).NormFloat64()
}
