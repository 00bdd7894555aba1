package onnxref

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// spatial lists convolutions and pools, over one or two spatial axes.
func spatial() map[string]kernel {
	return map[string]kernel{
		"Conv":              conv,
		"ConvTranspose":     convTranspose,
		"MaxPool":           func(c *call) ([]*array, error) { return pool(c, maxOf) },
		"AveragePool":       func(c *call) ([]*array, error) { return pool(c, meanOf) },
		"GlobalAveragePool": func(c *call) ([]*array, error) { return globalPool(c, meanOf) },
		"GlobalMaxPool":     func(c *call) ([]*array, error) { return globalPool(c, maxOf) },
	}
}

// window is what a node says about its sliding window: y, then x.
type window struct{ k, stride, dil, begin, end, extra [2]int }

// flat returns a value of one spatial axis as one of two, the first of size 1.
func flat(a *array) (*array, error) {
	switch len(a.dims) {
	case 3:
		return a.view(a.dims[0], a.dims[1], 1, a.dims[2]), nil
	case 4:
		return a, nil
	}
	return nil, fmt.Errorf("%w: %d spatial axes", onnx.ErrUnsupported, len(a.dims)-2)
}

// window reads the attributes; kernel is the size of the weight, or nil where
// an attribute tells it. in are the spatial sizes of the input.
func (c *call) window(rank int, kernel, in []int) (window, error) {
	w := window{k: [2]int{1, 1}, stride: [2]int{1, 1}, dil: [2]int{1, 1}}
	first := 2 - rank // a missing first axis keeps its defaults
	fill := func(dst *[2]int, list []int) error {
		if list != nil && len(list) != rank {
			return errShape("%v for %d spatial axes", list, rank)
		}
		copy(dst[first:], list)
		return nil
	}
	if kernel == nil {
		kernel = c.list("kernel_shape", math.MaxInt)
	}
	pads := c.list("pads", math.MaxInt)
	if pads == nil {
		pads = make([]int, 2*rank)
	}
	if len(pads) != 2*rank {
		return w, errShape("pads %v for %d spatial axes", pads, rank)
	}
	for _, f := range []struct {
		dst  *[2]int
		list []int
	}{{&w.k, kernel}, {&w.stride, c.list("strides", math.MaxInt)}, {&w.dil, c.list("dilations", math.MaxInt)},
		{&w.begin, pads[:rank]}, {&w.end, pads[rank:]}, {&w.extra, c.list("output_padding", math.MaxInt)}} {
		if err := fill(f.dst, f.list); err != nil {
			return w, err
		}
	}
	auto := c.Str("auto_pad", "NOTSET")
	if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		for i := first; i < 2; i++ {
			n := in[i-first]
			total := max(((n+w.stride[i]-1)/w.stride[i]-1)*w.stride[i]+w.dil[i]*(w.k[i]-1)+1-n, 0)
			w.begin[i], w.end[i] = total/2, total-total/2
			if auto == "SAME_LOWER" {
				w.begin[i], w.end[i] = w.end[i], w.begin[i]
			}
		}
	}
	return w, nil
}

// places returns along axis i how often the window fits.
func (w window) places(i, n int, ceil bool) int {
	room := n + w.begin[i] + w.end[i] - w.dil[i]*(w.k[i]-1) - 1
	places := room/w.stride[i] + 1
	// Rounding up may add a last place, unless that begins in the padding.
	if ceil && room%w.stride[i] != 0 && places*w.stride[i] < n+w.begin[i] {
		places++
	}
	return places
}

// squeezed drops the spatial axis that flat added.
func squeezed(a *array, rank int) *array {
	if rank == 1 {
		return a.view(a.dims[0], a.dims[1], a.dims[3])
	}
	return a
}

func conv(c *call) ([]*array, error) {
	x, err := flat(c.in[0])
	if err != nil {
		return nil, err
	}
	weight, err := flat(c.in[1])
	if err != nil {
		return nil, err
	}
	rank := len(c.in[0].dims) - 2
	w, err := c.window(rank, c.in[1].dims[2:], c.in[0].dims[2:])
	if err != nil {
		return nil, err
	}
	n, h, wd := x.dims[0], x.dims[2], x.dims[3]
	outC, inC := weight.dims[0], weight.dims[1]
	group := int(c.Int("group", 1))
	if x.dims[1] != inC*group || outC%group != 0 {
		return nil, errShape("input %v, weight %v, group %d", x.dims, weight.dims, group)
	}
	out := alloc(x.typ, n, outC, w.places(0, h, false), w.places(1, wd, false))
	oh, ow := out.dims[2], out.dims[3]
	area, taps, per := oh*ow, inC*w.k[0]*w.k[1], outC/group
	for b := range n {
		for g := range group {
			dst := out.f[(b*outC+g*per)*area:][:per*area]
			if bias := c.arg(2); bias != nil {
				for i := range dst {
					dst[i] = bias.f[g*per+i/area]
				}
			}
			src := x.f[(b*group+g)*inC*h*wd:][:inC*h*wd]
			product(dst, weight.f[g*per*taps:][:per*taps], columns(src, inC, h, wd, oh, ow, w), per, taps, area)
		}
	}
	return []*array{squeezed(out, rank)}, nil
}

// columns lays out what each place of the window sees: one row for each channel
// and each point of the kernel, one column for each place.
func columns(src []float64, channels, h, wd, oh, ow int, w window) []float64 {
	cols := make([]float64, 0, channels*w.k[0]*w.k[1]*oh*ow)
	for c := range channels {
		plane := src[c*h*wd:][:h*wd]
		for ky := range w.k[0] {
			for kx := range w.k[1] {
				for y := range oh {
					sy := y*w.stride[0] + ky*w.dil[0] - w.begin[0]
					for x := range ow {
						sx := x*w.stride[1] + kx*w.dil[1] - w.begin[1]
						v := 0.0
						if sy >= 0 && sy < h && sx >= 0 && sx < wd {
							v = plane[sy*wd+sx]
						}
						cols = append(cols, v)
					}
				}
			}
		}
	}
	return cols
}

