package katago

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
)

// Arch is the shape of a fresh network of model version 15. It has KataGo's heads, and its trunk
// consists of transformer layers or of convolutions with global pooling in some blocks.
type Arch struct {
	Blocks   int
	Channels int
	// Nested: each block is a bottleneck to half the channels with two ordinary
	// blocks inside. It is worth its cost from about 10 blocks on.
	Nested bool
	// Heads is the number of heads of transformer layers: each block is one such layer or, with
	// Nested, a bottleneck with two inside. 0: convolutions.
	Heads      int
	Activation Activation // ReLU, Mish or SiLU
}

var archName = regexp.MustCompile(`^kb([0-9]{1,3})c([0-9]{1,4})(?:h([0-9]{1,3})(nbt)?tflrs|(nbt))?(-relu|-mish|-silu)?$`)

// ParseArch reads a name such as "kb6c96", "kb18c384nbt", "kb10c128-mish" or
// "kb10c384h6nbttflrs": blocks, channels, nested bottlenecks or heads of transformer layers,
// activation (default: ReLU, for transformers SiLU).
func ParseArch(name string) (Arch, error) {
	m := archName.FindStringSubmatch(name)
	if m == nil {
		return Arch{}, fmt.Errorf("architecture %q: use kb<blocks>c<channels>, then nbt for nested bottlenecks, "+
			"then -mish or -silu, such as kb6c96 or kb18c384nbt-mish; kb<blocks>c<channels>h<heads>tflrs for a transformer, "+
			"kb10c384h6nbttflrs for one with nested bottlenecks", name)
	}
	a := Arch{Nested: m[4] != "" || m[5] != "", Activation: ReLU}
	if m[3] != "" {
		a.Heads, _ = strconv.Atoi(m[3])
		a.Activation = SiLU
		if a.Heads == 0 {
			return Arch{}, fmt.Errorf("architecture %q: a transformer has at least one head", name)
		}
	}
	a.Blocks, _ = strconv.Atoi(m[1])
	a.Channels, _ = strconv.Atoi(m[2])
	switch m[6] {
	case "-relu":
		a.Activation = ReLU
	case "-mish":
		a.Activation = Mish
	case "-silu":
		a.Activation = SiLU
	}
	return a, a.Validate()
}

// String returns the name that ParseArch reads.
func (a Arch) String() string {
	s, plain := fmt.Sprintf("kb%dc%d", a.Blocks, a.Channels), ReLU
	if a.Heads > 0 {
		s, plain = fmt.Sprintf("%sh%d", s, a.Heads), SiLU
	}
	if a.Nested {
		s += "nbt"
	}
	if a.Heads > 0 {
		s += "tflrs"
	}
	if a.Activation != plain {
		s += map[Activation]string{ReLU: "-relu", Mish: "-mish", SiLU: "-silu"}[a.Activation]
	}
	return s
}

// Validate reports whether a network of this shape can be made.
func (a Arch) Validate() error {
	switch {
	case a.Blocks < 1 || a.Blocks > 128:
		return fmt.Errorf("%d blocks: use 1 to 128", a.Blocks)
	case a.Channels < 16 || a.Channels > 2048 || a.Channels%16 != 0:
		return fmt.Errorf("%d channels: use a multiple of 16 from 16 to 2048", a.Channels)
	case a.Nested && a.Channels < 32:
		return fmt.Errorf("%d channels: nested bottlenecks need at least 32", a.Channels)
	case a.Heads > 0 && a.mid()%(2*a.Heads) != 0:
		return fmt.Errorf("%d heads: they must share %d channels in equal, even parts", a.Heads, a.mid())
	case a.Activation != ReLU && a.Activation != Mish && a.Activation != SiLU:
		return fmt.Errorf("%w: %v", ErrUnsupported, a.Activation)
	}
	return nil
}

