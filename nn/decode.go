package nn

import (
	"math"

	"kosumi/board"
)

// Decode turns the raw outputs of one row, one slice for each of Spec.Outputs, into an Output for
// the side to move of q.Game, in board order. The network was shown the position in orientation
// sym. Decode allocates nothing.
//
// It returns false if some of the network's numbers are NaN or infinite. Outputs that depend on
// these are replaced: the policy by a uniform one, win and loss by one half each, scores by 0.
//
// The arithmetic is KataGo's (nneval.cpp), in float64 and rounded to float32 at the end.
func (c *Codec) Decode(q *Query, sym board.Symmetry, rows [][]float32, s *Scratch, out *Output) bool {
	s.legal = q.Game.LegalMoves(s.legal[:0])
	out.Symmetry, out.FromCache = int8(sym), false
	table := board.SymTable(c.size, sym)
	if q.Optimistic != nil {
		best := *q
		best.Optimism = 1
		c.decodePolicy(&best, table, rows, s, out)
		*q.Optimistic = out.Policy
	}
	ok := c.decodePolicy(q, table, rows, s, out)
	if c.spec.Kind == KindKataGo {
		ok = c.decodeKataGo(q.Game.Rules(), rows, out) && ok
	} else {
		ok = c.decodePlain(q.Game.Rules(), rows, out) && ok
	}
	out.HasOwnership = c.ownership >= 0 && q.NeedOwnership
	if out.HasOwnership {
		ok = c.decodeOwnership(table, rows[c.ownership], out) && ok
	}
	return ok
}

// decodePolicy fills out.Policy: it takes the weights of the legal moves, limits the pass if the
// query asks for it, and divides by the sum.
func (c *Codec) decodePolicy(q *Query, table []board.Point, rows [][]float32, s *Scratch, out *Output) bool {
	area := c.size.Area()
	w := s.weights[:area+1]
	if !c.weights(q, table, rows, s.legal, w) {
		uniform(s.legal, out)
		return false
	}
	if q.Options.PassingHacks {
		capPass(w)
	}
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		uniform(s.legal, out)
		return false
	}
	inv := 1 / sum
	for i, legal := range s.legal {
		if legal {
			out.Policy[i] = float32(w[i] * inv)
		} else {
			out.Policy[i] = -1
		}
	}
	return true
}

// weights sets w to exp((logit-max)/temperature), 0 for illegal moves. If the network
// returns probabilities, their logarithms are the logits. It reports false if a legal
// logit is NaN or +Inf, or all are -Inf.
func (c *Codec) weights(q *Query, table []board.Point, rows [][]float32, legal []bool, w []float64) bool {
	points, pass := rows[c.policy], 0.0
	area := len(table)
	probabilities := c.spec.Policy == PolicySoftmax && c.spec.Kind != KindKataGo
	optimism, scale := c.optimism(q), 1.0
	if q.PolicyTemperature > 0 {
		scale = 1 / float64(q.PolicyTemperature)
	}
	top := math.Inf(-1)
	read := func(a []float32, at, stride int) float64 {
		x := float64(a[at])
		if probabilities {
			return math.Log(x) * scale
		}
		if optimism != 0 {
			x += optimism * (float64(a[at+stride]) - x)
		}
		return x * scale
	}
	if c.pass >= 0 {
		pass = read(rows[c.pass], 0, 1)
	} else {
		pass = read(points, area, c.policyStride)
	}
	bad := false
	for i, p := range table {
		if !legal[i] {
			continue
		}
		x := read(points, int(p), c.policyStride)
		w[i] = x
		bad = bad || x != x
		top = max(top, x)
	}
	w[area] = pass
	top = max(top, pass)
	if bad || math.IsNaN(top) || math.IsInf(top, 0) {
		return false
	}
	for i := range w {
		if legal[i] {
			w[i] = math.Exp(w[i] - top)
		} else {
			w[i] = 0
		}
	}
	return true
}

// optimism returns how much of the second policy channel to blend in.
func (c *Codec) optimism(q *Query) float64 {
	if c.policyChannels < 2 || c.spec.KataGo.MetaEncoder > 0 {
		return 0
	}
	return float64(q.Optimism)
}

// capPass limits the pass to 95 % of the policy, 19 times the sum of all other
// weights. It leaves the pass a weight of at least 1e-20.
func capPass(w []float64) {
	pass := len(w) - 1
	others := 0.0
	for _, x := range w[:pass] {
		others += x
	}
	w[pass] = max(min(w[pass], 19*others), 1e-20)
}

// uniform spreads the policy evenly over the legal moves.
func uniform(legal []bool, out *Output) {
	n := 0
	for _, ok := range legal {
		if ok {
			n++
		}
	}
	for i, ok := range legal {
		if ok {
			out.Policy[i] = 1 / float32(n)
		} else {
			out.Policy[i] = -1
		}
	}
}

// decodePlain fills value and score of networks other than KataGo's.
func (c *Codec) decodePlain(r board.Rules, rows [][]float32, out *Output) bool {
	out.setNoScore()
	ok := true
	if v := rows[c.value]; len(v) >= 3 && c.spec.Value == ValueWDL {
		ok = out.setWDL(float64(v[0]), float64(v[1]), float64(v[2]), noResultPossible(r))
	} else {
		x := float64(v[0])
		if ok = !math.IsNaN(x); !ok {
			x = 0
		}
		x = max(-1, min(1, x))
		out.Win, out.Loss, out.NoResult = float32((1+x)/2), float32((1-x)/2), 0
	}
	if c.score < 0 {
		return ok
	}
	x := float64(rows[c.score][0])
	out.HasScore = true
	return out.setScore(x, x*x, x) && ok
}

func (c *Codec) decodeOwnership(table []board.Point, raw []float32, out *Output) bool {
	ok := true
	for i, p := range table {
		x := float64(raw[p])
		if c.spec.Kind == KindKataGo {
			x = math.Tanh(x)
		}
		if x != x {
			x, ok = 0, false
		}
		out.Ownership[i] = float32(max(-1, min(1, x)))
	}
	return ok
}

// noResultPossible reports whether games under these rules could end without a result in the
// networks' training.
func noResultPossible(r board.Rules) bool {
	return r.Ko == board.KoSimple || r.Scoring == board.ScoringTerritory
}

// setWDL fills the three probabilities from logits.
func (o *Output) setWDL(win, loss, noResult float64, withNoResult bool) bool {
	top := max(win, loss)
	if withNoResult {
		top = max(top, noResult)
	}
	w, l, n := math.Exp(win-top), math.Exp(loss-top), 0.0
	if withNoResult {
		n = math.Exp(noResult - top)
	}
	sum := w + l + n
	if !(sum > 0) { // NaN
		o.Win, o.Loss, o.NoResult = 0.5, 0.5, 0
		return false
	}
	o.Win, o.Loss, o.NoResult = float32(w/sum), float32(l/sum), float32(n/sum)
	return true
}

// setNoScore marks as absent the score and other numbers that only some networks give.
func (o *Output) setNoScore() {
	o.ScoreMean, o.ScoreStdev, o.ScoreMeanSq, o.Lead = 0, 0, 0, 0
	o.VarTimeLeft, o.ErrWinLoss, o.ErrScore = -1, -1, -1
	o.HasScore = false
}
