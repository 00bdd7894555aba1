package katago

import (
	"fmt"
	"strconv"
)

// The walk of layers and blocks.

func (w *walker) conv(field string, c *Conv) {
	w.in(field, func() {
		w.note(c)
		w.label(&c.Name)
		w.count("kernel height", &c.KY, 1, maxKernel)
		w.count("kernel width", &c.KX, 1, maxKernel)
		w.channels("input channels", &c.In)
		w.channels("output channels", &c.Out)
		w.count("dilation", &c.DilY, 1, maxKernel)
		w.count("dilation", &c.DilX, 1, maxKernel)
		if w.err == nil && (c.KY%2 == 0 || c.KX%2 == 0) {
			w.fail(fmt.Errorf("%w: kernel is %dx%d, should be odd", ErrFormat, c.KY, c.KX))
		}
		w.floats("weight", &c.Weights, c.KY, c.KX, c.In, c.Out)
	})
}

func (w *walker) norm(field string, n *Norm) {
	w.in(field, func() {
		w.note(n)
		w.label(&n.Name)
		w.channels("channels", &n.Channels)
		w.number("epsilon", &n.Epsilon, 0, maxReal)
		w.flag("has-scale flag", &n.HasScale)
		w.flag("has-bias flag", &n.HasBias)
		w.floats("mean", &n.Mean, n.Channels)
		w.floats("var", &n.Var, n.Channels)
		if n.HasScale {
			w.floats("scale", &n.Scale, n.Channels)
		}
		if n.HasBias {
			w.floats("bias", &n.Bias, n.Channels)
		}
	})
}

func (w *walker) act(field string, a *Act, version int) {
	w.in(field, func() {
		w.label(&a.Name)
		if version < 11 {
			switch {
			case w.reading:
				a.Kind = ReLU
			case a.Kind != ReLU:
				w.fail(fmt.Errorf("%w: %v cannot be stored before version 11", ErrUnsupported, a.Kind))
			}
			return
		}
		kind := a.Kind.String()
		w.token("activation", &kind)
		if w.reading && w.err == nil {
			var err error
			a.Kind, err = parseActivation(kind)
			w.fail(err)
		}
	})
}

func (w *walker) matmul(field string, m *MatMul) {
	w.in(field, func() {
		w.label(&m.Name)
		w.channels("input channels", &m.In)
		w.channels("output channels", &m.Out)
		w.floats("weight", &m.Weights, m.In, m.Out)
	})
}

func (w *walker) bias(field string, b *Bias) {
	w.in(field, func() {
		w.label(&b.Name)
		w.channels("channels", &b.Channels)
		w.floats("bias", &b.Weights, b.Channels)
	})
}

func (w *walker) rmsNorm(field string, n *RMSNorm) {
	w.in(field, func() {
		w.label(&n.Name)
		w.channels("channels", &n.Channels)
		w.number("epsilon", &n.Epsilon, 1e-30, 1)
		w.floats("scale", &n.Weights, n.Channels)
	})
}

func (w *walker) tipRMS(n *TipRMS) {
	w.label(&n.Name)
	w.channels("channels", &n.Channels)
	w.number("epsilon", &n.Epsilon, 1e-30, 1)
	w.count("spatial flag", &n.Spatial, -1<<31, 1<<31-1)
	w.count("group size", &n.GroupSize, -1<<31, 1<<31-1)
	if w.err == nil && n.GroupSize != 0 {
		w.fail(unknown("norm in groups of %d at the trunk's end", n.GroupSize))
	}
	w.floats("scale", &n.Gamma, n.Channels)
	w.floats("bias", &n.Beta, n.Channels)
}

// blocks visits n blocks; when reading they are appended to the list.
func (w *walker) blocks(list *[]Block, n, version int) {
	for i := 0; i < n && w.err == nil; i++ {
		w.in(strconv.Itoa(i), func() { w.block(list, i, version) })
	}
}

func (w *walker) block(list *[]Block, i, version int) {
	if w.reading {
		var kind string
		if w.token("kind of block", &kind); w.err != nil {
			return
		}
		b, err := newBlock(kind)
		if err != nil {
			w.fail(err)
			return
		}
		*list = append(*list, b)
	} else {
		kind := (*list)[i].Kind()
		w.token("kind of block", &kind)
	}
	(*list)[i].walk(w, version)
}

func (b *Ordinary) walk(w *walker, version int) {
	w.label(&b.Name)
	w.norm("norm1", &b.PreNorm)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.Conv1)
	w.norm("norm2", &b.MidNorm)
	w.act("act2", &b.MidAct, version)
	w.conv("conv2", &b.Conv2)
}

func (b *Pooling) walk(w *walker, version int) {
	w.label(&b.Name)
	w.norm("norm1", &b.PreNorm)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.ConvR)
	w.conv("convg", &b.ConvG)
	w.norm("gnorm", &b.GNorm)
	w.act("gact", &b.GAct, version)
	w.matmul("gmul", &b.GMul)
	w.norm("norm2", &b.MidNorm)
	w.act("act2", &b.MidAct, version)
	w.conv("conv2", &b.Conv2)
}

func (b *Nested) walk(w *walker, version int) {
	w.label(&b.Name)
	n := len(b.Blocks)
	w.count("number of inner blocks", &n, 1, maxBlocks)
	w.norm("norm1", &b.PreNorm)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.ConvIn)
	if w.depth++; w.depth > maxDepth {
		w.fail(fmt.Errorf("%w: blocks nested more than %d deep", ErrUnsupported, maxDepth))
	}
	w.in("inner", func() { w.blocks(&b.Blocks, n, version) })
	w.depth--
	w.norm("norm2", &b.PostNorm)
	w.act("act2", &b.PostAct, version)
	w.conv("conv2", &b.ConvOut)
}

func (b *Attention) walk(w *walker, version int) {
	w.label(&b.Name)
	w.channels("heads", &b.Heads)
	w.channels("key/value heads", &b.KVHeads)
	w.channels("query width", &b.QDim)
	w.channels("value width", &b.VDim)
	w.flag("rope flag", &b.UseRope)
	w.flag("learned rope flag", &b.Learned)
	w.rmsNorm("norm", &b.Norm)
	w.matmul("q", &b.Q)
	w.matmul("k", &b.K)
	w.matmul("v", &b.V)
	w.matmul("o", &b.O)
	if !b.UseRope {
		return
	}
	w.in("rope", func() {
		w.label(&b.Rope.Name)
		if !b.Learned {
			w.number("theta", &b.Rope.Theta, 1e-30, maxReal)
			return
		}
		two := 2
		w.channels("key/value heads", &b.Rope.KVHeads)
		w.channels("pairs", &b.Rope.Pairs)
		w.count("coordinates", &two, 2, 2)
		w.floats("freqs", &b.Rope.Freqs, b.Rope.KVHeads, b.Rope.Pairs, 2)
	})
}

func (b *FeedForward) walk(w *walker, version int) {
	w.label(&b.Name)
	w.channels("channels", &b.Channels)
	w.channels("hidden channels", &b.Hidden)
	w.flag("gate flag", &b.Gated)
	if w.err == nil && !b.Gated {
		w.fail(unknown("feed-forward block without a gate"))
	}
	w.rmsNorm("norm", &b.Norm)
	w.matmul("lin1", &b.Lin1)
	w.matmul("gate", &b.Gate)
	w.matmul("lin2", &b.Lin2)
}
