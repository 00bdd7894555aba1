package kernel

import "fmt"

// Attention is softmax(q·kᵀ)·v over the tokens of a board, for each head. Heads/KVHeads
// query heads in a row share a head of keys and values. Queries come multiplied by
// their scale.
type Attention struct {
	Heads, KVHeads, QDim, VDim int
	Precision                  Precision
}

// AttentionCall is what attention reads and writes. Cosines and Sines turn queries and
// keys, in which the first numbers of all pairs stand before the second ones.
type AttentionCall struct {
	N, Tokens      int
	X              []float32 // [N][Tokens][queries, keys, values] of all heads
	Cosines, Sines []float32 // [Tokens][KVHeads][QDim/2]; nil: no turn
	Y              []float32 // [N][Tokens][Heads][VDim]
}

// mostTokens keeps sums of probabilities far from their bound.
const mostTokens = 1 << 16

// row is how many numbers a token has: its queries, keys and values.
func (a *Attention) row() int { return a.Heads*a.QDim + a.KVHeads*(a.QDim+a.VDim) }

func (a *Attention) checkHeads(n, tokens int) error {
	if a.Heads < 1 || a.KVHeads < 1 || a.Heads%a.KVHeads != 0 || a.QDim < 1 || a.VDim < 1 {
		return fmt.Errorf("kernel: no attention of %d heads on %d, %d and %d wide", a.Heads, a.KVHeads, a.QDim, a.VDim)
	}
	if n < 1 || tokens < 1 || tokens > mostTokens {
		return fmt.Errorf("kernel: no attention over %d times %d tokens", n, tokens)
	}
	return nil
}

func (a *Attention) check(c *AttentionCall) error {
	if err := a.checkHeads(c.N, c.Tokens); err != nil {
		return err
	}
	turns := c.Tokens * a.KVHeads * (a.QDim / 2)
	if len(c.X) != c.N*c.Tokens*a.row() || len(c.Y) != c.N*c.Tokens*a.Heads*a.VDim ||
		len(c.Cosines) != len(c.Sines) || c.Cosines != nil && (len(c.Cosines) != turns || a.QDim%2 != 0) {
		return fmt.Errorf("kernel: the tensors do not fit %d times %d tokens", c.N, c.Tokens)
	}
	return nil
}
