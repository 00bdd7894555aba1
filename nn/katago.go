package nn

import (
	"math"

	"kosumi/board"
)

// decodeKataGo fills value and score from a KataGo network's three value
// logits and its score values, by model version (KataGo's nneval.cpp).
func (c *Codec) decodeKataGo(r board.Rules, rows [][]float32, out *Output) bool {
	out.setNoScore()
	out.HasScore = true
	value := rows[c.value]
	var sv [6]float64
	for i := range c.scoreValues {
		sv[i] = float64(rows[c.scoreValue][i])
	}
	version := c.spec.KataGo.Version
	ok := out.setWDL(float64(value[0]), float64(value[1]), float64(value[2]), version == 3 || noResultPossible(r))
	if version == 3 {
		ok = c.decodeArctanScore(sv[0], out) && ok
	} else {
		ok = c.decodeScore(&sv, out) && ok
	}
	if version >= 9 {
		ok = c.decodeErrors(&sv, out) && ok
	}
	return ok
}

// decodeScore fills mean, spread and lead (versions 4 and later). Games without
// a result count as a score of 0.
func (c *Codec) decodeScore(sv *[6]float64, out *Output) bool {
	m := &c.spec.KataGo.Multipliers
	mean := sv[0] * m.ScoreMean
	stdev := softplus(sv[1]) * m.ScoreStdev
	meanSq := mean*mean + stdev*stdev
	lead := sv[0] * m.Lead
	if c.spec.KataGo.Version >= 8 {
		lead = sv[2] * m.Lead
	}
	played := 1 - float64(out.NoResult)
	return out.setScore(mean*played, meanSq*played, lead*played)
}

// decodeArctanScore fills the score of version 3, which has no spread.
func (c *Codec) decodeArctanScore(raw float64, out *Output) bool {
	t := math.Atan(raw) * 2 / math.Pi
	side := math.Sqrt(float64(c.size.Area()))
	mean := max(-1e6, min(1e6, math.Tan(t*math.Pi/2))) * 2 * side
	return out.setScore(mean, mean*mean, mean)
}

// decodeErrors fills VarTimeLeft and the short-term errors (versions 9 and later).
func (c *Codec) decodeErrors(sv *[6]float64, out *Output) bool {
	m := &c.spec.KataGo.Multipliers
	left := softplus(sv[3]) * m.VarTime
	var value, score float64
	switch v := c.spec.KataGo.Version; {
	case v >= 14:
		value = softplus(sv[4]/2) * math.Sqrt(m.STValueError)
		score = softplus(sv[5]/2) * math.Sqrt(m.STScoreError)
	case v >= 10:
		value = math.Sqrt(softplus(sv[4]) * m.STValueError)
		score = math.Sqrt(softplus(sv[5]) * m.STScoreError)
	default:
		value = softplus(sv[4])
		score = 10 * softplus(sv[5])
	}
	if !fits(left) || !fits(value) || !fits(score) {
		return false
	}
	out.VarTimeLeft, out.ErrWinLoss, out.ErrScore = float32(left), float32(value), float32(score)
	return true
}

// setScore stores the moments of the score, or none if they are not finite.
func (o *Output) setScore(mean, meanSq, lead float64) bool {
	if !fits(mean) || !fits(meanSq) || !fits(lead) {
		o.ScoreMean, o.ScoreMeanSq, o.ScoreStdev, o.Lead = 0, 0, 0, 0
		return false
	}
	o.ScoreMean, o.ScoreMeanSq, o.Lead = float32(mean), float32(meanSq), float32(lead)
	o.ScoreStdev = float32(math.Sqrt(max(0, meanSq-mean*mean)))
	return true
}

// fits reports whether x is a number that float32 can hold.
func fits(x float64) bool { return math.Abs(x) < math.MaxFloat32/2 }

// softplus returns ln(1+e^z), or z itself where the two do not differ measurably.
func softplus(z float64) float64 {
	if z > 40 {
		return z
	}
	return math.Log1p(math.Exp(z))
}
