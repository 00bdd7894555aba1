package katago

import (
	"math"

	"kosumi/nn/onnx"
)

// rmsNorm normalises tokens [N,S,C]. Except in FormExact, the norm's weights are folded into the
// matrix products that follow.
func (e *emitter) rmsNorm(b *onnx.Builder, v onnx.Value, n *RMSNorm) onnx.Value {
	v = e.divideByRMS(b, v, n.Epsilon, 2)
	if e.exact {
		v = b.Mul(v, b.Floats("scale", n.Weights, int64(n.Channels)))
	}
	return v
}

// projection multiplies normalised tokens by m; except in FormExact, n is folded into m.
func (e *emitter) projection(b *onnx.Builder, v onnx.Value, m *MatMul, n *RMSNorm, factor float64, order []int) onnx.Value {
	if e.exact {
		return e.matmul(b, v, m)
	}
	return b.MatMul(v, b.Floats("weight", m.folded(n, factor, order), int64(m.In), int64(m.Out)))
}

// folded returns the matrix with each row multiplied by its weight in the norm, and by the factor.
// If an order is given, column i of the result is column order[i] of the file.
func (m *MatMul) folded(n *RMSNorm, factor float64, order []int) []float32 {
	folded := make([]float32, len(m.Weights))
	for i := range folded {
		row, column := i/m.Out, i%m.Out
		if order != nil {
			column = order[column]
		}
		folded[i] = float32(float64(m.Weights[row*m.Out+column]) * float64(n.Weights[row]) * factor)
	}
	return folded
}

// attention adds attention over all points to tokens x [N,S,C]. Heads that share a key and value
// head form a separate axis: [N,kvHeads,group,S,dim].
func (e *emitter) attention(b *onnx.Builder, x onnx.Value, k *Attention) onnx.Value {
	sharpness := 1 / math.Sqrt(float64(k.QDim))
	n := e.rmsNorm(b.In("norm"), x, &k.Norm)
	if e.kernels {
		return b.Add(x, e.matmul(b.In("o"), e.kernelAttention(b, n, k, sharpness), &k.O))
	}
	q := e.projection(b.In("q"), n, &k.Q, &k.Norm, sharpness, k.halves(1, k.Heads*k.QDim/2))
	key := e.projection(b.In("k"), n, &k.K, &k.Norm, 1, k.halves(1, k.KVHeads*k.QDim/2))
	value := e.projection(b.In("v"), n, &k.V, &k.Norm, 1, nil)
	q, key = e.turn(b, q, key, k)
	value = e.heads(b.In("v"), value, k.KVHeads, 1, k.VDim)
	if e.exact {
		q = b.Mul(q, b.Scalar(sharpness))
	}
	scores := b.MatMul(q, b.Transpose(key, 0, 1, 2, 4, 3))
	v := b.MatMul(b.Softmax(scores, -1), value)
	v = b.Transpose(v, 0, 3, 1, 2, 4)
	v = b.Reshape(v, 0, int64(e.area()), int64(k.Heads*k.VDim))
	return b.Add(x, e.matmul(b.In("o"), v, &k.O))
}

// kernelAttention adds attention as one node for the kernels. Its input is the product of the
// normalised tokens n and one matrix for queries, keys and values.
func (e *emitter) kernelAttention(b *onnx.Builder, n onnx.Value, k *Attention, sharpness float64) onnx.Value {
	parts := [][]float32{k.Q.folded(&k.Norm, sharpness, k.halves(k.Heads, k.QDim/2)),
		k.K.folded(&k.Norm, 1, k.halves(k.KVHeads, k.QDim/2)), k.V.folded(&k.Norm, 1, nil)}
	var weights []float32
	for row := range k.Q.In {
		for _, part := range parts {
			outs := len(part) / k.Q.In
			weights = append(weights, part[row*outs:][:outs]...)
		}
	}
	w := b.In("qkv").Floats("weight", weights, int64(k.Q.In), int64(len(weights)/k.Q.In))
	inputs := []onnx.Value{b.In("qkv").MatMul(n, w)}
	if k.UseRope {
		turns := tables(b, e.anglesByHead(k, 1), int64(e.area()), int64(k.KVHeads), int64(k.QDim/2))
		inputs = append(inputs, turns.cos, turns.sin)
	}
	b.UseDomain(onnx.KernelDomain, onnx.KernelVersion)
	return b.Node(onnx.KernelDomain, "Attention", 1, onnx.Attrs{"heads": onnx.AttrInt(int64(k.Heads)), "kv_heads": onnx.AttrInt(int64(k.KVHeads)),
		"q_dim": onnx.AttrInt(int64(k.QDim)), "v_dim": onnx.AttrInt(int64(k.VDim))}, inputs...)[0]
}

