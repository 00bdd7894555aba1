package onnx

import "slices"

// window has the attributes of Conv and ConvTranspose, by spatial axis.
type window struct {
	kernel, strides, dilations, begins, ends []int64
	auto                                     string // auto_pad other than NOTSET
}

// window reads the attributes for n spatial axes; a nil kernel is unknown.
func (c *call) window(n int, kernel []int64) window {
	w := window{auto: c.Str("auto_pad", "NOTSET")}
	ints := func(name string, def []int64) []int64 {
		if list, ok := c.Ints(name); ok {
			return list
		}
		return def
	}
	ones := slices.Repeat([]int64{1}, n)
	w.kernel, w.strides, w.dilations = ints("kernel_shape", kernel), ints("strides", ones), ints("dilations", ones)
	pads := ints("pads", make([]int64, 2*n))
	if kernel != nil && !slices.Equal(w.kernel, kernel) {
		c.fail("kernel_shape %v, the weight has %v", w.kernel, kernel)
	}
	if len(pads) != 2*n || len(w.strides) != n || len(w.dilations) != n || w.kernel != nil && len(w.kernel) != n {
		c.fail("kernel %v, strides %v, dilations %v, pads %v for %d spatial axes", w.kernel, w.strides, w.dilations, pads, n)
	}
	outside := func(least int64, list []int64) bool {
		return slices.ContainsFunc(list, func(v int64) bool { return v < least || v > 1<<31 })
	}
	if outside(1, w.strides) || outside(1, w.dilations) || outside(1, w.kernel) || outside(0, pads) {
		c.fail("kernel %v, strides %v, dilations %v, pads %v: out of range", w.kernel, w.strides, w.dilations, pads)
	}
	w.begins, w.ends = pads[:n], pads[n:]
	switch w.auto {
	case "", "NOTSET":
		w.auto = ""
	case "VALID":
		w.auto, w.begins, w.ends = "", make([]int64, n), make([]int64, n)
	case "SAME_UPPER", "SAME_LOWER":
	default:
		c.fail("auto_pad %q", w.auto)
	}
	return w
}

// slide returns how many places the window has along axis i of size d.
func (c *call) slide(w window, i int, d Dim) Dim {
	if w.auto != "" {
		if d.Known() {
			return D((d.Size + w.strides[i] - 1) / w.strides[i])
		}
		if w.strides[i] == 1 {
			return d
		}
		return UnknownDim
	}
	if w.kernel == nil {
		return UnknownDim
	}
	extra := w.begins[i] + w.ends[i] - w.dilations[i]*(w.kernel[i]-1)
	if !d.Known() {
		if extra == 0 && w.strides[i] == 1 {
			return d
		}
		return UnknownDim
	}
	room := d.Size + extra - 1
	if room < 0 {
		c.fail("a window of %d with dilation %d does not fit into %d with padding %d and %d",
			w.kernel[i], w.dilations[i], d.Size, w.begins[i], w.ends[i])
	}
	return D(room/w.strides[i] + 1)
}

// convInputs checks type and shapes of x and the weight against each other. If one has unknown
// rank, the output's shape is unknown, and x and w are nil.
func (c *call) convInputs() (typ DataType, x, w Shape) {
	typ, x, w = c.floats(0, 1, 2), c.shape(0), c.shape(1)
	if x == nil || w == nil {
		c.give(0, typ, nil)
		return typ, nil, nil
	}
	if len(x) < 3 || len(w) != len(x) {
		c.fail("input %q is %v and weight %q is %v", c.Input(0), x, c.Input(1), w)
	}
	return typ, x, w
}

// bias checks that input 2, if any, is a vector of n numbers.
func (c *call) bias(n Dim) {
	b := c.shape(2)
	if !c.has(2) || b == nil {
		return
	}
	if len(b) != 1 || b[0].Known() && n.Known() && b[0] != n {
		c.fail("bias %q is %v for %v channels", c.Input(2), b, n)
	}
}

// kernelOf returns the spatial sizes of a weight, nil where one is not known.
func kernelOf(w Shape) []int64 {
	k, _ := w[2:].Sizes()
	return k
}