// ArchOf returns the architecture of a network's trunk. Its String is the name that Fresh reads. The error
// is ErrUnsupported if the trunk has blocks of several kinds, or of a kind that Arch does not describe.
func ArchOf(n *Network) (Arch, error) {
	a := Arch{Blocks: len(n.Trunk.Blocks), Channels: n.Trunk.Channels, Activation: n.Trunk.TipAct.Kind}
	nested, layers := 0, 0
	for i, b := range n.Trunk.Blocks {
		switch b := b.(type) {
		case *Ordinary, *Pooling:
		case *Nested:
			nested++
			if first, ok := b.Blocks[0].(*Attention); ok {
				a.Heads = first.Heads
			}
		case *Attention:
			if b.KVHeads != b.Heads {
				return Arch{}, fmt.Errorf("%w: block %d has %d heads that share %d", ErrUnsupported, i, b.Heads, b.KVHeads)
			}
			a.Heads = b.Heads
			layers++
		case *FeedForward:
			a.Blocks--
		default:
			return Arch{}, fmt.Errorf("%w: block %d is a %T", ErrUnsupported, i, b)
		}
	}
	if nested != 0 && nested != a.Blocks {
		return Arch{}, fmt.Errorf("%w: %d of %d blocks are nested", ErrUnsupported, nested, a.Blocks)
	}
	if layers != 0 && layers != a.Blocks {
		return Arch{}, fmt.Errorf("%w: %d of %d blocks are attention", ErrUnsupported, layers, a.Blocks)
	}
	a.Nested = nested > 0
	return a, a.Validate()
}

// poolBlocks returns which blocks, counted from 1, have pooling: about every third, placed as in
// KataGo's networks.
func (a Arch) poolBlocks() map[int]bool {
	pools := map[int]bool{}
	n := a.Blocks
	if n <= 2 {
		pools[n] = true
		return pools
	}
	first, step := 6, 5 // b40
	switch {
	case a.Nested && n < 8:
		first, step = 2, 2
	case a.Nested:
		first, step = 3, 3
	case n < 8:
		first, step = 3, 2
	case n < 15:
		first, step = 5, 3
	case n < 30:
		first, step = 7, 5
	}
	last := n - 1 // the last block does not pool, unless it is the only one that would
	if !a.Nested && n >= 8 && n < 15 {
		last = n - 2
	}
	for i := first; i <= max(last, first); i += step {
		pools[i] = true
	}
	return pools
}

// headWidths are the widths that differ from the trunk's, as in KataGo's networks of about the same
// size.
type headWidths struct{ pool, head, value, hidden int }

func (a Arch) headWidths() headWidths {
	w := a.widthsOfTrunk()
	if mid := a.mid(); 2*w.pool > mid {
		w.pool = mid / 2 / 8 * 8
	}
	return w
}

// mid returns the number of channels inside a block.
func (a Arch) mid() int {
	if a.Nested {
		return a.Channels / 2
	}
	return a.Channels
}

func (a Arch) widthsOfTrunk() headWidths {
	switch c := a.Channels; {
	case c < 32:
		return headWidths{pool: 8, head: 8, value: 8, hidden: 12}
	case c < 48:
		return headWidths{pool: 16, head: 12, value: 12, hidden: 24}
	case c < 96:
		return headWidths{pool: 16, head: 32, value: 32, hidden: 48}
	case c < 128:
		return headWidths{pool: 32, head: 32, value: 32, hidden: 64}
	case c < 192 || c < 256 && a.Nested:
		return headWidths{pool: 32, head: 32, value: 32, hidden: 80}
	case c < 256:
		return headWidths{pool: 64, head: 32, value: 32, hidden: 96}
	case c < 384:
		return headWidths{pool: 64, head: 48, value: 48, hidden: 112}
	case c < 512:
		return headWidths{pool: 64, head: 48, value: 96, hidden: 128}
	}
	return headWidths{pool: 64, head: 64, value: 128, hidden: 144}
}

// Fresh makes an untrained network that KataGo itself can load. ParseArch reads arch. Equal seeds
// give equal weights.
//
// Weights begin as in KataGo's "fixscale" networks: truncated normal with a variance that keeps
// the scale of activations. In place of batch statistics, the first norm of block i divides by
// the root of i+1, so that all blocks add equally to a growing trunk. Norms have a bias. Only
// that first norm, the one before a block's last convolution and the one at the tip have a scale.
func Fresh(arch string, seed uint64) (*Network, error) {
	a, err := ParseArch(arch)
	if err != nil {
		return nil, err
	}
	return freshLike(a, seed, nil)
}

// freshLike is Fresh, except that the first blocks have pooling where the given blocks have it.
func freshLike(a Arch, seed uint64, like []Block) (*Network, error) {
	f := &fresh{arch: a, w: a.headWidths(), rng: rand.New(rand.NewPCG(seed, 0x6b6174616e657473)), pools: a.poolBlocks()}
	for i, b := range like {
		if n, ok := b.(*Nested); ok {
			b = n.Blocks[0]
		}
		_, f.pools[i+1] = b.(*Pooling)
	}
	mult := DefaultMultipliers()
	mult.ShorttermScoreErr = 150
	n := &Network{Header: Header{
		Name: fmt.Sprintf("%s-fresh-s%d", a, seed), Version: freshVersion, SpatialInputs: 22, GlobalInputs: 19, Multipliers: mult,
	}}
	n.Trunk = f.trunk()
	n.Policy = f.policyHead()
	n.Value = f.valueHead()
	return n, n.Check()
}

