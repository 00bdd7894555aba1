package onnx

import "slices"

// window has the attributes of Conv and ConvTranspose, by spatial axis.
type window struct {
	kernel, strides, dilations, begins, ends []int64
	auto                                     string // auto_pad other than NOTSET
}

// window reads the attributes for n spatial axes; kernel is nil if unknown.
func (c *call) window(n int, kernel []int64) (window, error) {
	w := window{kernel: kernel, auto: c.Str("auto_pad", "NOTSET")}
	ones := slices.Repeat([]int64{1}, n)
	if k, ok := c.Ints("kernel_shape"); ok {
		if kernel != nil && !slices.Equal(k, kernel) {
			return w, c.errorf("kernel_shape %v, the weight has %v", k, kernel)
		}
		w.kernel = k
	}
	w.strides, w.dilations = ones, ones
	if s, ok := c.Ints("strides"); ok {
		w.strides = s
	}
	if d, ok := c.Ints("dilations"); ok {
		w.dilations = d
	}
	pads := make([]int64, 2*n)
	if p, ok := c.Ints("pads"); ok {
		pads = p
	}
	if len(pads) != 2*n || len(w.strides) != n || len(w.dilations) != n || w.kernel != nil && len(w.kernel) != n {
		return w, c.errorf("kernel %v, strides %v, dilations %v, pads %v for %d spatial axes", w.kernel, w.strides, w.dilations, pads, n)
	}
	w.begins, w.ends = pads[:n], pads[n:]
	for i := range n {
		if w.strides[i] < 1 || w.dilations[i] < 1 || w.kernel != nil && w.kernel[i] < 1 || pads[i] < 0 || pads[n+i] < 0 {
			return w, c.errorf("kernel %v, strides %v, dilations %v, pads %v: out of range", w.kernel, w.strides, w.dilations, pads)
		}
		if big := int64(1 << 31); w.strides[i] > big || w.dilations[i] > big || w.kernel != nil && w.kernel[i] > big || pads[i] > big || pads[n+i] > big {
			return w, c.errorf("kernel %v, strides %v, dilations %v, pads %v: out of range", w.kernel, w.strides, w.dilations, pads)
		}
	}
	switch w.auto {
	case "", "NOTSET":
		w.auto = ""
	case "VALID":
		w.auto, w.begins, w.ends = "", make([]int64, n), make([]int64, n)
	case "SAME_UPPER", "SAME_LOWER":
	default:
		return w, c.errorf("auto_pad %q", w.auto)
	}
	return w, nil
}

// slide returns how many places the window has along axis i of size d.
func (c *call) slide(w window, i int, d Dim) (Dim, error) {
	if w.auto != "" {
		if d.Known() {
			return D((d.Size + w.strides[i] - 1) / w.strides[i]), nil
		}
		if w.strides[i] == 1 {
			return d, nil
		}
		return UnknownDim, nil
	}
	if w.kernel == nil {
		return UnknownDim, nil
	}
	extra := w.begins[i] + w.ends[i] - w.dilations[i]*(w.kernel[i]-1)
	if !d.Known() {
		if extra == 0 && w.strides[i] == 1 {
			return d, nil
		}
		return UnknownDim, nil
	}
	room := d.Size + extra - 1
	if room < 0 {
		return Dim{}, c.errorf("a window of %d with dilation %d does not fit into %d with padding %d and %d",
			w.kernel[i], w.dilations[i], d.Size, w.begins[i], w.ends[i])
	}
	return D(room/w.strides[i] + 1), nil
}

// convInputs checks type and shapes of x and the weight against each other.
// If one is of unknown rank the output is of unknown shape and both are nil.
func (c *call) convInputs() (typ DataType, x, w Shape, err error) {
	if typ, err = c.floats(0, 1, 2); err != nil {
		return typ, nil, nil, err
	}
	x, w = c.shape(0), c.shape(1)
	if x == nil || w == nil {
		c.give(0, typ, nil)
		return typ, nil, nil, nil
	}
	if len(x) < 3 || len(w) != len(x) {
		return typ, nil, nil, c.errorf("input %q is %v and weight %q is %v", c.Input(0), x, c.Input(1), w)
	}
	return typ, x, w, nil
}

// bias checks that input 2, if any, is a vector of n.
func (c *call) bias(n Dim) error {
	b := c.shape(2)
	if !c.has(2) || b == nil {
		return nil
	}
	if len(b) != 1 || b[0].Known() && n.Known() && b[0] != n {
		return c.errorf("bias %q is %v for %v channels", c.Input(2), b, n)
	}
	return nil
}

// kernelOf returns the spatial sizes of a weight, nil where one is not known.
func kernelOf(w Shape) []int64 {
	k, ok := w[2:].Sizes()
	if !ok {
		return nil
	}
	return k
}

