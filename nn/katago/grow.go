package katago

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrGrow marks a network that cannot grow into another shape.
var ErrGrow = errors.New("the network cannot grow into that shape")

// Grow makes a network of a larger shape that gives the same answers as n (Chen, Goodfellow and Shlens
// 2016): more blocks, more channels, or both, of the same kind. New parts have fresh weights, but do not
// change the old ones at first: the last convolution of new blocks is 0, and so are the weights from new
// channels to old ones. These zeros are trained from the first step, since their inputs are not 0.
// ParseArch reads arch; errors wrap ErrGrow or are ParseArch's.
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
	if err := widen(big, n); err != nil {
		return nil, err
	}
	return big, big.Check()
}

// widen copies the weights of n into the wider layers of big. Existing channels come first.
func widen(big, n *Network) error {
	if big.Policy.Channels != n.Policy.Channels {
		return fmt.Errorf("%w: %d policy channels instead of %d", ErrGrow, n.Policy.Channels, big.Policy.Channels)
	}
	from, to := collected(n), collected(big)
	for path, layer := range from.layers {
		switch src := layer.(type) {
		case *Conv:
			if src.DilY != 1 || src.DilX != 1 {
				return fmt.Errorf("%w: layer %s is dilated", ErrGrow, path)
			}
		case *Norm:
			if dst, ok := to.layers[path].(*Norm); ok {
				dst.likewise(src)
			}
		}
	}
	to = collected(big) // collect again: norms of big have new parts
	for path, src := range from.blocks {
		dst, ok := to.blocks[path]
		if !ok || !widened(dst, src, pooledParts(path)) {
			return fmt.Errorf("%w: layer %s does not fit", ErrGrow, path)
		}
		delete(to.blocks, path)
	}
	for _, b := range big.Trunk.Blocks[len(n.Trunk.Blocks):] {
		silence(b)
	}
	for path := range to.blocks {
		var block int
		if _, err := fmt.Sscanf(path, "blocks.%d.", &block); err != nil || block < len(n.Trunk.Blocks) {
			return fmt.Errorf("%w: layer %s has no input", ErrGrow, path)
		}
	}
	return nil
}

// likewise gives n the epsilon of src, and a scale of 1 and a bias of 0 where src has a scale or bias.
func (n *Norm) likewise(src *Norm) {
	n.Epsilon, n.HasScale, n.HasBias, n.Scale, n.Bias = src.Epsilon, src.HasScale, src.HasBias, nil, nil
	if n.HasScale {
		n.Scale = filled(n.Channels, 1)
	}
	if n.HasBias {
		n.Bias = filled(n.Channels, 0)
	}
}

// collector is the medium that collects layers and blocks of numbers by their paths.
type collector struct {
	layers map[string]any
	blocks map[string]numbers
}

// numbers is a float block with its dimensions.
type numbers struct {
	dims []int
	list []float32
}

func collected(n *Network) collector {
	c := collector{layers: map[string]any{}, blocks: map[string]numbers{}}
	w := walker{m: c, layers: c.layers}
	w.network(n)
	return c
}

func (c collector) token(*string) error { return nil }
func (c collector) integer(*int) error  { return nil }
func (c collector) real(*float64) error { return nil }

func (c collector) floats(path string, _ int64, dims []int, v *[]float32) error {
	c.blocks[path] = numbers{dims, *v}
	return nil
}

// pooledParts returns how many equal parts a layer's inputs have: three after a global
// pooling, else one.
func pooledParts(path string) int {
	if strings.HasSuffix(path, "gmul.weight") || path == "policy.pass1.weight" || path == "value.m2.weight" {
		return 3
	}
	return 1
}

// widened copies vectors, matrices [in,out] or kernels [y,x,in,out] into wider ones. New inputs
// have weight 0 for existing outputs. It returns false if src does not fit.
func widened(dst, src numbers, parts int) bool {
	rank := len(src.dims)
	if len(dst.dims) != rank || rank < 1 {
		return false
	}
	out, wideOut := src.dims[rank-1], dst.dims[rank-1]
	if wideOut < out {
		return false
	}
	if rank == 1 {
		copy(dst.list, src.list)
		return true
	}
	in, wideIn := src.dims[rank-2], dst.dims[rank-2]
	if wideIn < in || in%parts != 0 || wideIn%parts != 0 || !slices.Equal(src.dims[:rank-2], dst.dims[:rank-2]) {
		return false
	}
	for row := range len(dst.list) / wideOut {
		clear(dst.list[row*wideOut:][:out])
	}
	for row := range len(src.list) / out {
		tap, i := row/in, row%in
		part := in / parts
		to := tap*wideIn + i/part*(wideIn/parts) + i%part
		copy(dst.list[to*wideOut:], src.list[row*out:][:out])
	}
	return true
}

// silence makes a block add nothing to the trunk until it is trained.
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
