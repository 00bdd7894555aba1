package autodiff

import (
	"math"

	"kosumi/nn/onnx"
)

// Muon's constants: after muonRounds rounds the quintic a*s + b*s³ + c*s⁵ has moved any singular value
// s between 0 and 1 close to 1 (Jordan 2024).
const (
	muonRounds = 5
	muonA      = 3.4445
	muonB      = -4.7750
	muonC      = 2.0315
	muonSize   = 0.2 // root mean square of a step's elements, about as in AdamW
)

// muon returns the step of a matrix. A kernel is treated as a matrix with one row for each output and
// all other axes as columns.
func (u *update) muon(p *Param, g onnx.Value) onnx.Value {
	b := u.b
	v, store := u.state(muonPrefix, p)
	v = b.Add(b.Mul(v, b.Scalar(u.Momentum)), g)
	store(v)
	g = b.Add(g, b.Mul(v, b.Scalar(u.Momentum)))

	rows := p.Dims[0]
	columns := int64(p.Len()) / rows
	x := b.Reshape(g, rows, columns)
	if rows > columns {
		x = b.Transpose(x, 1, 0) // so that x*x' is the smaller square
	}
	x = orthogonal(b, x)
	if rows > columns {
		x = b.Transpose(x, 1, 0)
	}
	x = b.Mul(x, b.Scalar(muonSize*math.Sqrt(float64(max(rows, columns)))))
	return b.Reshape(x, p.Dims...)
}

// orthogonal brings the singular values of a matrix near 1 by Newton and Schulz's
// iteration: X <- aX + (bA + cA²)X with A = XX'.
func orthogonal(b *onnx.Builder, x onnx.Value) onnx.Value {
	square := b.MatMul(b.Reshape(x, 1, -1), b.Reshape(x, -1, 1))
	x = b.Div(x, b.Add(b.Sqrt(square), b.Scalar(1e-12)))
	for range muonRounds {
		a := b.MatMul(x, b.Transpose(x, 1, 0))
		poly := b.Add(b.Mul(a, b.Scalar(muonB)), b.Mul(b.MatMul(a, a), b.Scalar(muonC)))
		x = b.Add(b.Mul(x, b.Scalar(muonA)), b.MatMul(poly, x))
	}
	return x
}
