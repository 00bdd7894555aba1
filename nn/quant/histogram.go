package quant

import (
	"fmt"
	"math"
)

// bins of a histogram; half of them are for negative numbers.
const bins = 2048

// histogram counts numbers in bins of one width, a power of two, so that
// histograms can be added whatever ranges they cover.
type histogram struct {
	width    float64 // of a bin; 0 until the first number that is not 0
	counts   []uint32
	zeros    uint64 // exact zeros, which quantize without error
	min, max float32
	total    uint64
	sum      float64
	squares  float64
}

func (h *histogram) add(data []float32) error {
	if h.counts == nil {
		h.counts = make([]uint32, bins)
		h.min, h.max = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	lo, hi, sum, squares := h.min, h.max, 0.0, 0.0
	for _, x := range data {
		lo, hi = min(lo, x), max(hi, x)
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("%w: the float network gives NaN or infinite numbers", ErrCalibration)
	}
	h.min, h.max = lo, hi
	h.sum += sum
	h.squares += squares
	h.total += uint64(len(data))
	h.cover(math.Max(math.Abs(float64(lo)), math.Abs(float64(hi))))
	if h.width == 0 {
		h.zeros += uint64(len(data))
		return nil
	}
	inv := float32(1 / h.width)
	for _, x := range data {
		if x == 0 {
			h.zeros++
			continue
		}
		i := int(math.Floor(float64(x * inv)))
		h.counts[min(max(i+bins/2, 0), bins-1)]++
	}
	return nil
}

// cover widens the bins until numbers up to most in size have one.
func (h *histogram) cover(most float64) {
	if most == 0 {
		return
	}
	if h.width == 0 {
		h.width = math.Exp2(math.Ceil(math.Log2(most / (bins / 2))))
	}
	for h.width*(bins/2) < most {
		h.widen()
	}
}

// widen doubles the width of the bins.
func (h *histogram) widen() {
	wide := make([]uint32, bins)
	for i, n := range h.counts {
		j := i - bins/2
		wide[(j>>1)+bins/2] += n
	}
	h.counts, h.width = wide, 2*h.width
}

// merge adds the numbers of another histogram, mapped by m. Exact zeros stay so
// where m has no shift.
func (h *histogram) merge(o *histogram, m affine) {
	if o.total == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint32, bins)
		h.min, h.max = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	lo, hi := float64(o.min)*m.scale+m.shift, float64(o.max)*m.scale+m.shift
	h.min, h.max = min(h.min, float32(lo)), max(h.max, float32(hi))
	h.total += o.total
	h.cover(math.Max(math.Abs(lo), math.Abs(hi)))
	put := func(x float64, n uint64) {
		if n == 0 {
			return
		}
		if x == 0 || h.width == 0 {
			h.zeros += n
			return
		}
		i := int(math.Floor(x/h.width)) + bins/2
		h.counts[min(max(i, 0), bins-1)] += uint32(n)
	}
	put(m.shift, o.zeros)
	for i, n := range o.counts {
		if n > 0 {
			put(min(max(o.value(i)*m.scale+m.shift, lo), hi), uint64(n))
		}
	}
}

// value is the middle of bin i.
func (h *histogram) value(i int) float64 { return (float64(i-bins/2) + 0.5) * h.width }