// turn splits queries and keys into heads and rotates them by position if the block uses rotation.
func (e *emitter) turn(b *onnx.Builder, q, key onnx.Value, k *Attention) (turnedQ, turnedK onnx.Value) {
	group := k.Heads / k.KVHeads
	switch bq, bk := b.In("q"), b.In("k"); {
	case !k.UseRope:
		return e.heads(bq, q, k.KVHeads, group, k.QDim), e.heads(bk, key, k.KVHeads, 1, k.QDim)
	case e.exact:
		rot := e.rotation(b.In("rope"), k)
		return e.heads(bq, e.turnPairs(bq, q, k, group, rot), k.KVHeads, group, k.QDim),
			e.heads(bk, e.turnPairs(bk, key, k, 1, rot), k.KVHeads, 1, k.QDim)
	default:
		wide, narrow := e.wideRotation(b.In("rope"), k, group)
		return e.turnHalves(bq, q, k, group, wide), e.turnHalves(bk, key, k, 1, narrow)
	}
}

// rotation holds cosines and sines: [S, kvHeads or 1, 1, pairs, 1] for turnPairs, [S, heads*pairs]
// for turnHalves, [S, kvHeads, pairs] for the kernels.
type rotation struct{ cos, sin onnx.Value }

// heads turns tokens [N,S,kvHeads*group*dim] into [N,kvHeads,group,S,dim].
func (e *emitter) heads(b *onnx.Builder, v onnx.Value, kv, group, dim int) onnx.Value {
	v = b.Reshape(v, 0, int64(e.area()), int64(kv), int64(group), int64(dim))
	return b.Transpose(v, 0, 2, 3, 1, 4)
}

// turnPairs rotates tokens [N,S,kvHeads*group*dim] in the file's order, in which the two numbers
// of a pair are neighbours. The result is [N,S,kvHeads,group,pairs,2].
func (e *emitter) turnPairs(b *onnx.Builder, v onnx.Value, k *Attention, group int, rot *rotation) onnx.Value {
	v = b.Reshape(v, 0, int64(e.area()), int64(k.KVHeads), int64(group), int64(k.QDim/2), 2)
	first, second := b.Slice(v, 5, 0, 1), b.Slice(v, 5, 1, 2)
	return b.Concat(5,
		b.Sub(b.Mul(first, rot.cos), b.Mul(second, rot.sin)),
		b.Add(b.Mul(first, rot.sin), b.Mul(second, rot.cos)))
}

// halves returns the order in which rotation wants the columns of queries or keys; nil without
// rotation. Each block of columns holds the first numbers of all its pairs, then the second ones. A
// block is one head for the kernels, and all heads for turnHalves. The order is free, since queries and
// keys are only ever multiplied with each other. On a CPU, rotation is about four times as fast in
// this order as with the two numbers of a pair side by side.
func (b *Attention) halves(blocks, pairs int) (order []int) {
	if !b.UseRope {
		return nil
	}
	for block := range blocks {
		for second := range 2 {
			for i := range pairs {
				order = append(order, 2*(block*pairs+i)+second)
			}
		}
	}
	return order
}

// turnHalves rotates tokens [N,S,2*heads*pairs], whose columns are in the order that the method
// halves returns. The result is [N,kvHeads,group,S,dim].
func (e *emitter) turnHalves(b *onnx.Builder, v onnx.Value, k *Attention, group int, rot *rotation) onnx.Value {
	s, kv, g, pairs := int64(e.area()), int64(k.KVHeads), int64(group), int64(k.QDim/2)
	half := kv * g * pairs
	first, second := b.Slice(v, 2, 0, half), b.Slice(v, 2, half, 2*half)
	v = b.Concat(2,
		b.Sub(b.Mul(first, rot.cos), b.Mul(second, rot.sin)),
		b.Add(b.Mul(first, rot.sin), b.Mul(second, rot.cos)))
	v = b.Transpose(b.Reshape(v, 0, s, 2, kv, g, pairs), 0, 3, 4, 1, 2, 5)
	return b.Reshape(v, 0, kv, g, s, 2*pairs)
}

