package arch

import (
	"math"
	"strconv"

	"kosumi/nn/onnx"
)

// seedPlanes is the number of input planes of the seed network.
const seedPlanes = 22

// Sizes of the seed network.
const (
	seedHidden    = 256 // dense layer of value and score
	seedOwnership = 32  // planes of the ownership head
	seedPoolEvery = 6   // blocks between global pooling blocks
)

func blockName(list string, i int) string { return list + "." + strconv.Itoa(i) }

// seedNetwork builds the network of the tutorial's chapter on KataGo's architecture: 3x3
// convolution, norm and ReLU; pre-activation residual blocks (norm, ReLU, conv, norm, ReLU, conv,
// addition); after every sixth a global pooling block: 3x3 convolution plus a dense layer of the means
// over the board, broadcast, without a skip connection (the chapter has none either). Heads:
// policy (1x1 convolution to 2 planes, norm, ReLU, dense, softmax), value (1x1 convolution to 1
// plane, norm, ReLU, dense to 256, ReLU, dense to 1, tanh), score (the same without tanh) and
// ownership (1x1 convolution to 32 planes, norm, ReLU, 1x1 convolution, tanh).
//
// The chapter fixes the board at 19x19; here it is free. Initial weights: the last convolution of a
// block is scaled by 1/sqrt(blocks), a pooling block starts near the identity, the last layers of
// the heads start small.
func seedNetwork(c Config, seed uint64) (*onnx.Model, error) {
	m := newMaker(c.String(), seed)
	x := m.g.Input(inputPlanes, onnx.Float, "N", seedPlanes, c.Height, c.Width)
	x = m.g.Relu(m.norm("initial_bn", m.conv("initial_conv", x, seedPlanes, c.Channels, 3, gainReLU), c.Channels, 1))
	for i := range c.Blocks {
		b := m.in(blockName("residual_blocks", i))
		y := b.conv("conv1", b.g.Relu(b.norm("bn1", x, c.Channels, 1)), c.Channels, c.Channels, 3, gainReLU)
		y = b.conv("conv2", b.g.Relu(b.norm("bn2", y, c.Channels, 1)), c.Channels, c.Channels, 3, gainReLU/math.Sqrt(float64(c.Blocks)))
		x = b.g.Add(y, x)
		if (i+1)%seedPoolEvery == 0 {
			x = m.in(blockName("global_pooling_blocks", i/seedPoolEvery)).pooling(x, c.Channels)
		}
	}
	area := c.Width * c.Height
	h := m.in("policy_head")
	p := h.dense("fc", h.squeezedHead("conv", "bn", x, c.Channels, 2), 2*area, area+1, headScale)
	m.g.Output(outputPolicy, h.g.Softmax(p, -1))
	h = m.in("value_head")
	m.g.Output(outputValue, h.g.Tanh(h.scalar(x, c.Channels, area)))
	m.g.Output(outputScore, m.in("score_head").scalar(x, c.Channels, area))
	h = m.in("ownership_head")
	o := h.g.Relu(h.norm("bn", h.conv("conv1", x, c.Channels, seedOwnership, 1, gainReLU), seedOwnership, 1))
	m.g.Output(outputOwnership, h.g.Flatten(h.g.Tanh(h.conv("conv2", o, seedOwnership, 1, 1, headScale))))
	return m.g.Model(metadata(c, seed, "seed", "seed22", "softmax", outputPolicy, outputValue, outputScore, outputOwnership))
}

// pooling adds a global pooling block: conv(x) plus a dense layer of the means.
func (m *maker) pooling(x onnx.Value, channels int) onnx.Value {
	w := m.normal(channels*channels*9, 0.3*gainLinear/math.Sqrt(float64(channels*9)))
	for ch := range channels {
		w[(ch*channels+ch)*9+4]++ // adds the identity: 1 at the kernel's centre
	}
	local := m.convOf("conv", x, w, channels, channels, 3)
	whole := m.dense("fc", m.g.Flatten(m.g.Op("GlobalAveragePool", nil, x)), channels, channels, 0.3*gainLinear)
	return m.g.Add(local, m.g.Unsqueeze(whole, 2, 3))
}

// scalar adds a head for value or score. For a value, the caller adds the tanh.
func (m *maker) scalar(x onnx.Value, channels, area int) onnx.Value {
	x = m.squeezedHead("conv", "bn", x, channels, 1)
	x = m.g.Relu(m.dense("fc1", x, area, seedHidden, gainReLU))
	return m.dense("fc2", x, seedHidden, 1, headScale)
}
