package katago

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkRead(b *testing.B) {
	for _, name := range realNames {
		data, err := os.ReadFile(realPath(b, name))
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_, err := readBytes(data)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkLarge is a network of the size that people play with: b18c384nbt,
// 28 million weights, 110 MB.
func BenchmarkLarge(b *testing.B) {
	n, err := Fresh("kb18c384nbt-mish", 1)
	require.NoError(b, err)
	var file bytes.Buffer
	require.NoError(b, Write(&file, n))
	b.Run("Read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(file.Len()))
		for b.Loop() {
			_, err := readBytes(file.Bytes())
			require.NoError(b, err)
		}
	})
	b.Run("Build", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := Build(n, Size{19, 19}, Options{})
			require.NoError(b, err)
		}
	})
	b.Run("Write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			file.Reset()
			require.NoError(b, Write(&file, n))
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	n := readReal(b, realNames[0])
	for _, form := range []Form{FormRun, FormExact} {
		b.Run(form.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := Build(n, Size{19, 19}, Options{Form: form})
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkFromONNX(b *testing.B) {
	n := readReal(b, realNames[0])
	m, err := Build(n, Size{19, 19}, Options{Form: FormExact})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := FromONNX(m)
		require.NoError(b, err)
	}
}