type fresh struct {
	arch  Arch
	w     headWidths
	rng   *rand.Rand
	pools map[int]bool // blocks that pool, counted from 1
}

// gain returns the factor for weights that makes up for an activation's effect on the second moment.
func gain(a Activation) float64 {
	switch a {
	case ReLU:
		return math.Sqrt2
	case SiLU:
		return math.Sqrt(2.810761)
	case Mish:
		return math.Sqrt(2.210277)
	}
	return 1
}

// weights draws n numbers with standard deviation scale*gain/sqrt(fanIn) from a normal distribution
// that is cut at two of its standard deviations.
func (f *fresh) weights(n, fanIn int, a Activation, scale float64) []float32 {
	const cut = 0.87962566103423978 // standard deviation of the standard normal distribution cut at 2
	std := scale * gain(a) / math.Sqrt(float64(fanIn)) / cut
	w := make([]float32, n)
	for i := range w {
		x := f.rng.NormFloat64()
		for math.Abs(x) > 2 {
			x = f.rng.NormFloat64()
		}
		w[i] = float32(x * std)
	}
	return w
}

func (f *fresh) conv(name string, kernel, in, out int, a Activation, scale float64) Conv {
	return Conv{Name: name, KY: kernel, KX: kernel, In: in, Out: out, DilY: 1, DilX: 1,
		Weights: f.weights(kernel*kernel*in*out, kernel*kernel*in, a, scale)}
}

func (f *fresh) matmul(name string, in, out int, a Activation, scale float64) MatMul {
	return MatMul{Name: name, In: in, Out: out, Weights: f.weights(in*out, in, a, scale)}
}

// bias draws the biases of outputs that sum fanIn inputs each.
func (f *fresh) bias(name string, channels, fanIn int, a Activation) Bias {
	return Bias{Name: name, Channels: channels, Weights: f.weights(channels, fanIn, a, 0.2)}
}

func (f *fresh) act(name string) Act { return Act{Name: name, Kind: f.arch.Activation} }

// plainNorm returns a norm that only adds a bias, which starts at 0.
func plainNorm(name string, channels int) Norm {
	return Norm{Name: name, Channels: channels, Epsilon: 1e-20, HasBias: true,
		Mean: filled(channels, 0), Var: filled(channels, 1), Bias: filled(channels, 0)}
}

// scaledNorm returns a norm with a scale and a bias.
func scaledNorm(name string, channels int, scale float64) Norm {
	n := plainNorm(name, channels)
	n.HasScale, n.Scale = true, filled(channels, float32(scale))
	return n
}

func (f *fresh) trunk() Trunk {
	a, c := f.arch, f.arch.Channels
	t := Trunk{
		Name: "trunk", Channels: c,
		Widths: Widths{Mid: a.mid(), Regular: a.mid() - f.w.pool, Dilated: f.w.pool, Pool: f.w.pool},
		Conv:   f.conv("model.conv_spatial", 3, 22, c, a.Activation, 0.8),
		Global: f.matmul("model.linear_global", 19, c, a.Activation, 0.6),
		Tip:    scaledNorm("model.norm_trunkfinal", c, 1/math.Sqrt(float64(a.Blocks+1))),
		TipAct: f.act("model.act_trunkfinal"),
	}
	for i := range a.Blocks {
		name, scale := fmt.Sprintf("model.blocks.%d", i), 1/math.Sqrt(float64(i+1))
		if a.Nested {
			t.Blocks = append(t.Blocks, f.nested(name, c, scale, f.pools[i+1]))
		} else {
			t.Blocks = append(t.Blocks, f.layer(name, c, scale, f.pools[i+1])...)
		}
	}
	return t
}

// layer makes a residual block, or a layer of a transformer.
func (f *fresh) layer(name string, c int, scale float64, pool bool) []Block {
	if f.arch.Heads > 0 {
		return f.transformer(name, c, scale)
	}
	return []Block{f.residual(name, c, scale, pool)}
}

