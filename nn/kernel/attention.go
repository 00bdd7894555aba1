package kernel

import "fmt"

// Attention is softmax(q·kᵀ)·v over the tokens of a board, for each head. Heads/KVHeads consecutive
// query heads share a head of keys and values. Queries must be scaled already.
//
// It reads x [n][tokens][queries, keys, values] of all heads and writes y [n][tokens][heads][VDim].
// Cosines and sines, [tokens][KVHeads][QDim/2] each, rotate queries and keys: the first half of a
// query or key holds the first numbers of all pairs, the second half the second ones. Without
// cosines and sines nothing is rotated.
type Attention struct {
	Heads, KVHeads, QDim, VDim int
	Precision                  Precision
}

// mostTokens limits tokens, so that rounding adds little to a query's sum of probabilities; attention.h has the bound.
const mostTokens = 1 << 16

// row returns how many numbers a token has: its queries, keys and values.
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
