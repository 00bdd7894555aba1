package quant

import "math"

// levels of an 8-bit number.
const levels = 256

// params map numbers to unsigned bytes: q = round(x/scale) + zero, clipped to
// 0..255.
type params struct {
	scale float32
	zero  uint8
}

// paramsFor covers lo..hi, which is widened to hold 0, so that 0 is one of the
// levels exactly.
func paramsFor(lo, hi float64) params {
	lo, hi = min(lo, 0), max(hi, 0)
	if hi-lo < 1e-30 {
		return params{scale: 1}
	}
	step := (hi - lo) / (levels - 1)
	ideal := -lo / step
	// With the zero point rounded, one end lies inside the range by less than a
	// step: the step is stretched until both fit. Round to where that is less.
	best, zero := math.Inf(1), 0.0
	for _, z := range []float64{math.Floor(ideal), math.Ceil(ideal)} {
		s := step
		if z < levels-1 {
			s = max(s, hi/(levels-1-z))
		}
		if z > 0 {
			s = max(s, -lo/z)
		}
		if covers := (z > 0 || lo == 0) && (z < levels-1 || hi == 0); covers && s < best {
			best, zero = s, z
		}
	}
	return params{scale: float32(best), zero: uint8(zero)}
}

func (p params) low() float64  { return -float64(p.zero) * float64(p.scale) }
func (p params) high() float64 { return (levels - 1 - float64(p.zero)) * float64(p.scale) }

// choose returns the parameters for numbers with that histogram.
func choose(h *histogram, o Options) params {
	lo, hi := float64(min(h.min, 0)), float64(max(h.max, 0))
	if h.width == 0 || o.Method == Max {
		return paramsFor(lo, hi)
	}
	switch o.Method {
	case Percentile:
		return paramsFor(h.quantile(o.Percentile), h.quantile(1-o.Percentile))
	case Entropy:
		return narrow(lo, hi, h.divergence)
	}
	return narrow(lo, hi, h.squaredError)
}

// narrow looks for the range within lo..hi that costs least: first both ends
// together, then each alone.
func narrow(lo, hi float64, cost func(params) float64) params {
	best, least := paramsFor(lo, hi), math.Inf(1)
	bestLo, bestHi := lo, hi
	try := func(l, h float64) {
		p := paramsFor(l, h)
		if c := cost(p); c < least {
			best, least, bestLo, bestHi = p, c, l, h
		}
	}
	const steps = 48
	for i := range steps {
		f := math.Pow(0.1, float64(i)/steps) // down to a tenth
		try(lo*f, hi*f)
	}
	for range 2 {
		l, h := bestLo, bestHi
		for i := -8; i <= 8; i++ {
			f := 1 + float64(i)/40
			try(max(l*f, lo), h)
		}
		l = bestLo
		for i := -8; i <= 8; i++ {
			f := 1 + float64(i)/40
			try(l, min(h*f, hi))
		}
	}
	return best
}

// quantile returns the number that the share p of all lies below, at most 0 for
// small p and at least 0 for large.
func (h *histogram) quantile(p float64) float64 {
	target := p * float64(h.total)
	seen := 0.0
	for i, n := range h.counts {
		if i == bins/2 {
			seen += float64(h.zeros)
		}
		seen += float64(n)
		if seen >= target && seen > 0 {
			return h.value(i)
		}
	}
	return float64(h.max)
}

// squaredError is the mean squared error of rounding and clipping.
func (h *histogram) squaredError(p params) float64 {
	lo, hi := p.low(), p.high()
	step := float64(p.scale)
	inside := step * step / 12
	sum := 0.0
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		x := h.value(i)
		e := inside
		switch {
		case x < lo:
			e = (x - lo) * (x - lo)
		case x > hi:
			e = (x - hi) * (x - hi)
		}
		sum += float64(n) * e
	}
	return sum / float64(h.total)
}

// divergence is the Kullback-Leibler divergence from the numbers' distribution
// to that of their quantized form; numbers outside the range count at its ends.
func (h *histogram) divergence(p params) float64 {
	lo, hi := p.low(), p.high()
	first := max(int(math.Floor(lo/h.width))+bins/2, 0)
	last := min(int(math.Ceil(hi/h.width))+bins/2, bins) - 1
	if last <= first {
		return math.Inf(1)
	}
	dist := make([]float64, last-first+1)
	for i, n := range h.counts {
		dist[min(max(i, first), last)-first] += float64(n)
	}
	var total [levels]float64 // of the numbers inside, without what was clipped
	var filled [levels]int
	level := func(i int) int {
		q := math.Round(h.value(first+i)/float64(p.scale)) + float64(p.zero)
		return int(min(max(q, 0), levels-1))
	}
	for i := range dist {
		if n := h.counts[first+i]; n > 0 {
			q := level(i)
			total[q] += float64(n)
			filled[q]++
		}
	}
	var all, kept float64
	for _, n := range dist {
		all += n
	}
	for _, n := range total {
		kept += n
	}
	if all == 0 || kept == 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for i, n := range dist {
		if n == 0 {
			continue
		}
		q := level(i)
		share := 1e-12
		if filled[q] > 0 && h.counts[first+i] > 0 {
			share = total[q] / float64(filled[q]) / kept
		}
		sum += n / all * math.Log(n/all/share)
	}
	return sum
}
