package level

import (
	"math"
	"math/rand/v2"

	"kosumi/board"
)

// Candidate is a move that may be played.
type Candidate struct {
	Move board.Point
	// Prior is the network's probability of the move.
	Prior float64
	// Loss is by how many points it is worse than the best move; NaN where the
	// search has not looked at it.
	Loss float64
}

// Method draws a move from candidates, the likeliest first, of which there is at
// least one. The higher the dial, 0 to 10, the weaker it plays. It returns the
// place of the move.
type Method interface {
	Name() string
	Choose(s *Situation, dial float64, rng *rand.Rand) int
}

// Situation is what a method looks at.
type Situation struct {
	Game       *board.Game
	Candidates []Candidate
	Empty      float64 // share of the board that is empty
	Seed       uint64  // of the game
}

// Methods are those that were compared, the one in use first.
var Methods = []Method{Loss{}, Target{}, Temperature{}, Blinded{}}

// FindMethod returns the method of a name, nil if there is none.
func FindMethod(name string) Method {
	for _, m := range Methods {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// scale turns points of a 9x9 game into those of another size: a move's stake
// grows slower than the board.
func scale(size board.Size) float64 { return math.Pow(float64(size.Area())/81, 0.65) }

// drawBy returns a place with a probability in proportion to exp(log weight).
func drawBy(logs []float64, rng *rand.Rand) int {
	best, at := math.Inf(-1), 0
	for i, w := range logs {
		if g := w - math.Log(-math.Log(1-rng.Float64())); g > best { // Gumbel's way to draw
			best, at = g, i
		}
	}
	return at
}

// Loss draws by the likelihood of a move and exp(-points lost/tau), where the
// points are misjudged by an error that lasts as long as the shape around the
// move does.
type Loss struct{}

// Name implements Method.
func (Loss) Name() string { return "loss" }

// Choose implements Method.
func (Loss) Choose(s *Situation, dial float64, rng *rand.Rand) int {
	unit := scale(s.Game.Size())
	tau := 0.1 * math.Pow(2, dial) * unit           // 0.1 to 100 points on 9x9
	sigma := 0.1 * math.Pow(2, min(dial, 7)) * unit // error of judgement, to 13 points
	flat := 1 + 0.12*dial                           // temperature of the likelihood
	logs := make([]float64, len(s.Candidates))
	unseen := s.worst()
	for i, c := range s.Candidates {
		loss := c.Loss
		if math.IsNaN(loss) {
			loss = unseen
		}
		loss += sigma * s.misjudged(c.Move)
		logs[i] = math.Log(max(c.Prior, 1e-9))/flat - loss/tau
	}
	return drawBy(logs, rng)
}

// worst is the largest loss that the search has seen, but at least 2 points: what
// the moves that it has not looked at are taken to lose.
func (s *Situation) worst() float64 {
	worst := 2 * scale(s.Game.Size())
	for _, c := range s.Candidates {
		if c.Loss > worst {
			worst = c.Loss
		}
	}
	return worst
}

// misjudged is a number from the standard normal distribution that depends on the
// game, the point and the stones within three points of it, and on nothing else.
func (s *Situation) misjudged(p board.Point) float64 {
	g, size := s.Game, s.Game.Size()
	h := s.Seed ^ uint64(p)*0x9e3779b97f4a7c15
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

// Target draws how many points the move may lose, from the law that the losses of
// people follow, and then a likely move that loses about so many.
type Target struct{}

// Name implements Method.
func (Target) Name() string { return "target" }

// Choose implements Method.
func (Target) Choose(s *Situation, dial float64, rng *rand.Rand) int {
	unit := scale(s.Game.Size())
	mean := 0.05 * math.Pow(2, 0.65*dial) * unit // 0.05 to 4.5 points on 9x9
	want := weibull(mean, rng)
	width := 0.3*unit + 0.25*want
	logs := make([]float64, len(s.Candidates))
	for i, c := range s.Candidates {
		loss := c.Loss
		if math.IsNaN(loss) {
			loss = s.worst()
		}
		off := (loss - want) / width
		logs[i] = math.Log(max(c.Prior, 1e-9))/2 - off*off/2
	}
	return drawBy(logs, rng)
}

// lossShape is that of the stretched exponential which the losses of amateurs
// follow: the share of moves that lose more than x points is exp(-(x/scale)^shape).
const lossShape = 0.65

// weibull draws a loss from that law, given its mean.
func weibull(mean float64, rng *rand.Rand) float64 {
	return mean / math.Gamma(1+1/lossShape) * math.Pow(-math.Log(1-rng.Float64()), 1/lossShape)
}

// Temperature draws by the network's policy, flattened or sharpened.
type Temperature struct{}

// Name implements Method.
func (Temperature) Name() string { return "temperature" }

// Choose implements Method.
func (Temperature) Choose(s *Situation, dial float64, rng *rand.Rand) int {
	t := (0.3 + 0.22*dial) * (0.5 + 0.5*s.Empty)
	logs := make([]float64, len(s.Candidates))
	for i, c := range s.Candidates {
		logs[i] = math.Log(max(c.Prior, 1e-9)) / t
	}
	return drawBy(logs, rng)
}

// Blinded looks at some points only and plays the likeliest of them: KaTrain's
// calibrated rank (sanderland/katrain, core/ai.py), a kyu for each step of the
// dial from 1d on.
type Blinded struct{}

// Name implements Method.
func (Blinded) Name() string { return "blinded" }

// Choose implements Method.
func (Blinded) Choose(s *Situation, dial float64, rng *rand.Rand) int {
	kyu := 2*dial - 1
	area, points := float64(s.Game.Size().Area()), float64(len(s.Candidates))
	first := s.Candidates[0].Prior
	second := 0.0
	if len(s.Candidates) > 1 {
		second = s.Candidates[1].Prior
	}
	x := points / area
	if first > 0.8*(1-0.5*(1-x)) || first+second > 0.85+max(0, 0.02*(kyu-8)) {
		return 0
	}
	a := 0.063015 + 0.7624*area/math.Pow(10, 1.9482-0.05737*kyu)
	bend := 3.002*x*x - x - 0.034889*kyu - 0.5097
	b := a * (0.3931 + 0.6559*x*math.Exp(-bend*bend) - 0.01093*kyu)
	n := max(1, int(math.Round(points/(1.31165*(b+1)-0.082653))))
	at := len(s.Candidates) - 1
	for _, i := range rng.Perm(len(s.Candidates))[:min(n, len(s.Candidates))] {
		at = min(at, i)
	}
	return at
}
