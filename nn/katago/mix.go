package katago

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMix marks two networks whose weights cannot be mixed.
var ErrMix = errors.New("the networks are not of the same shape")

// Mix moves every weight of n towards that of other, by a share from 0 (n stays as it is)
// to 1 (n becomes other). One network should be trained from the other: then the mixture keeps much of
// what both can do (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models"). Errors wrap ErrMix
// or are those of Check; after an error n is unchanged.
func (n *Network) Mix(other *Network, share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("%w: share %g, should be 0 to 1", ErrMix, share)
	}
	var shapes [2]string
	for i, net := range []*Network{n, other} {
		if err := net.Check(); err != nil {
			return err
		}
		layout, err := layoutOf(net)
		if err != nil {
			return err
		}
		_, shapes[i], _ = strings.Cut(layout, "\n") // all but the name
	}
	if shapes[0] != shapes[1] {
		return fmt.Errorf("%w: %s and %s", ErrMix, n.Header.Name, other.Header.Name)
	}
	others := collected(other).blocks
	for path, block := range collected(n).blocks {
		for k, v := range others[path].list {
			block.list[k] += float32(share * (float64(v) - float64(block.list[k])))
		}
	}
	return nil
}
