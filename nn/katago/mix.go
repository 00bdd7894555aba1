package katago

import (
	"errors"
	"fmt"
	"slices"
)

// ErrMix says that the weights of two networks have nothing to do with each other.
var ErrMix = errors.New("the networks are not of the same shape")

// Mix moves every weight of n towards that of other, by the share 0 (n stays) to 1 (n
// becomes other). It is meant for a network and one that was trained from it: what lies
// between them keeps much of both (Wortsman et al. 2022, "Robust fine-tuning of zero-shot
// models"). Errors wrap ErrMix and leave n as it was, or are Check's.
func (n *Network) Mix(other *Network, share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("%w: share %g, should be 0 to 1", ErrMix, share)
	}
	var mine, others parts
	for _, p := range []struct {
		net  *Network
		into *parts
	}{{n, &mine}, {other, &others}} {
		if err := p.net.Check(); err != nil {
			return err
		}
		w := walker{m: p.into}
		if w.network(p.net); w.err != nil {
			return w.err
		}
	}
	if len(mine.blocks) != len(others.blocks) || !slices.Equal(mine.shape[1:], others.shape[1:]) {
		return fmt.Errorf("%w: %s and %s", ErrMix, n.Header.Name, other.Header.Name)
	}
	for i, block := range mine.blocks {
		for k, v := range others.blocks[i] {
			block[k] += float32(share * (float64(v) - float64(block[k])))
		}
	}
	return nil
}

// parts is the medium that collects: what a network is, its name first, and its weights.
type parts struct {
	shape  []any
	blocks [][]float32
}

func (p *parts) token(s *string) error { p.shape = append(p.shape, *s); return nil }
func (p *parts) integer(v *int) error  { p.shape = append(p.shape, *v); return nil }
func (p *parts) real(v *float64) error { p.shape = append(p.shape, *v); return nil }

func (p *parts) floats(_ string, n int64, _ []int, v *[]float32) error {
	p.shape = append(p.shape, n)
	p.blocks = append(p.blocks, *v)
	return nil
}
