package katago

import (
	"errors"
	"fmt"
)

// ErrGrow says that a network cannot become one of another shape.
var ErrGrow = errors.New("the network cannot grow into that shape")

// Grow makes a network of a larger shape that answers as n does (Chen, Goodfellow and
// Shlens 2016): more blocks, more channels, or both, of the same kind. New parts have
// fresh weights, but nothing that was there reads it: the last convolution of new
// blocks is 0, and so are the weights from new channels to old ones. They learn at
// once, as what they read is not 0. arch is read by ParseArch; errors wrap ErrGrow or are ParseArch's.
func Grow(n *Network, arch string, seed uint64) (*Network, error) {
	to, err := ParseArch(arch)
	if err != nil {
		return nil, err
	}
	from, err := ArchOf(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGrow, err)
	}
	if from.Heads != 0 || from.Nested != to.Nested || from.Heads != to.Heads || from.Activation != to.Activation ||
		from.Blocks > to.Blocks || from.Channels > to.Channels || n.Trunk.NormKind != 0 || n.Trunk.Meta != nil {
		return nil, fmt.Errorf("%w: %s into %s; blocks and channels may become more, their kind stays, and it is not a transformer", ErrGrow, from, to)
	}
	big, err := freshLike(to, seed, n.Trunk.Blocks)
	if err != nil {
		return nil, err
	}
	big.Header = n.Header
	big.Header.Name = fmt.Sprintf("%s-grown-s%d", to, seed)
	if big.Header.Version != 15 || big.Header.SpatialInputs != 22 || big.Header.GlobalInputs != 19 {
		return nil, fmt.Errorf("%w: it is of version %d with %d planes, growing is for version 15 with 22", ErrGrow, n.Header.Version, n.Header.SpatialInputs)
	}
	g := grower{}
	g.trunk(&big.Trunk, &n.Trunk)
	g.policy(&big.Policy, &n.Policy)
	g.value(&big.Value, &n.Value)
	if g.err != nil {
		return nil, g.err
	}
	return big, big.Check()
}

// grower puts the weights of layers into wider ones. Channels that were there come first.
type grower struct{ err error }

func (g *grower) fail(name string) {
	if g.err == nil {
		g.err = fmt.Errorf("%w: layer %s does not fit", ErrGrow, name)
	}
}

// place is where input i of a layer goes whose inputs are parts of equal length, as
// those behind a global pooling are.
func place(i, old, wide, parts int) int {
	part := old / parts
	return i/part*(wide/parts) + i%part
}

// matrix puts taps matrices of in rows and out columns into wider ones; the new rows are 0
// in the columns that were there.
func (g *grower) matrix(name string, dst, src []float32, taps, in, wideIn, out, wideOut, parts int) {
	if wideIn < in || wideOut < out || in%parts != 0 || wideIn%parts != 0 || len(src) != taps*in*out || len(dst) != taps*wideIn*wideOut {
		g.fail(name)
		return
	}
	for t := range taps {
		for i := range wideIn {
			clear(dst[(t*wideIn+i)*wideOut:][:out])
		}
		for i := range in {
			copy(dst[(t*wideIn+place(i, in, wideIn, parts))*wideOut:], src[(t*in+i)*out:][:out])
		}
	}
}

func (g *grower) conv(dst, src *Conv) {
	if dst.KY != src.KY || dst.KX != src.KX || src.DilY != 1 || src.DilX != 1 {
		g.fail(src.Name)
		return
	}
	g.matrix(src.Name, dst.Weights, src.Weights, src.KY*src.KX, src.In, dst.In, src.Out, dst.Out, 1)
}

func (g *grower) matmul(dst, src *MatMul, parts int) {
	g.matrix(src.Name, dst.Weights, src.Weights, 1, src.In, dst.In, src.Out, dst.Out, parts)
}

func (g *grower) bias(dst, src *Bias) {
	if src.Channels > dst.Channels {
		g.fail(src.Name)
		return
	}
	copy(dst.Weights, src.Weights)
}

