package arch

import (
	"math"

	"kosumi/nn/onnx"
)

// headScale makes the last layers of fresh networks small: an almost even
// policy, values near zero.
const headScale = 0.1

// miniPlanes is the number of input planes of mini.
const miniPlanes = 7

// mini builds the tutorial's dual head: 3x3 convolution, norm and ReLU;
// residual blocks of conv, norm, ReLU, conv, norm, addition, ReLU; a policy head
// (1x1 convolution to 2 planes, norm, ReLU, dense to every point and pass,
// log-softmax) and a value head (1x1 convolution to 1 plane, norm, ReLU, dense
// to 64, ReLU, dense to 1, tanh).
//
// The layers are the tutorial's; the initial weights are not. The last norm of each block starts with
// a scale of 1/sqrt(blocks), so that a fresh network of any depth keeps its activations in range,
// and the last layers of the heads start small.
func mini(c Config, seed uint64) (*onnx.Model, error) {
	m := newMaker(c.String(), seed)
	area := c.Width * c.Height
	x := m.g.Input(inputPlanes, onnx.Float, "N", miniPlanes, c.Height, c.Width)
	x = m.g.Relu(m.norm("bn_input", m.conv("conv_input", x, miniPlanes, c.Channels, 3, gainReLU), c.Channels, 1))
	for i := range c.Blocks {
		b := m.in(blockName("residual_blocks", i))
		y := b.g.Relu(b.norm("bn1", b.conv("conv1", x, c.Channels, c.Channels, 3, gainReLU), c.Channels, 1))
		y = b.norm("bn2", b.conv("conv2", y, c.Channels, c.Channels, 3, gainReLU), c.Channels, 1/math.Sqrt(float64(c.Blocks)))
		x = b.g.Relu(b.g.Add(y, x))
	}
	p := m.squeezedHead("policy_conv", "policy_bn", x, c.Channels, 2)
	p = m.dense("policy_fc", p, 2*area, area+1, headScale)
	v := m.squeezedHead("value_conv", "value_bn", x, c.Channels, 1)
	v = m.g.Relu(m.dense("value_fc1", v, area, 64, gainReLU))
	v = m.dense("value_fc2", v, 64, 1, headScale)
	m.g.Output(outputPolicy, m.g.LogSoftmax(p, -1))
	m.g.Output(outputValue, m.g.Tanh(v))
	return m.g.Model(metadata(c, seed, "dual-head", "mini7", "log_softmax", outputPolicy, outputValue))
}