func (f *fresh) residual(name string, c int, scale float64, pool bool) Block {
	a := f.arch.Activation
	pre := scaledNorm(name+".normactconv1.norm", c, scale)
	preAct := f.act(name + ".normactconv1.act")
	if !pool {
		return &Ordinary{Name: name, PreNorm: pre, PreAct: preAct,
			Conv1:   f.conv(name+".normactconv1.conv", 3, c, c, a, 1),
			MidNorm: scaledNorm(name+".normactconv2.norm", c, 1),
			MidAct:  f.act(name + ".normactconv2.act"),
			Conv2:   f.conv(name+".normactconv2.conv", 3, c, c, a, 1)}
	}
	g, p := f.w.pool, name+".normactconv1.convpool"
	return &Pooling{Name: name, PreNorm: pre, PreAct: preAct,
		ConvR:   f.conv(p+".conv1r", 3, c, c-g, a, 0.8),
		ConvG:   f.conv(p+".conv1g", 3, c, g, a, math.Sqrt(0.6)),
		GNorm:   plainNorm(p+".normg", g),
		GAct:    f.act(p + ".actg"),
		GMul:    f.matmul(p+".linear_g", 3*g, c-g, a, math.Sqrt(0.6)),
		MidNorm: scaledNorm(name+".normactconv2.norm", c-g, 1),
		MidAct:  f.act(name + ".normactconv2.act"),
		Conv2:   f.conv(name+".normactconv2.conv", 3, c-g, c, a, 1)}
}

func (f *fresh) nested(name string, c int, scale float64, pool bool) Block {
	a, mid := f.arch.Activation, f.arch.mid()
	b := &Nested{Name: name,
		PreNorm: scaledNorm(name+".normactconvp.norm", c, scale), PreAct: f.act(name + ".normactconvp.act"),
		ConvIn: f.conv(name+".normactconvp.conv", 1, c, mid, a, 1)}
	const inner = 2
	for i := range inner {
		b.Blocks = append(b.Blocks, f.layer(fmt.Sprintf("%s.blockstack.%d", name, i), mid, 1/math.Sqrt(float64(i+1)), pool && i == 0)...)
	}
	b.PostNorm = scaledNorm(name+".normactconvq.norm", mid, 1/math.Sqrt(inner+1))
	b.PostAct = f.act(name + ".normactconvq.act")
	b.ConvOut = f.conv(name+".normactconvq.conv", 1, mid, c, a, 1)
	return b
}

func (f *fresh) policyHead() PolicyHead {
	a, c, p := f.arch.Activation, f.arch.Channels, f.w.head
	const name, channels = "model.policy_head", 2
	return PolicyHead{Name: name, Channels: channels,
		P1:       f.conv(name+".conv1p", 1, c, p, a, 0.8),
		G1:       f.conv(name+".conv1g", 1, c, p, a, 1),
		GNorm:    plainNorm(name+".biasg", p),
		GAct:     f.act(name + ".actg"),
		GMul:     f.matmul(name+".linear_g", 3*p, p, a, 0.6),
		PNorm:    plainNorm(name+".bias2", p),
		PAct:     f.act(name + ".act2"),
		P2:       f.conv(name+".conv2p", 1, p, channels, Identity, 0.3),
		Pass1:    f.matmul(name+".linear_pass", 3*p, p, a, 1),
		PassBias: f.bias(name+".linear_pass_bias", p, 3*p, a),
		PassAct:  f.act(name + ".act_pass"),
		Pass2:    f.matmul(name+".linear_pass2", p, channels, Identity, 0.3)}
}

func (f *fresh) valueHead() ValueHead {
	a, c, v, h := f.arch.Activation, f.arch.Channels, f.w.value, f.w.hidden
	const name = "model.value_head"
	return ValueHead{Name: name,
		V1:        f.conv(name+".conv1", 1, c, v, a, 1),
		VNorm:     plainNorm(name+".bias1", v),
		VAct:      f.act(name + ".act1"),
		M2:        f.matmul(name+".linear2", 3*v, h, a, 1),
		B2:        f.bias(name+".bias2", h, 3*v, a),
		A2:        f.act(name + ".act2"),
		M3:        f.matmul(name+".linear_valuehead", h, 3, Identity, 1),
		B3:        f.bias(name+".bias_valuehead", 3, h, Identity),
		Score:     f.matmul(name+".linear_miscvaluehead", h, 6, Identity, 1),
		ScoreBias: f.bias(name+".bias_miscvaluehead", 6, h, Identity),
		Ownership: f.conv(name+".conv_ownership", 1, v, 1, Identity, 0.2)}
}
