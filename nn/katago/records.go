package katago

import (
	"fmt"
	"strconv"
)

// The methods here visit one layer or one block each.

func (w *walker) conv(field string, c *Conv, in, out int) {
	w.in(field, func() {
		w.note(c)
		w.label(&c.Name)
		w.count("kernel height", &c.KY, 1, maxKernel)
		w.count("kernel width", &c.KX, 1, maxKernel)
		w.channels("input channels", &c.In, in)
		w.channels("output channels", &c.Out, out)
		w.count("dilation", &c.DilY, 1, maxKernel)
		w.count("dilation", &c.DilX, 1, maxKernel)
		if w.err == nil && (c.KY%2 == 0 || c.KX%2 == 0) {
			w.fail(fmt.Errorf("%w: kernel is %dx%d, should be odd", ErrFormat, c.KY, c.KX))
		}
		w.floats("weight", &c.Weights, c.KY, c.KX, c.In, c.Out)
	})
}

func (w *walker) norm(field string, n *Norm, channels int) {
	w.in(field, func() {
		w.note(n)
		w.label(&n.Name)
		w.channels("channels", &n.Channels, channels)
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
		if w.err != nil {
			return
		}
		scale, bias := n.merge()
		for i := range scale {
			if !finite(scale[i]) || !finite(bias[i]) {
				w.misfit("channel %d: variance %g with epsilon %g gives no finite scale", i, n.Var[i], n.Epsilon)
			}
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

func (w *walker) matmul(field string, m *MatMul, in, out int) {
	w.in(field, func() {
		w.label(&m.Name)
		w.channels("input channels", &m.In, in)
		w.channels("output channels", &m.Out, out)
		w.floats("weight", &m.Weights, m.In, m.Out)
	})
}

func (w *walker) bias(field string, b *Bias, channels int) {
	w.in(field, func() {
		w.label(&b.Name)
		w.channels("channels", &b.Channels, channels)
		w.floats("bias", &b.Weights, b.Channels)
	})
}

func (w *walker) rmsNorm(field string, n *RMSNorm, channels int) {
	w.in(field, func() {
		w.label(&n.Name)
		w.channels("channels", &n.Channels, channels)
		w.number("epsilon", &n.Epsilon, 1e-30, 1)
		w.floats("scale", &n.Weights, n.Channels)
	})
}

func (w *walker) tipRMS(n *TipRMS, channels int) {
	if n == nil {
		w.misfit("missing")
		return
	}
	w.label(&n.Name)
	w.channels("channels", &n.Channels, channels)
	w.number("epsilon", &n.Epsilon, 1e-30, 1)
	w.count("spatial flag", &n.Spatial, -1<<31, 1<<31-1)
	w.count("group size", &n.GroupSize, -1<<31, 1<<31-1)
	if w.err == nil && n.GroupSize != 0 {
		w.fail(unknown("norm in groups of %d at the trunk's end", n.GroupSize))
	}
	w.floats("scale", &n.Gamma, n.Channels)
	w.floats("bias", &n.Beta, n.Channels)
}

// blocks visits the n blocks of a trunk or nested block; when reading, it appends them to the list.
func (w *walker) blocks(list *[]Block, n, channels, version int) {
	for i := 0; i < n && w.err == nil; i++ {
		w.in(strconv.Itoa(i), func() { w.block(list, i, channels, version) })
	}
}

func (w *walker) block(list *[]Block, i, channels, version int) {
	var kind string
	if !w.reading {
		if (*list)[i] == nil {
			w.misfit("the block is missing")
			return
		}
		kind = (*list)[i].Kind()
	}
	if w.token("kind of block", &kind); w.reading && w.err == nil {
		b, err := newBlock(kind)
		w.fail(err)
		*list = append(*list, b)
	}
	if w.err == nil {
		(*list)[i].walk(w, channels, version)
	}
}

func (b *Ordinary) walk(w *walker, channels, version int) {
	w.label(&b.Name)
	w.norm("norm1", &b.PreNorm, channels)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.Conv1, channels, anySize)
	w.norm("norm2", &b.MidNorm, b.Conv1.Out)
	w.act("act2", &b.MidAct, version)
	w.conv("conv2", &b.Conv2, b.Conv1.Out, channels)
}

func (b *Pooling) walk(w *walker, channels, version int) {
	w.label(&b.Name)
	w.norm("norm1", &b.PreNorm, channels)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.ConvR, channels, anySize)
	w.conv("convg", &b.ConvG, channels, anySize)
	w.norm("gnorm", &b.GNorm, b.ConvG.Out)
	w.act("gact", &b.GAct, version)
	w.matmul("gmul", &b.GMul, 3*b.ConvG.Out, b.ConvR.Out)
	w.norm("norm2", &b.MidNorm, b.ConvR.Out)
	w.act("act2", &b.MidAct, version)
	w.conv("conv2", &b.Conv2, b.ConvR.Out, channels)
}

func (b *Nested) walk(w *walker, channels, version int) {
	w.label(&b.Name)
	n := len(b.Blocks)
	w.count("number of inner blocks", &n, 1, maxBlocks)
	w.norm("norm1", &b.PreNorm, channels)
	w.act("act1", &b.PreAct, version)
	w.conv("conv1", &b.ConvIn, channels, anySize)
	if w.depth++; w.depth > maxDepth {
		w.fail(fmt.Errorf("%w: blocks nested more than %d deep", ErrUnsupported, maxDepth))
	}
	w.in("inner", func() { w.blocks(&b.Blocks, n, b.ConvIn.Out, version) })
	w.depth--
	w.norm("norm2", &b.PostNorm, b.ConvIn.Out)
	w.act("act2", &b.PostAct, version)
	w.conv("conv2", &b.ConvOut, b.ConvIn.Out, channels)
}

func (b *Attention) walk(w *walker, channels, _ int) {
	w.label(&b.Name)
	w.channels("heads", &b.Heads, anySize)
	w.channels("key/value heads", &b.KVHeads, anySize)
	if w.err == nil && b.Heads%b.KVHeads != 0 {
		w.misfit("%d heads do not share %d key/value heads evenly", b.Heads, b.KVHeads)
	}
	w.channels("query width", &b.QDim, anySize)
	w.channels("value width", &b.VDim, anySize)
	w.flag("rope flag", &b.UseRope)
	w.flag("learned rope flag", &b.Learned)
	if b.UseRope && b.QDim%2 != 0 {
		w.misfit("query width %d is odd, which rope cannot rotate", b.QDim)
	}
	w.rmsNorm("norm", &b.Norm, channels)
	w.matmul("q", &b.Q, channels, b.Heads*b.QDim)
	w.matmul("k", &b.K, channels, b.KVHeads*b.QDim)
	w.matmul("v", &b.V, channels, b.KVHeads*b.VDim)
	w.matmul("o", &b.O, b.Heads*b.VDim, channels)
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
		w.channels("key/value heads", &b.Rope.KVHeads, b.KVHeads)
		w.channels("pairs", &b.Rope.Pairs, b.QDim/2)
		w.count("coordinates", &two, 2, 2)
		w.floats("freqs", &b.Rope.Freqs, b.Rope.KVHeads, b.Rope.Pairs, 2)
	})
}

func (b *FeedForward) walk(w *walker, channels, _ int) {
	w.label(&b.Name)
	w.channels("channels", &b.Channels, channels)
	w.channels("hidden channels", &b.Hidden, anySize)
	w.flag("gate flag", &b.Gated)
	if w.err == nil && !b.Gated {
		w.fail(unknown("feed-forward block without a gate"))
	}
	w.rmsNorm("norm", &b.Norm, channels)
	w.matmul("lin1", &b.Lin1, channels, b.Hidden)
	w.matmul("gate", &b.Gate, channels, b.Hidden)
	w.matmul("lin2", &b.Lin2, b.Hidden, channels)
}
