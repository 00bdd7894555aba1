package nntest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// Network is a small network with random weights.
type Network struct {
	Model []byte // ONNX
	Spec  nn.Spec
	graph *onnx.Model
}

// Reference computes the outputs for one row of each input by package onnxref.
func (n *Network) Reference(inputs [][]float32) [][]float32 {
	in := map[string][]float32{}
	for i := range inputs {
		in[n.Spec.Inputs[i].Name] = inputs[i]
	}
	out, err := onnxref.RunFloats(n.graph, in)
	if err != nil {
		panic(fmt.Sprintf("nntest: %s: %v", n.Spec.Name, err))
	}
	outputs := make([][]float32, len(n.Spec.Outputs))
	for i := range outputs {
		outputs[i] = out[n.Spec.Outputs[i].Name]
	}
	return outputs
}

// RandomRow draws one row of each input: planes of zeros and ones, globals
// around zero.
func (n *Network) RandomRow(rng *rand.Rand) [][]float32 {
	rows := make([][]float32, len(n.Spec.Inputs))
	for i := range rows {
		in := &n.Spec.Inputs[i]
		rows[i] = make([]float32, in.Len())
		for j := range rows[i] {
			if in.Role == nn.RoleSpatial {
				rows[i][j] = float32(rng.IntN(2))
			} else {
				rows[i][j] = float32(rng.NormFloat64())
			}
		}
	}
	return rows
}

// opset is the default of PyTorch's exporter.
const opset = 17

func begin(spec nn.Spec, seed uint64) (*builder, *Network) {
	return &builder{onnx.NewBuilder(spec.Name, opset), rand.New(rand.NewPCG(seed, 7))}, &Network{Spec: spec}
}

func (n *Network) input(b *builder, name string, role nn.Role, shape ...int) onnx.Value {
	dims := []any{"N"}
	for _, d := range shape {
		dims = append(dims, d)
	}
	n.Spec.Inputs = append(n.Spec.Inputs, nn.TensorSpec{Name: name, Role: role, Shape: shape})
	return b.Input(name, onnx.Float, dims...)
}

func (n *Network) output(b *builder, name string, role nn.Role, v onnx.Value, shape ...int) {
	n.Spec.Outputs = append(n.Spec.Outputs, nn.TensorSpec{Name: name, Role: role, Shape: shape})
	b.Output(name, v)
}

// finish writes the file. Only a fault of this package can make it fail.
func (n *Network) finish(b *builder) *Network {
	m, err := b.Model(nil)
	if err == nil {
		n.graph = m
		n.Model, err = m.Marshal()
	}
	if err != nil {
		panic(fmt.Sprintf("nntest: %s: %v", n.Spec.Name, err))
	}
	return n
}

// DualHead returns a network like that of the AlphaGo Zero tutorials (docs/pytorch.md): a residual
// tower, log-probabilities of the moves and a value.
func DualHead(size board.Size, blocks, channels int, seed uint64) *Network {
	b, n := begin(nn.Spec{
		Name: "dual-head", Kind: nn.KindDualHead, Encoding: features.Mini7, Policy: nn.PolicyLogSoftmax, Sizes: nn.Sizes{Fixed: size},
	}, seed)
	area := size.Area()
	x := n.input(b, "planes", nn.RoleSpatial, features.Mini7.Planes(), size.H, size.W)
	x = b.Relu(b.norm("stem.norm", b.conv("stem", x, features.Mini7.Planes(), channels, 3), channels))
	for i := range blocks {
		name := fmt.Sprintf("block%d", i)
		y := b.Relu(b.norm(name+".norm1", b.conv(name+".conv1", x, channels, channels, 3), channels))
		y = b.norm(name+".norm2", b.conv(name+".conv2", y, channels, channels, 3), channels)
		x = b.Relu(b.Add(y, x))
	}
	p := b.Flatten(b.Relu(b.conv("policy.conv", x, channels, 2, 1)))
	n.output(b, "policy", nn.RolePolicy, b.LogSoftmax(b.dense("policy.dense", p, 2*area, area+1), 1), area+1)
	v := b.Flatten(b.Relu(b.conv("value.conv", x, channels, 1, 1)))
	v = b.Relu(b.norm("value.norm", b.dense("value.dense1", v, area, 16), 16))
	n.output(b, "value", nn.RoleValue, b.Tanh(b.dense("value.dense2", v, 16, 1)), 1)
	return n.finish(b)
}

// FourHeads returns a network like KataGo's: planes and globals, pre-activation blocks, one of
// them with global pooling, mish, and heads for policy, value, score and ownership.
func FourHeads(size board.Size, channels int, seed uint64) *Network {
	b, n := begin(nn.Spec{
		Name: "four-heads", Kind: nn.KindSeed, Encoding: features.V7, Policy: nn.PolicyLogits, Sizes: nn.Sizes{Fixed: size},
	}, seed)
	area, c := size.Area(), channels
	planes, globals := features.V7.Planes(), features.V7.Globals()
	x := n.input(b, "spatial", nn.RoleSpatial, planes, size.H, size.W)
	g := n.input(b, "global", nn.RoleGlobal, globals)
	g = b.Reshape(b.MatMul(g, b.weights("stem.global.weight", math.Sqrt(1/float64(globals)), int64(globals), int64(c))), -1, int64(c), 1, 1)
	x = b.Add(b.conv("stem", x, planes, c, 5), g)

	y := b.conv("block0.conv1", b.Mish(b.norm("block0.norm1", x, c)), c, c, 3)
	x = b.Add(x, b.conv("block0.conv2", b.Mish(b.norm("block0.norm2", y, c)), c, c, 3))

	a := b.Relu(b.norm("block1.norm1", x, c))
	y = b.conv("block1.conv1", a, c, c, 3)
	pooled := b.Flatten(b.pool(b.Relu(b.conv("block1.pool", a, c, c, 3)), size))
	y = b.Add(y, b.Reshape(b.dense("block1.dense", pooled, 3*c, c), -1, int64(c), 1, 1))
	x = b.Add(b.conv("block1.conv2", b.Relu(y), c, c, 3), x)

	x = b.Relu(b.norm("trunk.norm", x, c))
	p := b.Flatten(b.conv("policy.conv", x, c, 1, 1))
	all := b.Flatten(b.pool(x, size))
	n.output(b, "policy", nn.RolePolicy, b.Concat(1, p, b.dense("policy.pass", all, 3*c, 1)), area+1)
	v := b.Mish(b.dense("value.dense1", all, 3*c, 12))
	n.output(b, "value", nn.RoleValue, b.Tanh(b.dense("value.dense2", v, 12, 1)), 1)
	score := b.dense("score.dense", v, 12, 1)
	n.output(b, "score", nn.RoleScore, b.Mul(score, score), 1)
	n.output(b, "ownership", nn.RoleOwnership, b.Tanh(b.conv("ownership.conv", x, c, 1, 1)), 1, size.H, size.W)
	return n.finish(b)
}

// pool adds KataGo's global pooling: means, means scaled by the board's size, and maxima.
func (b *builder) pool(x onnx.Value, size board.Size) onnx.Value {
	mean := b.Op("GlobalAveragePool", nil, x)
	return b.Concat(1, mean, b.Mul(mean, b.Scalar((float64(size.W+size.H)/2-14)/10)), b.Op("GlobalMaxPool", nil, x))
}
