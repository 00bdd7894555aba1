package katago

import (
	"errors"
	"fmt"
	"slices"
)

// ErrMix marks two networks whose weights cannot be mixed.
var ErrMix = errors.New("the networks are not of the same shape")

// Mix moves every weight of n towards other's, by the share 0 (n stays) to 1 (n becomes other).
// It is for a network and one trained from it: a mixture keeps much of both (Wortsman et al.
// 2022, "Robust fine-tuning of zero-shot models"). Errors wrap ErrMix and leave n unchanged, or
// are Check's.
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

// parts is the medium that collects a network's structure, its name first, and its weights.
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
