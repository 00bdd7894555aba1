package onnxref

import (
	"math"

	"kosumi/nn/onnx"
)

// linear lists matrix products, norms and softmax.
func linear() map[string]kernel {
	return map[string]kernel{
		"Gemm":               gemm,
		"MatMul":             matMul,
		"Softmax":            func(c *call) ([]*array, error) { return softmax(c, false) },
		"LogSoftmax":         func(c *call) ([]*array, error) { return softmax(c, true) },
		"BatchNormalization": batchNorm,
		"LayerNormalization": layerNorm,
	}
}

// product adds a [m,k] times b [k,n] to out [m,n], all row-major slices.
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

// transposed returns a [rows,cols] matrix turned over its diagonal.
func transposed(a []float64, rows, cols int) []float64 {
	out := make([]float64, len(a))
	for r := range rows {
		for c := range cols {
			out[c*rows+r] = a[r*cols+c]
		}
	}
	return out
}

func gemm(c *call) ([]*array, error) {
	mat := func(a *array, flip bool) ([]float64, int, int) {
		if flip {
			return transposed(a.f, a.dims[0], a.dims[1]), a.dims[1], a.dims[0]
		}
		return a.f, a.dims[0], a.dims[1]
	}
	a, m, k := mat(c.in[0], c.Int("transA", 0) != 0)
	b, k2, n := mat(c.in[1], c.Int("transB", 0) != 0)
	if k != k2 {
		return nil, errShape("%v times %v", c.in[0].dims, c.in[1].dims)
	}
	out := alloc(c.in[0].typ, m, n)
	product(out.f, a, b, m, k, n)
	alpha, beta := float64(c.Float("alpha", 1)), float64(c.Float("beta", 1))
	for i := range out.f {
		out.f[i] *= alpha
	}
	if bias := c.arg(2); bias != nil {
		dims, err := broadcast(bias.dims, out.dims)
		if err != nil || len(dims) != 2 || dims[0] != m || dims[1] != n {
			return nil, errShape("bias %v for a result of %v", bias.dims, out.dims)
		}
		for i, j := range spread(bias.dims, out.dims) {
			out.f[i] += beta * bias.f[j]
		}
	}
	return []*array{out}, nil
}

func matMul(c *call) ([]*array, error) {
	a, b := c.in[0], c.in[1]
	da, db := a.dims, b.dims
	if len(da) == 0 || len(db) == 0 {
		return nil, errShape("MatMul of a scalar")
	}
	if len(da) == 1 {
		da = []int{1, da[0]}
	}
	if len(db) == 1 {
		db = []int{db[0], 1}
	}
	m, k, n := da[len(da)-2], da[len(da)-1], db[len(db)-1]
	if db[len(db)-2] != k {
		return nil, errShape("%v times %v", a.dims, b.dims)
	}
	batch, err := broadcast(da[:len(da)-2], db[:len(db)-2])
	if err != nil {
		return nil, err
	}
	out := alloc(a.typ, append(append([]int{}, batch...), m, n)...)
	ia, ib := spread(da[:len(da)-2], batch), spread(db[:len(db)-2], batch)
	for i := range ia {
		product(out.f[i*m*n:(i+1)*m*n], a.f[ia[i]*m*k:(ia[i]+1)*m*k], b.f[ib[i]*k*n:(ib[i]+1)*k*n], m, k, n)
	}
	dims := append([]int{}, batch...)
	if len(a.dims) > 1 {
		dims = append(dims, m)
	}
	if len(b.dims) > 1 {
		dims = append(dims, n)
	}
	return []*array{out.view(dims...)}, nil
}

