package autodiff

import (
	"slices"

	"kosumi/nn/onnx"
)

// geometry describes a two-dimensional convolution.
type geometry struct {
	in, out       [2]int64 // height and width
	kernel        [2]int64
	stride, dilat [2]int64
	pads          [4]int64 // top, left, bottom, right
	group         int64
}

// geometry returns the geometry of a Conv, given the dimensions of its input, weight and output.
func (s *step) geometry(in, w, out []int64) geometry {
	n := s.n
	g := geometry{stride: [2]int64{1, 1}, dilat: [2]int64{1, 1}, group: n.Int("group", 1)}
	if len(in) != 4 {
		s.fail("%d-dimensional convolution", len(in)-2)
		return g
	}
	g.in, g.kernel, g.out = [2]int64(in[2:]), [2]int64(w[2:]), [2]int64(out[2:])
	for name, dst := range map[string][]int64{"strides": g.stride[:], "dilations": g.dilat[:], "pads": g.pads[:]} {
		if list, ok := n.Ints(name); ok {
			copy(dst, list)
		}
	}
	if pad := n.Str("auto_pad", "NOTSET"); pad != "NOTSET" && pad != "VALID" {
		s.fail("auto_pad %s; give pads instead", pad)
	}
	return g
}

func (g geometry) plain1x1() bool {
	return g.kernel == [2]int64{1, 1} && g.stride == [2]int64{1, 1} && g.pads == [4]int64{}
}

// plain3x3 reports whether a convolution is 3x3 and keeps its input's size, without groups or
// dilation.
func (g geometry) plain3x3() bool {
	one := [2]int64{1, 1}
	return g.kernel == [2]int64{3, 3} && g.group == 1 && g.stride == one && g.dilat == one && g.pads == [4]int64{1, 1, 1, 1}
}

// conv: x [N,C,H,W], w [O,C/group,kH,kW], bias [O].
func conv(s *step) {
	x, w, out := s.dims(s.x(0)), s.dims(s.x(1)), s.dims(s.y(0))
	g := s.geometry(x, w, out)
	if s.err != nil {
		return
	}
	dy := s.fullDy()
	if s.wants(0) {
		s.add(0, s.convBack(dy, s.x(1), g, w, x, out))
	}
	if s.wants(1) {
		s.add(1, s.convWeight(s.x(0), dy, g, w))
	}
	if s.wants(2) {
		s.add(2, s.reshape(s.sumAxes(dy, []int64{0, 2, 3}), []int64{w[0]}))
	}
}

// convBack returns the derivative with respect to a convolution's input: for stride 1 a
// convolution with the kernel turned round and its channels exchanged.
func (t *tape) convBack(dy, w value, g geometry, wd, in, out []int64) value {
	var o onnx.ConvOptions
	o.Dilations, o.Group = g.dilat[:], g.group
	reach := [2]int64{g.dilat[0] * (g.kernel[0] - 1), g.dilat[1] * (g.kernel[1] - 1)}
	back := [4]int64{reach[0] - g.pads[0], reach[1] - g.pads[1], reach[0] - g.pads[2], reach[1] - g.pads[3]}
	if g.group == 1 && g.stride == [2]int64{1, 1} && slices.Min(back[:]) >= 0 {
		o.Pads = back[:]
		return t.b.ConvWith(dy, t.turned(w, g.kernel), "", o)
	}
	o.Strides, o.Pads = g.stride[:], g.pads[:]
	o.OutputPad = []int64{0, 0}
	for i := range 2 {
		made := (out[2+i]-1)*g.stride[i] - g.pads[i] - g.pads[2+i] + reach[i] + 1
		o.OutputPad[i] = in[2+i] - made
	}
	return t.b.ConvTranspose(dy, w, "", o)
}

// turned returns w [O,C,kH,kW] as [C,O,kH,kW] with the kernel turned by 180 degrees.
func (t *tape) turned(w value, kernel [2]int64) value {
	w = t.b.Transpose(w, 1, 0, 2, 3)
	var axes, starts, ends, steps []int64
	for i, k := range kernel {
		if k > 1 {
			axes, starts, ends, steps = append(axes, int64(2+i)), append(starts, -1), append(ends, -k-1), append(steps, -1)
		}
	}
	if len(axes) == 0 {
		return w
	}
	return t.b.SliceAxes(w, axes, starts, ends, steps)
}

