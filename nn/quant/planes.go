package quant

import (
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// Planes of zeros and ones that come into the network are held exactly by a byte,
// so a plane can be given twice: once as 126 for the weights' whole steps, once
// as 1 for their 126ths. That makes the weights of such a plane as good as exact,
// at the cost of one more input channel. 126*(127+127) fits 16 bits, so these
// weights need no bound on any processor.
const (
	planeOne  = 126
	planeFine = 1
	fineSteps = planeOne / planeFine
)

// mostSplit is how many planes are given twice. With KataGo's 22 planes that makes
// 32 input channels.
const mostSplit = 6

// splitPlanes chooses, for each input of zeros and ones that only integer
// convolutions read, the planes to give twice: those that vary most.
func (g *graph) splitPlanes(s *Stats, selected []*conv) map[string][]int {
	out := map[string][]int{}
	for _, v := range g.m.Graph.Feeds() {
		list := s.channels[v.Name]
		if !g.binaryPlanes(list, v.Name, selected) {
			continue
		}
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		share := func(i int) float64 { return list[i].sum / math.Max(float64(list[i].total), 1) }
		slices.SortStableFunc(order, func(a, b int) int {
			switch x, y := share(a), share(b); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		n := min(mostSplit, len(order))
		for n > 0 && share(order[n-1]) == 0 {
			n--
		}
		// As many as fill up the last step of alignment.
		out[v.Name] = slices.Sorted(slices.Values(order[:n]))
	}
	return out
}

// binaryPlanes reports whether an input holds nothing but zeros and ones and goes
// to integer convolutions only.
func (g *graph) binaryPlanes(list []histogram, name string, selected []*conv) bool {
	if len(list) == 0 {
		return false
	}
	for _, u := range g.users[name] {
		if !slices.ContainsFunc(selected, func(c *conv) bool { return c.node == u }) {
			return false
		}
	}
	for i := range list {
		h := &list[i]
		if h.min < 0 || h.max > 1 || h.sum != h.squares || h.sum != float64(h.total-h.zeros) {
			return false
		}
	}
	return true
}

// makePlanes quantizes an input of zeros and ones, with the channels last.
func (e *emitter) makePlanes(name string, split []int) string {
	n := e.row(name)[0]
	total := e.alignedPlanes(name)
	order, scales := make([]int64, total), make([]float32, total)
	for i := range total {
		switch {
		case i < n:
			order[i], scales[i] = int64(i), 1.0/planeOne
		case i < n+len(split):
			order[i], scales[i] = int64(split[i-n]), 1.0/planeFine
		default: // meets weights of 0 only
			order[i], scales[i] = 0, 1.0/planeFine
		}
	}
	src := e.node("", "Gather", e.names.New(name+".planes"), onnx.Attrs{"axis": onnx.AttrInt(1)}, name, constant(e, name+".order", order, int64(total)))
	mid := e.node("", "QuantizeLinear", e.names.New(name+".boards"+formSuffix[bytes]), onnx.Attrs{"axis": onnx.AttrInt(1)},
		src, constant(e, name+".scales", scales, int64(total)), constant(e, name+".zeros", make([]uint8, total), int64(total)))
	return e.node("", "Transpose", e.names.New(name+formSuffix[bytes]), onnx.Attrs{"perm": onnx.AttrInts(0, 2, 3, 1)}, mid)
}

// alignedPlanes is the number of channels of a split input.
func (e *emitter) alignedPlanes(name string) int {
	n := e.row(name)[0] + len(e.split[name])
	return (n + align - 1) / align * align
}

// planeWeights lays out the weights [out, in, height, width] of a convolution
// that reads a split input.
func (e *emitter) planeWeights(c *conv, q quantizedWeights) ([]int8, int64) {
	total := e.alignedPlanes(c.in)
	split := e.split[c.in]
	out := make([]int8, c.outputs*total*c.kernel)
	for o := range c.outputs {
		row := out[o*total*c.kernel:]
		copy(row, q.values[o*c.inputs*c.kernel:(o+1)*c.inputs*c.kernel])
		copy(row[c.inputs*c.kernel:], q.fine[o*len(split)*c.kernel:(o+1)*len(split)*c.kernel])
	}
	return out, int64(total)
}