// softmax works along one axis; before opset 13 over all axes from it on.
func softmax(c *call, logs bool) ([]*array, error) {
	x := c.in[0]
	def := int64(-1)
	if c.opset < 13 {
		def = 1
	}
	axis, err := c.axis(c.Int("axis", def), len(x.dims))
	if err != nil {
		return nil, err
	}
	n, inner := x.dims[axis], size(x.dims[axis+1:])
	if c.opset < 13 {
		n, inner = size(x.dims[axis:]), 1
	}
	out := alloc(x.typ, x.dims...)
	for start := range x.len() / max(n, 1) {
		first := start/inner*inner*n + start%inner
		top := math.Inf(-1)
		for i := range n {
			top = max(top, x.f[first+i*inner])
		}
		sum := 0.0
		for i := range n {
			sum += math.Exp(x.f[first+i*inner] - top)
		}
		for i := range n {
			v := x.f[first+i*inner] - top
			if logs {
				out.f[first+i*inner] = v - math.Log(sum)
			} else {
				out.f[first+i*inner] = math.Exp(v) / sum
			}
		}
	}
	return []*array{out}, nil
}

// batchNorm normalises with the given statistics, or in training with those of
// the batch, when it also returns the running ones.
func batchNorm(c *call) ([]*array, error) {
	x, mean, variance := c.in[0], c.in[3].f, c.in[4].f
	channels, area := x.dims[1], size(x.dims[2:])
	outs := []*array{alloc(x.typ, x.dims...)}
	if c.Int("training_mode", 0) != 0 {
		mean, variance = channelStats(x)
		momentum := float64(c.Float("momentum", 0.9))
		for i, batch := range [][]float64{mean, variance} {
			running := alloc(c.in[3+i].typ, channels)
			for ch := range channels {
				running.f[ch] = momentum*c.in[3+i].f[ch] + (1-momentum)*batch[ch]
			}
			outs = append(outs, running)
		}
	}
	epsilon := float64(c.Float("epsilon", 1e-5))
	for k, v := range x.f {
		ch := k / area % channels
		outs[0].f[k] = (v-mean[ch])/math.Sqrt(variance[ch]+epsilon)*c.in[1].f[ch] + c.in[2].f[ch]
	}
	return outs, nil
}

// channelStats returns mean and variance (divided by the count) per channel.
func channelStats(x *array) (mean, variance []float64) {
	channels, area := x.dims[1], size(x.dims[2:])
	mean, variance = make([]float64, channels), make([]float64, channels)
	n := float64(x.dims[0] * area)
	for k, v := range x.f {
		mean[k/area%channels] += v / n
	}
	for k, v := range x.f {
		d := v - mean[k/area%channels]
		variance[k/area%channels] += d * d / n
	}
	return mean, variance
}

func layerNorm(c *call) ([]*array, error) {
	x := c.in[0]
	axis, err := c.axis(c.Int("axis", -1), len(x.dims))
	if err != nil {
		return nil, err
	}
	n := size(x.dims[axis:])
	epsilon := float64(c.Float("epsilon", 1e-5))
	stat := append([]int{}, x.dims...)
	for k := axis; k < len(stat); k++ {
		stat[k] = 1
	}
	out, means, invs := alloc(x.typ, x.dims...), alloc(onnx.Float, stat...), alloc(onnx.Float, stat...)
	scale, shift := spread(c.in[1].dims, x.dims), []int(nil)
	if b := c.arg(2); b != nil {
		shift = spread(b.dims, x.dims)
	}
	for r := range means.f {
		mean, sq := 0.0, 0.0
		row := x.f[r*n : (r+1)*n]
		for _, v := range row {
			mean += v / float64(n)
		}
		for _, v := range row {
			sq += (v - mean) * (v - mean) / float64(n)
		}
		inv := 1 / math.Sqrt(sq+epsilon)
		means.f[r], invs.f[r] = mean, inv
		for i, v := range row {
			out.f[r*n+i] = (v - mean) * inv * c.in[1].f[scale[r*n+i]]
			if shift != nil {
				out.f[r*n+i] += c.in[2].f[shift[r*n+i]]
			}
		}
	}
	return []*array{out, means, invs}, nil
}