func (g *grower) norm(dst, src *Norm) {
	if src.Channels > dst.Channels {
		g.fail(src.Name)
		return
	}
	part := func(wide *[]float32, list []float32, has bool, empty float32) {
		switch {
		case !has:
			*wide = nil
			return
		case *wide == nil:
			*wide = filled(dst.Channels, empty)
		}
		copy(*wide, list)
	}
	dst.Epsilon, dst.HasScale, dst.HasBias = src.Epsilon, src.HasScale, src.HasBias
	part(&dst.Mean, src.Mean, true, 0)
	part(&dst.Var, src.Var, true, 1)
	part(&dst.Scale, src.Scale, src.HasScale, 1)
	part(&dst.Bias, src.Bias, src.HasBias, 0)
}

func (g *grower) trunk(dst, src *Trunk) {
	g.conv(&dst.Conv, &src.Conv)
	g.matmul(&dst.Global, &src.Global, 1)
	for i := range dst.Blocks {
		if i < len(src.Blocks) {
			g.block(dst.Blocks[i], src.Blocks[i])
		} else {
			silence(dst.Blocks[i])
		}
	}
	g.norm(&dst.Tip, &src.Tip)
}

// silence makes a block add nothing to the trunk yet.
func silence(b Block) {
	switch b := b.(type) {
	case *Ordinary:
		clear(b.Conv2.Weights)
	case *Pooling:
		clear(b.Conv2.Weights)
	case *Nested:
		clear(b.ConvOut.Weights)
	}
}

// block grows a block into a fresh one of its kind.
func (g *grower) block(dst, src Block) {
	switch src := src.(type) {
	case *Ordinary:
		if d, ok := dst.(*Ordinary); ok {
			g.norm(&d.PreNorm, &src.PreNorm)
			g.conv(&d.Conv1, &src.Conv1)
			g.norm(&d.MidNorm, &src.MidNorm)
			g.conv(&d.Conv2, &src.Conv2)
			return
		}
	case *Pooling:
		if d, ok := dst.(*Pooling); ok {
			g.norm(&d.PreNorm, &src.PreNorm)
			g.conv(&d.ConvR, &src.ConvR)
			g.conv(&d.ConvG, &src.ConvG)
			g.norm(&d.GNorm, &src.GNorm)
			g.matmul(&d.GMul, &src.GMul, 3)
			g.norm(&d.MidNorm, &src.MidNorm)
			g.conv(&d.Conv2, &src.Conv2)
			return
		}
	case *Nested:
		if d, ok := dst.(*Nested); ok && len(d.Blocks) == len(src.Blocks) {
			g.norm(&d.PreNorm, &src.PreNorm)
			g.conv(&d.ConvIn, &src.ConvIn)
			for i := range d.Blocks {
				g.block(d.Blocks[i], src.Blocks[i])
			}
			g.norm(&d.PostNorm, &src.PostNorm)
			g.conv(&d.ConvOut, &src.ConvOut)
			return
		}
	}
	g.fail(src.Label())
}

func (g *grower) policy(dst, src *PolicyHead) {
	if dst.Channels != src.Channels {
		g.fail(src.Name)
		return
	}
	g.conv(&dst.P1, &src.P1)
	g.conv(&dst.G1, &src.G1)
	g.norm(&dst.GNorm, &src.GNorm)
	g.matmul(&dst.GMul, &src.GMul, 3)
	g.norm(&dst.PNorm, &src.PNorm)
	g.conv(&dst.P2, &src.P2)
	g.matmul(&dst.Pass1, &src.Pass1, 3)
	g.bias(&dst.PassBias, &src.PassBias)
	g.matmul(&dst.Pass2, &src.Pass2, 1)
}

func (g *grower) value(dst, src *ValueHead) {
	g.conv(&dst.V1, &src.V1)
	g.norm(&dst.VNorm, &src.VNorm)
	g.matmul(&dst.M2, &src.M2, 3)
	g.bias(&dst.B2, &src.B2)
	g.matmul(&dst.M3, &src.M3, 1)
	g.bias(&dst.B3, &src.B3)
	g.matmul(&dst.Score, &src.Score, 1)
	g.bias(&dst.ScoreBias, &src.ScoreBias)
	g.conv(&dst.Ownership, &src.Ownership)
}
