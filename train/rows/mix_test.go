package rows

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
)

// TestMix: after any number of batches each source has had its share, and a restored stream delivers
// the same batches.
func TestMix(t *testing.T) {
	small := fillFolder(t, 1, 2, Layout{features.V7, 9}, board.Square(5))
	large := fillFolder(t, 2, 2, Layout{features.V7, 9}, board.Square(9))
	sources := []Source{{[]string{small}, 0.3}, {[]string{large}, 0.7}}
	mix := func() *Mix {
		m, err := OpenMix(options(8), sources...)
		require.NoError(t, err)
		t.Cleanup(func() { m.Close() })
		return m
	}
	first := mix()
	var a, b Batch
	fives := 0
	for k := range 40 {
		require.NoError(t, first.Next(&a))
		if a.Size == board.Square(5) {
			fives++
		}
		require.InDelta(t, 0.3*float64(k+1), fives, 1, "after %d batches", k+1)
	}
	state, err := first.State()
	require.NoError(t, err)
	second := mix()
	require.NoError(t, second.Next(&b))
	require.NoError(t, second.Restore(state))
	for range 30 {
		require.NoError(t, first.Next(&a))
		require.NoError(t, second.Next(&b))
		require.Equal(t, a, b)
	}
	for name, bad := range map[string]string{"other shares": `{"shares":[0.5,0.5]}`, "no JSON": "PK",
		"no folders": `{"shares":[0.3,0.7],"taken":[1,2]}`, "less than nothing": `{"shares":[0.3,0.7],"taken":[-1,2],"folders":[{},{}]}`} {
		require.ErrorContains(t, mix().Restore([]byte(bad)), "the state of the training data", name)
	}
}

// TestSourceWithoutRows: an error of a mixture names the source.
func TestSourceWithoutRows(t *testing.T) {
	dir, empty := fillFolder(t, 1, 1, Layout{features.V7, 9}, board.Square(9)), t.TempDir()
	m, err := OpenMix(options(8), Source{[]string{dir}, 0.5}, Source{[]string{empty}, 0.5})
	require.NoError(t, err)
	defer m.Close()
	var b Batch
	require.NoError(t, m.Next(&b))
	err = m.Next(&b)
	require.ErrorIs(t, err, ErrNoRows)
	require.ErrorContains(t, err, fmt.Sprint(empty, ": "))
}
