package onnxref

import (
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// product adds the matrix product of a [m,k] and b [k,n] to out [m,n]; all are row-major.
func product(out, a, b []float64, m, k, n int) {
	for i := range m {
		row := out[i*n : (i+1)*n]
		for j := range k {
			v := a[i*k+j]
			if v == 0 {
				continue
			}
			for x, w := range b[j*n : (j+1)*n] {
				row[x] += v * w
			}
		}
	}
}

func gemm(c *call) *array {
	matrix := func(a *array, flip bool) *array {
		if flip {
			return pick(a, walk([]int{a.dims[1], a.dims[0]}, []int{1, a.dims[1]}, 0), a.dims[1], a.dims[0])
		}
		return a
	}
	a, b := matrix(c.in[0], c.Int("transA", 0) != 0), matrix(c.in[1], c.Int("transB", 0) != 0)
	out := alloc(a.typ, a.dims[0], b.dims[1])
	product(out.v, a.v, b.v, a.dims[0], a.dims[1], b.dims[1])
	alpha, beta := float64(c.Float("alpha", 1)), float64(c.Float("beta", 1))
	for i := range out.v {
		out.v[i] *= alpha
	}
	if bias := c.arg(2); bias != nil {
		for i, j := range spread(bias.dims, out.dims) {
			out.v[i] += beta * bias.v[j]
		}
	}
	return out
}

func matMul(c *call) *array {
	a, b := c.in[0], c.in[1]
	da, db := a.dims, b.dims
	if len(da) == 1 {
		da = []int{1, da[0]}
	}
	if len(db) == 1 {
		db = []int{db[0], 1}
	}
	m, k, n := da[len(da)-2], da[len(da)-1], db[len(db)-1]
	dims := broadcast(da[:len(da)-2], db[:len(db)-2])
	ia, ib := spread(da[:len(da)-2], dims), spread(db[:len(db)-2], dims)
	if len(a.dims) > 1 {
		dims = append(dims, m)
	}
	if len(b.dims) > 1 {
		dims = append(dims, n)
	}
	out := alloc(a.typ, dims...)
	for i := range ia {
		product(out.v[i*m*n:(i+1)*m*n], a.v[ia[i]*m*k:(ia[i]+1)*m*k], b.v[ib[i]*k*n:(ib[i]+1)*k*n], m, k, n)
	}
	return out
}

// softmax computes Softmax, or LogSoftmax if logs is set, along one axis, as opsets from 13 on define them.
func softmax(c *call, logs bool) *array {
	x := c.in[0]
	axis := c.axis(-1, len(x.dims))
	n, inner := x.dims[axis], size(x.dims[axis+1:])
	out := alloc(x.typ, x.dims...)
	for lane := range len(x.v) / n {
		at := walk([]int{n}, []int{inner}, lane/inner*inner*n+lane%inner)
		top, sum := math.Inf(-1), 0.0
		for _, k := range at {
			top = max(top, x.v[k])
		}
		for _, k := range at {
			sum += math.Exp(x.v[k] - top)
		}
		for _, k := range at {
			if out.v[k] = x.v[k] - top - math.Log(sum); !logs {
				out.v[k] = math.Exp(x.v[k]-top) / sum
			}
		}
	}
	return out
}

func batchNorm(c *call) *array {
	x, epsilon := c.in[0], float64(c.Float("epsilon", 1e-5))
	channels, area := x.dims[1], size(x.dims[2:])
	out := alloc(x.typ, x.dims...)
	for k, v := range x.v {
		ch := k / area % channels
		out.v[k] = (v-c.in[3].v[ch])/math.Sqrt(c.in[4].v[ch]+epsilon)*c.in[1].v[ch] + c.in[2].v[ch]
	}
	return out
}

func layerNorm(c *call) *array {
	x, epsilon := c.in[0], float64(c.Float("epsilon", 1e-5))
	n := size(x.dims[c.axis(-1, len(x.dims)):])
	out := alloc(x.typ, x.dims...)
	scale := spread(c.in[1].dims, x.dims)
	for r := range len(x.v) / n {
		row := x.v[r*n : (r+1)*n]
		mid, sq := mean(row), 0.0
		for _, v := range row {
			sq += (v - mid) * (v - mid) / float64(n)
		}
		for i, v := range row {
			out.v[r*n+i] = (v - mid) / math.Sqrt(sq+epsilon) * c.in[1].v[scale[r*n+i]]
		}
	}
	if bias := c.arg(2); bias != nil {
		for i, j := range spread(bias.dims, x.dims) {
			out.v[i] += bias.v[j]
		}
	}
	return out
}

func total(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}

func mean(list []float64) float64 { return total(list) / float64(len(list)) }

func reduce(c *call, join func([]float64) float64) *array {
	x := c.in[0]
	axes := c.list("axes", 1)
	if len(axes) == 0 && c.Int("noop_with_empty_axes", 0) == 0 {
		axes = upTo(len(x.dims))
	}
	return over(x, axes, c.Int("keepdims", 1) != 0, join)
}

// upTo returns the first n axes.
func upTo(n int) (axes []int) {
	for k := range n {
		axes = append(axes, k)
	}
	return axes
}

// over reduces some axes of x: join gets the elements along these axes, in order, and returns one number.
func over(x *array, axes []int, keep bool, join func([]float64) float64) *array {
	from := steps(x.dims)
	var keptDims, keptSteps, goneDims, goneSteps, dims []int
	for k, d := range x.dims {
		switch gone := slices.Contains(axes, k) || slices.Contains(axes, k-len(from)); {
		case !gone:
			keptDims, keptSteps, dims = append(keptDims, d), append(keptSteps, from[k]), append(dims, d)
			continue
		case keep:
			dims = append(dims, 1)
		}
		goneDims, goneSteps = append(goneDims, d), append(goneSteps, from[k])
	}
	out := alloc(x.typ, dims...)
	within := walk(goneDims, goneSteps, 0)
	list := make([]float64, len(within))
	for k, start := range walk(keptDims, keptSteps, 0) {
		for i, at := range within {
			list[i] = x.v[start+at]
		}
		out.v[k] = join(list)
	}
	return out
}

func globalPool(c *call, join func([]float64) float64) *array {
	x := c.in[0]
	return over(x, upTo(len(x.dims))[2:], true, join)
}

// argMax returns the index of the largest element along an axis, the first of several equal ones.
func argMax(c *call) *array {
	out := over(c.in[0], []int{int(c.Int("axis", 0))}, c.Int("keepdims", 1) != 0, func(list []float64) float64 {
		return float64(slices.Index(list, slices.Max(list)))
	})
	out.typ = onnx.Int64
	return out
}

// window has the attributes of a convolution over two axes: y, then x.
type window struct{ k, stride, dil, begin, end, extra []int }

func (c *call) window() window {
	or := func(name string, def ...int) []int {
		if list := c.list(name, math.MaxInt); list != nil {
			return list
		}
		return def
	}
	pads := or("pads", 0, 0, 0, 0)
	return window{c.in[1].dims[2:], or("strides", 1, 1), or("dilations", 1, 1), pads[:2], pads[2:], or("output_padding", 0, 0)}
}

// places returns how often the window fits along axis i of size n.
func (w window) places(i, n int) int {
	return (n+w.begin[i]+w.end[i]-w.dil[i]*(w.k[i]-1)-1)/w.stride[i] + 1
}

// each calls f for every tap of the kernel at each place (y,x) of the window, of which there are h*wd;
// (sy,sx) is the point of the input under the tap.
func (w window) each(h, wd int, f func(y, x, tap, sy, sx int)) {
	for y := range h {
		for x := range wd {
			for tap := range w.k[0] * w.k[1] {
				f(y, x, tap, y*w.stride[0]+tap/w.k[1]*w.dil[0]-w.begin[0], x*w.stride[1]+tap%w.k[1]*w.dil[1]-w.begin[1])
			}
		}
	}
}

// conv multiplies the weights by a matrix whose columns are the inputs under the window at each place.
func conv(c *call) *array {
	x, weight, w := c.in[0], c.in[1], c.window()
	h, wd, group := x.dims[2], x.dims[3], int(c.Int("group", 1))
	outC, inC := weight.dims[0], weight.dims[1]
	out := alloc(x.typ, x.dims[0], outC, w.places(0, h), w.places(1, wd))
	kernel, area, per := w.k[0]*w.k[1], out.dims[2]*out.dims[3], outC/group
	fill(out, c.arg(2))
	for b := range x.dims[0] * group {
		src, seen := x.v[b*inC*h*wd:][:inC*h*wd], make([]float64, inC*kernel*area)
		w.each(out.dims[2], out.dims[3], func(y, x, tap, sy, sx int) {
			if sy < 0 || sy >= h || sx < 0 || sx >= wd {
				return
			}
			for ch := range inC {
				seen[(ch*kernel+tap)*area+y*out.dims[3]+x] = src[(ch*h+sy)*wd+sx]
			}
		})
		product(out.v[b*per*area:][:per*area], weight.v[b%group*per*inC*kernel:], seen, per, inC*kernel, area)
	}
	return out
}

// fill sets each element of out [N,C,H,W] to the bias of its channel, if there is a bias.
func fill(out, bias *array) {
	if bias == nil {
		return
	}
	for k := range out.v {
		out.v[k] = bias.v[k/(out.dims[2]*out.dims[3])%out.dims[1]]
	}
}

func convTranspose(c *call) *array {
	x, weight, w := c.in[0], c.in[1], c.window()
	inC, h, wd, per, group := x.dims[1], x.dims[2], x.dims[3], weight.dims[1], int(c.Int("group", 1))
	side := func(i int) int {
		return w.stride[i]*(x.dims[2+i]-1) + w.extra[i] + w.dil[i]*(w.k[i]-1) + 1 - w.begin[i] - w.end[i]
	}
	out := alloc(x.typ, x.dims[0], per*group, side(0), side(1))
	oh, ow, kernel := out.dims[2], out.dims[3], w.k[0]*w.k[1]
	fill(out, c.arg(2))
	for plane := range x.dims[0] * inC {
		b, ic := plane/inC, plane%inC
		w.each(h, wd, func(y, x0, tap, oy, ox int) {
			if oy < 0 || oy >= oh || ox < 0 || ox >= ow {
				return
			}
			for oc := range per {
				out.v[((b*per*group+ic/(inC/group)*per+oc)*oh+oy)*ow+ox] += x.v[(plane*h+y)*wd+x0] * weight.v[(ic*per+oc)*kernel+tap]
			}
		})
	}
	return out
}