func inferConv(c *call) {
	typ, x, w := c.convInputs()
	if x == nil {
		return
	}
	group := c.Int("group", 1)
	if in := w[1]; group < 1 || x[1].Known() && in.Known() && (x[1].Size%group != 0 || x[1].Size/group != in.Size) {
		c.fail("input %q has %v channels, weight %q takes %v in each of %d groups", c.Input(0), x[1], c.Input(1), in, group)
	}
	c.bias(w[0])
	win := c.window(len(x)-2, kernelOf(w))
	out := Shape{x[0], w[0]}
	for i, d := range x[2:] {
		out = append(out, c.slide(win, i, d))
	}
	c.give(0, typ, out)
}

func inferConvTranspose(c *call) {
	typ, x, w := c.convInputs()
	if x == nil {
		return
	}
	if x[1].Known() && w[0].Known() && x[1] != w[0] {
		c.fail("input %q has %v channels, weight %q takes %v", c.Input(0), x[1], c.Input(1), w[0])
	}
	channels, group := UnknownDim, c.Int("group", 1)
	if w[1].Known() && group > 0 && group < 1<<31 && w[1].Size < 1<<31 {
		channels = D(w[1].Size * group)
	}
	c.bias(channels)
	c.give(0, typ, append(Shape{x[0], channels}, c.unslide(x[2:], kernelOf(w))...))
}

// unslide returns the spatial sizes of the result of ConvTranspose. They are unknown if auto_pad or
// output_shape decides them, or if the sizes of the input or of the kernel are unknown.
func (c *call) unslide(in Shape, kernel []int64) Shape {
	win := c.window(len(in), kernel)
	out := slices.Repeat(Shape{UnknownDim}, len(in))
	if _, given := c.Ints("output_shape"); given || win.auto != "" || win.kernel == nil {
		return out
	}
	more := make([]int64, len(in))
	if p, ok := c.Ints("output_padding"); ok {
		if len(p) != len(in) {
			c.fail("output_padding %v for %d spatial axes", p, len(in))
		}
		more = p
	}
	for i, d := range in {
		extra := more[i] + win.dilations[i]*(win.kernel[i]-1) - win.begins[i] - win.ends[i]
		switch {
		case d.Known() && d.Size < 1<<31:
			n := win.strides[i]*(d.Size-1) + extra + 1
			if n < 0 {
				c.fail("spatial axis %d of the result would be %d", i, n)
			}
			out[i] = D(n)
		case win.strides[i] == 1 && extra == 0:
			out[i] = d
		}
	}
	return out
}

func inferGlobalPool(c *call) {
	typ := c.floats(0)
	x := c.shape(0)
	if x == nil {
		return
	}
	if len(x) < 2 {
		c.fail("input %q is %v, at least 2 dimensions are needed", c.Input(0), x)
	}
	out := slices.Clone(x)
	for i := 2; i < len(out); i++ {
		out[i] = D(1)
	}
	c.give(0, typ, out)
}

func inferBatchNorm(c *call) {
	typ := c.floats(0)
	x := c.shape(0)
	channels := UnknownDim
	if len(x) > 1 {
		channels = x[1]
	}
	for i := 1; i < 5; i++ {
		s := c.shape(i)
		if s != nil && (len(s) != 1 || s[0].Known() && channels.Known() && s[0] != channels) {
			c.fail("input %d (%q) is %v for %v channels", i, c.Input(i), s, channels)
		}
	}
	c.give(0, typ, x)
	for i := 1; i < len(c.out); i++ {
		c.give(i, c.at(1).typ, Shape{channels})
	}
}

func inferLayerNorm(c *call) {
	typ := c.floats(0)
	x := c.shape(0)
	c.give(0, typ, x)
	if x == nil {
		return
	}
	axis := c.axis(c.Int("axis", -1), len(x))
	stat := slices.Clone(x)
	for i := axis; i < len(stat); i++ {
		stat[i] = D(1)
	}
	c.give(1, Float, stat)
	c.give(2, Float, stat)
}