// rotation makes an attention block's cosines and sines for FormExact.
func (e *emitter) rotation(b *onnx.Builder, k *Attention) *rotation {
	if k.Learned {
		return e.learnedRotation(b, k)
	}
	kv, angles := e.angles(k)
	return tables(b, angles, int64(e.area()), int64(kv), 1, int64(k.QDim/2), 1)
}

// wideRotation makes the tables for turnHalves, of queries and of keys.
func (e *emitter) wideRotation(b *onnx.Builder, k *Attention, group int) (queries, keys *rotation) {
	wide := func(b *onnx.Builder, group int) *rotation {
		return tables(b, e.anglesByHead(k, group), int64(e.area()), int64(k.KVHeads*group*k.QDim/2))
	}
	queries = wide(b.In("q"), group)
	if group == 1 {
		return queries, queries
	}
	return queries, wide(b.In("k"), 1)
}

// anglesByHead returns the angles of every head, indexed [point][head][pair]. The query heads that
// share a key head have equal angles; group is their number, or 1 for the angles of keys.
func (e *emitter) anglesByHead(k *Attention, group int) (all []float64) {
	pairs := k.QDim / 2
	kv, angles := e.angles(k)
	for p := range e.area() {
		for h := range k.KVHeads * group {
			from := (p*kv + h/group%kv) * pairs
			all = append(all, angles[from:from+pairs]...)
		}
	}
	return all
}

func tables(b *onnx.Builder, angles []float64, dims ...int64) *rotation {
	cos, sin := make([]float32, len(angles)), make([]float32, len(angles))
	for i, a := range angles {
		cos[i], sin[i] = float32(math.Cos(a)), float32(math.Sin(a))
	}
	return &rotation{cos: b.Const(onnx.NewTensor("", cos, dims...)), sin: b.Const(onnx.NewTensor("", sin, dims...))}
}

// angles returns an attention block's angles, indexed [point][kvHead][pair]; kv is 1 where all
// heads turn alike. Points count row by row from the top left corner. With a fixed table the
// first half of the pairs turns by the row and the second by the column.
func (e *emitter) angles(k *Attention) (kv int, angles []float64) {
	pairs := k.QDim / 2
	kv = 1
	if k.Learned {
		kv = k.KVHeads
	}
	for p := range e.area() {
		x, y := float64(p%e.size.W), float64(p/e.size.W)
		for j := range kv * pairs {
			switch half := pairs / 2; {
			case k.Learned:
				angles = append(angles, x*float64(k.Rope.Freqs[2*j])+y*float64(k.Rope.Freqs[2*j+1]))
			case j < half:
				angles = append(angles, y*math.Pow(k.Rope.Theta, -2*float64(j)/float64(pairs)))
			default:
				angles = append(angles, x*math.Pow(k.Rope.Theta, -2*float64(j-half)/float64(pairs)))
			}
		}
	}
	return kv, angles
}

// learnedRotation computes the tables from the frequencies inside the graph, so
// that these can be trained.
func (e *emitter) learnedRotation(b *onnx.Builder, k *Attention) *rotation {
	kv, pairs := int64(k.KVHeads), int64(k.QDim/2)
	var points []float32
	for p := range e.area() {
		points = append(points, float32(p%e.size.W), float32(p/e.size.W))
	}
	freqs := b.Floats("freqs", k.Rope.Freqs, kv, pairs, 2)
	at := b.Const(onnx.NewTensor("", points, int64(e.area()), 2))
	angles := b.MatMul(at, b.Transpose(b.Reshape(freqs, kv*pairs, 2), 1, 0))
	angles = b.Reshape(angles, int64(e.area()), kv, 1, pairs, 1)
	return &rotation{cos: b.Op("Cos", nil, angles), sin: b.Op("Sin", nil, angles)}
}

// feedForward adds (silu(n·lin1) * (n·gate))·lin2 to tokens x [N,S,C].
func (e *emitter) feedForward(b *onnx.Builder, x onnx.Value, k *FeedForward) onnx.Value {
	n := e.rmsNorm(b.In("norm"), x, &k.Norm)
	u := e.act(b.In("lin1"), e.projection(b.In("lin1"), n, &k.Lin1, &k.Norm, 1, nil), SiLU)
	v := b.Mul(u, e.projection(b.In("gate"), n, &k.Gate, &k.Norm, 1, nil))
	return b.Add(x, e.matmul(b.In("lin2"), v, &k.Lin2))
}
