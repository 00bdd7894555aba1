package nntest

import (
	"fmt"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/onnx"
)

// Network is a small network with random weights, as a file and as a function.
type Network struct {
	Model []byte // ONNX
	Spec  nn.Spec
	twin  *twin
	ins   []onnx.Value
	outs  []onnx.Value
}

// Reference computes the outputs for one row of each input, in float64.
func (n *Network) Reference(inputs [][]float32) [][]float64 {
	v := values{}
	for i, in := range inputs {
		a := newArray(n.Spec.Inputs[i].Shape...)
		for j, f := range in {
			a.data[j] = float64(f)
		}
		v[n.ins[i]] = a
	}
	for _, step := range n.twin.steps {
		step(v)
	}
	outputs := make([][]float64, len(n.outs))
	for i, o := range n.outs {
		outputs[i] = v[o].data
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

// opset is that of the networks here, the one that PyTorch exports by default.
const opset = 17

func (n *Network) input(name string, role nn.Role, shape ...int) onnx.Value {
	dims := []any{"N"}
	for _, d := range shape {
		dims = append(dims, d)
	}
	n.Spec.Inputs = append(n.Spec.Inputs, nn.TensorSpec{Name: name, Role: role, Shape: shape})
	v := n.twin.b.Input(name, onnx.Float, dims...)
	n.ins = append(n.ins, v)
	return v
}

func (n *Network) output(name string, role nn.Role, v onnx.Value, shape ...int) {
	n.Spec.Outputs = append(n.Spec.Outputs, nn.TensorSpec{Name: name, Role: role, Shape: shape})
	n.twin.b.Output(name, v)
	n.outs = append(n.outs, v)
}

// finish writes the file. Only a fault of this package can make it fail.
func (n *Network) finish() *Network {
	m, err := n.twin.b.Model(nil)
	if err == nil {
		n.Model, err = m.Marshal()
	}
	if err != nil {
		panic(fmt.Sprintf("nntest: %s: %v", n.Spec.Name, err))
	}
	return n
}

// DualHead is a network in the manner of the tutorial's: a residual tower,
// log-probabilities of the moves and a value.
func DualHead(size board.Size, blocks, channels int, seed uint64) *Network {
	t := newTwin("dual-head", opset, seed)
	n := &Network{twin: t, Spec: nn.Spec{
		Name: "dual-head", Kind: nn.KindDualHead, Encoding: features.Mini7, Policy: nn.PolicyLogSoftmax, Sizes: nn.Sizes{Fixed: size},
	}}
	area := size.Area()
	x := n.input("planes", nn.RoleSpatial, features.Mini7.Planes(), size.H, size.W)
	x = t.relu(t.norm("stem.norm", t.conv("stem", x, features.Mini7.Planes(), channels, 3), channels))
	for i := range blocks {
		name := fmt.Sprintf("block%d", i)
		y := t.relu(t.norm(name+".norm1", t.conv(name+".conv1", x, channels, channels, 3), channels))
		y = t.norm(name+".norm2", t.conv(name+".conv2", y, channels, channels, 3), channels)
		x = t.relu(t.add(y, x))
	}
	p := t.flatten(t.relu(t.conv("policy.conv", x, channels, 2, 1)))
	n.output("policy", nn.RolePolicy, t.logSoftmax(t.dense("policy.dense", p, 2*area, area+1)), area+1)
	v := t.flatten(t.relu(t.conv("value.conv", x, channels, 1, 1)))
	v = t.relu(t.dense("value.dense1", v, area, 16))
	n.output("value", nn.RoleValue, t.tanh(t.dense("value.dense2", v, 16, 1)), 1)
	return n.finish()
}

// FourHeads is a network in the manner of KataGo's: planes and globals,
// pre-activation blocks, one of them with global pooling, mish, and heads for
// policy, value, score and ownership.
func FourHeads(size board.Size, channels int, seed uint64) *Network {
	t := newTwin("four-heads", opset, seed)
	n := &Network{twin: t, Spec: nn.Spec{
		Name: "four-heads", Kind: nn.KindSeed, Encoding: features.V7, Policy: nn.PolicyLogits, Sizes: nn.Sizes{Fixed: size},
	}}
	area, c := size.Area(), channels
	planes, globals := features.V7.Planes(), features.V7.Globals()
	x := n.input("spatial", nn.RoleSpatial, planes, size.H, size.W)
	g := n.input("global", nn.RoleGlobal, globals)
	g = t.reshape(t.matmul("stem.global", g, globals, c), int64(c), 1, 1)
	x = t.add(t.conv("stem", x, planes, c, 5), g)

	y := t.conv("block0.conv1", t.mish(t.norm("block0.norm1", x, c)), c, c, 3)
	x = t.add(x, t.conv("block0.conv2", t.mish(t.norm("block0.norm2", y, c)), c, c, 3))

	a := t.relu(t.norm("block1.norm1", x, c))
	y = t.conv("block1.conv1", a, c, c, 3)
	pooled := t.flatten(t.pool(t.relu(t.conv("block1.pool", a, c, c, 3)), size))
	y = t.add(y, t.reshape(t.dense("block1.dense", pooled, 3*c, c), int64(c), 1, 1))
	x = t.add(t.conv("block1.conv2", t.relu(y), c, c, 3), x)

	x = t.relu(t.norm("trunk.norm", x, c))
	p := t.flatten(t.conv("policy.conv", x, c, 1, 1))
	all := t.flatten(t.pool(x, size))
	n.output("policy", nn.RolePolicy, t.concat(p, t.dense("policy.pass", all, 3*c, 1)), area+1)
	v := t.mish(t.dense("value.dense1", all, 3*c, 12))
	n.output("value", nn.RoleValue, t.tanh(t.dense("value.dense2", v, 12, 1)), 1)
	n.output("score", nn.RoleScore, t.square(t.dense("score.dense", v, 12, 1)), 1)
	n.output("ownership", nn.RoleOwnership, t.tanh(t.conv("ownership.conv", x, c, 1, 1)), 1, size.H, size.W)
	return n.finish()
}

// pool is KataGo's global pooling: means, means scaled by the board's width,
// and maxima.
func (t *twin) pool(x onnx.Value, size board.Size) onnx.Value {
	mean, most := t.pools(x)
	return t.concat(mean, t.scale(mean, (float64(size.W+size.H)/2-14)/10), most)
}