func inferConv(c *call) error {
	typ, x, w, err := c.convInputs()
	if err != nil || x == nil {
		return err
	}
	group := c.Int("group", 1)
	if in := w[1]; group < 1 || x[1].Known() && in.Known() && (x[1].Size%group != 0 || x[1].Size/group != in.Size) {
		return c.errorf("input %q has %v channels, weight %q takes %v in each of %d groups", c.Input(0), x[1], c.Input(1), in, group)
	}
	if err := c.bias(w[0]); err != nil {
		return err
	}
	win, err := c.window(len(x)-2, kernelOf(w))
	if err != nil {
		return err
	}
	out := Shape{x[0], w[0]}
	for i, d := range x[2:] {
		o, err := c.slide(win, i, d)
		if err != nil {
			return err
		}
		out = append(out, o)
	}
	c.give(0, typ, out)
	return nil
}

func inferConvTranspose(c *call) error {
	typ, x, w, err := c.convInputs()
	if err != nil || x == nil {
		return err
	}
	if x[1].Known() && w[0].Known() && x[1] != w[0] {
		return c.errorf("input %q has %v channels, weight %q takes %v", c.Input(0), x[1], c.Input(1), w[0])
	}
	channels, group := UnknownDim, c.Int("group", 1)
	if w[1].Known() && group > 0 && group < 1<<31 && w[1].Size < 1<<31 {
		channels = D(w[1].Size * group)
	}
	if err := c.bias(channels); err != nil {
		return err
	}
	out := Shape{x[0], channels}
	spatial, err := c.unslide(x[2:], kernelOf(w))
	if err != nil {
		return err
	}
	c.give(0, typ, append(out, spatial...))
	return nil
}

// unslide returns the spatial sizes that ConvTranspose makes; unknown ones where
// auto_pad or output_shape decides.
func (c *call) unslide(in Shape, kernel []int64) (Shape, error) {
	win, err := c.window(len(in), kernel)
	if err != nil {
		return nil, err
	}
	out := slices.Repeat(Shape{UnknownDim}, len(in))
	if _, given := c.Ints("output_shape"); given || win.auto != "" || win.kernel == nil {
		return out, nil
	}
	more := make([]int64, len(in))
	if p, ok := c.Ints("output_padding"); ok {
		if len(p) != len(in) {
			return nil, c.errorf("output_padding %v for %d spatial axes", p, len(in))
		}
		more = p
	}
	for i, d := range in {
		extra := more[i] + win.dilations[i]*(win.kernel[i]-1) - win.begins[i] - win.ends[i]
		switch {
		case d.Known() && d.Size < 1<<31:
			n := win.strides[i]*(d.Size-1) + extra + 1
			if n < 0 {
				return nil, c.errorf("spatial axis %d of the result would be %d", i, n)
			}
			out[i] = D(n)
		case win.strides[i] == 1 && extra == 0:
			out[i] = d
		}
	}
	return out, nil
}

func inferGlobalPool(c *call) error {
	typ, err := c.floats(0)
	if err != nil {
		return err
	}
	x := c.shape(0)
	if x == nil {
		c.give(0, typ, nil)
		return nil
	}
	if len(x) < 2 {
		return c.errorf("input %q is %v, at least 2 dimensions are needed", c.Input(0), x)
	}
	out := slices.Clone(x)
	for i := 2; i < len(out); i++ {
		out[i] = D(1)
	}
	c.give(0, typ, out)
	return nil
}

func inferBatchNorm(c *call) error {
	typ, err := c.floats(0)
	if err != nil {
		return err
	}
	x := c.shape(0)
	channels := UnknownDim
	if len(x) > 1 {
		channels = x[1]
	}
	for i := 1; i < 5; i++ {
		s := c.shape(i)
		if s != nil && (len(s) != 1 || s[0].Known() && channels.Known() && s[0] != channels) {
			return c.errorf("input %d (%q) is %v for %v channels", i, c.Input(i), s, channels)
		}
	}
	c.give(0, typ, x)
	for i := 1; i < len(c.out); i++ {
		c.give(i, c.at(1).typ, Shape{channels})
	}
	return nil
}

func inferLayerNorm(c *call) error {
	typ, err := c.floats(0)
	if err != nil {
		return err
	}
	x := c.shape(0)
	c.give(0, typ, x)
	if x == nil {
		return nil
	}
	axis, err := c.axis(c.Int("axis", -1), len(x))
	if err != nil {
		return err
	}
	stat := slices.Clone(x)
	for i := axis; i < len(stat); i++ {
		stat[i] = D(1)
	}
	c.give(1, Float, stat)
	c.give(2, Float, stat)
	return nil
}
