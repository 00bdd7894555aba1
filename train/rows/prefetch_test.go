package rows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted delivers batches of 1, 2, 3 rows and so on, and an error in place of the fourth.
type counted struct {
	Stream
	n int
}

func (c *counted) Next(b *Batch) error {
	if c.n++; c.n == 4 {
		return errors.New("no more")
	}
	b.N = c.n
	return nil
}

// TestPrefetch: every batch, prefetched or not, is delivered once and in order, and the batch in use
// is not overwritten.
func TestPrefetch(t *testing.T) {
	var p Prefetch
	var s counted
	first, err := p.Get(&s)
	require.NoError(t, err)
	p.Start(&s)
	require.Equal(t, 1, first.N)
	second, err := p.Get(&s)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, []int{first.N, second.N})
	p.Start(&s)
	p.End()
	require.Equal(t, 3, s.n)
	p.End()
	_, err = p.Get(&s)
	require.ErrorContains(t, err, "training data: no more")
}
