package rows

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNpyHeaderForms reads headers written by old and new versions of numpy and by KataGo.
func TestNpyHeaderForms(t *testing.T) {
	for _, text := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 80), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 80L)}",
		`{"shape": (3, 80), "fortran_order": False, "descr": "<f4"}`,
		"{'shape': (3, 80,), 'descr': '<f4', 'fortran_order': False}" + strings.Repeat(" ", 100) + "\n",
	} {
		for version := range 3 {
			b := []byte(npyMagic)
			b = append(b, byte(version+1), 0)
			if version == 0 {
				b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
			} else {
				b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
			}
			h, err := readNpyHeader(bytes.NewReader(append(b, text...)))
			require.NoError(t, err, text)
			require.Equal(t, []int{3, 80}, h.Shape)
			require.Equal(t, "<f4", h.Type)
			require.False(t, h.Fortran)
		}
	}
}

func FuzzNpyHeader(f *testing.F) {
	f.Add([]byte(appendNpyHeader(nil, npyF4, []int{3, 80})))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readNpyHeader(bytes.NewReader(data))
		if err == nil && (h.Bytes > len(data) || len(h.Shape) > 8) {
			t.Fatal(h)
		}
	})
}
