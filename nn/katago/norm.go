package katago

import "math"

// merge gives the norm as out = scale*x + bias, in float32 as KataGo does it.
func (n *Norm) merge() (scale, bias []float32) {
	scale = make([]float32, n.Channels)
	bias = make([]float32, n.Channels)
	eps := float32(n.Epsilon)
	for c := range scale {
		s, b := float32(1), float32(0)
		if n.HasScale {
			s = n.Scale[c]
		}
		if n.HasBias {
			b = n.Bias[c]
		}
		scale[c] = s / float32(math.Sqrt(float64(n.Var[c]+eps)))
		bias[c] = b - float32(scale[c]*n.Mean[c])
	}
	return scale, bias
}

// plain reports whether the record holds no statistics: mean 0, variance 1 and a negligible
// epsilon, so that only scale and bias act.
func (n *Norm) plain() bool {
	if 1+float32(n.Epsilon) != 1 {
		return false
	}
	for c := range n.Mean {
		if math.Float32bits(n.Mean[c]) != 0 || n.Var[c] != 1 {
			return false
		}
	}
	return true
}