func convTranspose(c *call) ([]*array, error) {
	x, err := flat(c.in[0])
	if err != nil {
		return nil, err
	}
	weight, err := flat(c.in[1])
	if err != nil {
		return nil, err
	}
	if _, given := c.Attrs["output_shape"]; given || c.Str("auto_pad", "NOTSET") != "NOTSET" {
		return nil, fmt.Errorf("%w: ConvTranspose with output_shape or auto_pad", onnx.ErrUnsupported)
	}
	rank := len(c.in[0].dims) - 2
	w, err := c.window(rank, c.in[1].dims[2:], c.in[0].dims[2:])
	if err != nil {
		return nil, err
	}
	group := int(c.Int("group", 1))
	n, inC, h, wd := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	per := weight.dims[1]
	var o [2]int
	for i := range o {
		o[i] = w.stride[i]*(x.dims[2+i]-1) + w.extra[i] + w.dil[i]*(w.k[i]-1) + 1 - w.begin[i] - w.end[i]
	}
	if inC != weight.dims[0] || o[0] < 0 || o[1] < 0 {
		return nil, errShape("input %v, weight %v", x.dims, weight.dims)
	}
	out := alloc(x.typ, n, per*group, o[0], o[1])
	if bias := c.arg(2); bias != nil {
		for k := range out.f {
			out.f[k] = bias.f[k/(o[0]*o[1])%(per*group)]
		}
	}
	for b := range n {
		for ic := range inC {
			src := x.f[(b*inC+ic)*h*wd:][:h*wd]
			for oc := range per {
				dst := out.f[(b*per*group+ic/(inC/group)*per+oc)*o[0]*o[1]:][:o[0]*o[1]]
				k := weight.f[(ic*per+oc)*w.k[0]*w.k[1]:][:w.k[0]*w.k[1]]
				scatter(dst, src, k, o, h, wd, w)
			}
		}
	}
	return []*array{squeezed(out, rank)}, nil
}

// scatter adds one plane's share of a transposed convolution.
func scatter(dst, src, kernel []float64, o [2]int, h, wd int, w window) {
	for y := range h {
		for x := range wd {
			for ky := range w.k[0] {
				for kx := range w.k[1] {
					oy := y*w.stride[0] + ky*w.dil[0] - w.begin[0]
					ox := x*w.stride[1] + kx*w.dil[1] - w.begin[1]
					if oy >= 0 && oy < o[0] && ox >= 0 && ox < o[1] {
						dst[oy*o[1]+ox] += src[y*wd+x] * kernel[ky*w.k[1]+kx]
					}
				}
			}
		}
	}
}

func maxOf(list []float64, _ int) float64 { return slices.Max(list) }

func meanOf(list []float64, n int) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(n)
}

func pool(c *call, join func(list []float64, n int) float64) ([]*array, error) {
	if c.Output(1) != "" {
		return nil, fmt.Errorf("%w: indices of MaxPool", onnx.ErrUnsupported)
	}
	if typ := c.in[0].typ; !typ.IsFloat() {
		return nil, fmt.Errorf("%w: %s of %v", onnx.ErrUnsupported, c.OpType, typ)
	}
	x, err := flat(c.in[0])
	if err != nil {
		return nil, err
	}
	rank := len(c.in[0].dims) - 2
	w, err := c.window(rank, nil, c.in[0].dims[2:])
	if err != nil {
		return nil, err
	}
	h, wd := x.dims[2], x.dims[3]
	ceil := c.Int("ceil_mode", 0) != 0
	out := alloc(x.typ, x.dims[0], x.dims[1], w.places(0, h, ceil), w.places(1, wd, ceil))
	oh, ow := out.dims[2], out.dims[3]
	for k := range out.f {
		src := x.f[k/(oh*ow)*h*wd:][:h*wd]
		y0, x0 := k/ow%oh*w.stride[0]-w.begin[0], k%ow*w.stride[1]-w.begin[1]
		var list []float64
		padded := 0
		for ky := range w.k[0] {
			for kx := range w.k[1] {
				sy, sx := y0+ky*w.dil[0], x0+kx*w.dil[1]
				if sy >= -w.begin[0] && sy < h+w.end[0] && sx >= -w.begin[1] && sx < wd+w.end[1] {
					padded++
				}
				if sy >= 0 && sy < h && sx >= 0 && sx < wd {
					list = append(list, src[sy*wd+sx])
				}
			}
		}
		count := len(list)
		if c.Int("count_include_pad", 0) != 0 {
			count = padded
		}
		if len(list) == 0 {
			return nil, errShape("a pooling window lies outside the input")
		}
		out.f[k] = join(list, count)
	}
	return []*array{squeezed(out, rank)}, nil
}

func globalPool(c *call, join func(list []float64, n int) float64) ([]*array, error) {
	x := c.in[0]
	dims := slices.Clone(x.dims)
	for k := 2; k < len(dims); k++ {
		dims[k] = 1
	}
	out := alloc(x.typ, dims...)
	area := size(x.dims[2:])
	if area == 0 {
		return nil, errShape("nothing to pool in %v", x.dims)
	}
	for k := range out.f {
		out.f[k] = join(x.f[k*area:(k+1)*area], area)
	}
	return []*array{out}, nil
}