// convWeight returns the derivative with respect to a convolution's weight, [O,C/group,kH,kW].
func (t *tape) convWeight(x, dy value, g geometry, w []int64) value {
	if t.kernels && g.plain3x3() {
		exchanged := func(v value) value { return t.b.Transpose(v, 1, 0, 2, 3) }
		return exchanged(t.b.Conv(exchanged(x), exchanged(dy), "", 1, 1, 1, 1))
	}
	if g.group == 1 {
		return t.weightProduct(x, dy, g, w)
	}
	xs := t.parts(x, g.group)
	dys := t.parts(dy, g.group)
	list := make([]value, g.group)
	one := []int64{w[0] / g.group, w[1], w[2], w[3]}
	for i := range list {
		list[i] = t.weightProduct(xs[i], dys[i], g, one)
	}
	return t.b.Concat(0, list...)
}

// parts cuts [N,C,H,W] into n blocks of channels.
func (t *tape) parts(v value, n int64) []value {
	size := t.dims(v)[1] / n
	list := make([]value, n)
	for i := range list {
		list[i] = t.b.Slice(v, 1, int64(i)*size, int64(i+1)*size)
	}
	return list
}

// maxPatchBytes bounds the memory for the patches of one product, unless 8 channels need more.
const maxPatchBytes = 64 << 20

// weightProduct computes the derivative of a weight as a matrix product: patches of x, [C*kH*kW,
// outH*outW*N], by dy, [O, outH*outW*N]. The batch comes last, so that patches are copied in runs
// of N numbers and both matrices are in the layout that the product reads. If the patches of all
// channels are too large, there is one product for each part of the channels.
func (t *tape) weightProduct(x, dy value, g geometry, w []int64) value {
	n := t.dims(x)[0]
	points := g.out[0] * g.out[1]
	rows := t.b.Reshape(t.batchLast(dy), w[0], points*n)
	part := max(1, maxPatchBytes/(4*g.kernel[0]*g.kernel[1]*points*n))
	part = max(min(part, w[1]), min(8, w[1]))
	var list []value
	for at := int64(0); at < w[1]; at += part {
		size := min(part, w[1]-at)
		list = append(list, t.gemm(t.patches(x, g, at, size, w[1]), rows, false, true))
	}
	v := list[0]
	if len(list) > 1 {
		v = t.b.Concat(0, list...)
	}
	if g.kernel == [2]int64{1, 1} {
		return t.b.Reshape(t.b.Transpose(v, 1, 0), w...)
	}
	return t.b.Transpose(t.b.Reshape(v, w[1], w[2], w[3], w[0]), 3, 0, 1, 2)
}

// batchLast returns [N,C,H,W] as [C*H*W,N]. Convolutions that share an input share the result.
func (t *tape) batchLast(v value) value {
	if u, ok := t.turnedBatch[v]; ok {
		return u
	}
	d := t.dims(v)
	u := t.b.Transpose(t.reshape(v, []int64{d[0], d[1] * d[2] * d[3]}), 1, 0)
	t.turnedBatch[v] = u
	return u
}

// patchKey identifies a result of the method patches.
type patchKey struct {
	x        value
	g        geometry
	at, size int64
}

// patches turns consecutive channels of [N,C,H,W] into [size*kH*kW, outH*outW*N]: for each
// channel and place in the kernel, the input under that place at each point of the result.
func (t *tape) patches(x value, g geometry, at, size, channels int64) value {
	key := patchKey{x, g, at, size}
	if v, ok := t.patched[key]; ok {
		return v
	}
	d := t.dims(x)
	n, area := d[0], d[2]*d[3]
	v := t.b.Reshape(t.batchLast(x), d[1], area, n)
	if size != channels {
		v = t.b.Slice(v, 0, at, at+size)
	}
	if !g.plain1x1() {
		if g.pads != [4]int64{} { // an extra row of zeros for points outside the board
			v = t.b.Concat(1, v, t.b.Const(onnx.NewTensor("", make([]float32, size*n), size, 1, n)))
		}
		v = t.b.Gather(v, t.b.Ints(g.reads(d[2], d[3])...), 1)
	}
	v = t.b.Reshape(v, size*g.kernel[0]*g.kernel[1], g.out[0]*g.out[1]*n)
	t.patched[key] = v
	return v
}

// reads lists, for each place in the kernel and each point of the result, the input point used
// there; h*w stands for a point outside.
func (g geometry) reads(h, w int64) []int64 {
	var index []int64
	for ky := range g.kernel[0] {
		for kx := range g.kernel[1] {
			for y := range g.out[0] {
				for x := range g.out[1] {
					at := y*g.stride[0] + ky*g.dilat[0] - g.pads[0]
					left := x*g.stride[1] + kx*g.dilat[1] - g.pads[1]
					if at < 0 || at >= h || left < 0 || left >= w {
						index = append(index, h*w)
					} else {
						index = append(index, at*w+left)
					}
				}
			}
		}
	}
	return index
}
