package katago

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead: a damaged file gives, in little time and memory, an error or a network that stays the
// same when it is written and read again.
func FuzzRead(f *testing.F) {
	for _, version := range []int{3, 8, 15, 17} {
		n := toy(f, version)
		plain := plainBytes(f, n)
		f.Add(plain)
		f.Add(plain[:len(plain)/2])
		var text bytes.Buffer
		require.NoError(f, Write(&text, n, Format{Text: true}))
		f.Add(text.Bytes())
	}
	f.Add(pack(f, plainBytes(f, toy(f, 8))))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := read(bytes.NewReader(data), "fuzz", 8<<20)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+64*uint64(len(data)) {
			t.Fatalf("%d bytes of input took %d bytes of memory", len(data), used)
		}
		if err != nil {
			return
		}
		first := plainBytes(t, n)
		again, err := readBytes(first)
		require.NoError(t, err)
		require.True(t, bytes.Equal(first, plainBytes(t, again)))
		if n.Params() < 100_000 {
			m := graphOf(t, n, Size{5, 4}, FormExact)
			back, err := FromONNX(m)
			require.NoError(t, err)
			require.True(t, bytes.Equal(first, plainBytes(t, back)))
			graphOf(t, n, Size{5, 4}, FormRun)
			graphOf(t, n, Size{5, 4}, FormKernels)
		}
	})
}
