package rows

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
)

// TestCatalogIsShared replaces a file by one of the same size and time: a stream with a shared
// catalog does not notice, a stream with its own catalog does, and both notice when the time
// differs.
func TestCatalogIsShared(t *testing.T) {
	dir := fillFolder(t, 3, 1, Layout{features.V7, 9}, board.Square(9))
	o := options(8)
	o.Catalog = new(Catalog)
	whole := open(t, o, dir).WindowRows()
	require.Positive(t, whole)

	path := filepath.Join(dir, "a.npz")
	stat, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, make([]byte, stat.Size()), 0o644))
	require.NoError(t, os.Chtimes(path, stat.ModTime(), stat.ModTime()))
	require.Equal(t, whole, open(t, o, dir).WindowRows())

	alone := open(t, options(8), dir)
	require.Less(t, alone.WindowRows(), whole)
	require.Len(t, alone.skipped, 1)

	later := stat.ModTime().Add(time.Second)
	require.NoError(t, os.Chtimes(path, later, later))
	require.Equal(t, alone.WindowRows(), open(t, o, dir).WindowRows())
}

// TestSurveyOfManyFiles surveys more files than one chunk holds, some of them unusable: no file is
// lost or counted twice, and the survey ends when the window is full.
func TestSurveyOfManyFiles(t *testing.T) {
	good := smallFile(t, Layout{features.V7, 5})
	dir := t.TempDir()
	const files = 2*surveyChunk + 17
	now := time.Now()
	for k := range files {
		data := good
		if k%50 == 3 {
			data = good[:len(good)/2]
		}
		path := filepath.Join(dir, string(rune('a'+k/26%26))+string(rune('a'+k%26))+string(rune('a'+k/676))+".npz")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		at := now.Add(time.Duration(k) * time.Second)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	f := open(t, options(8), dir)
	bad := (files-4)/50 + 1
	require.Len(t, f.skipped, bad)
	one := f.WindowRows() / (files - bad)
	require.Equal(t, one*(files-bad), f.WindowRows())
	require.Len(t, f.order, files-bad)

	o := options(8)
	o.WindowRows = one * 300
	f = open(t, o, dir)
	require.Equal(t, one*300, f.WindowRows())
	require.Len(t, f.order, 300)
}

// TestHeldRowsTakeTheirOwnMemoryOnly: memory of rows that are not held back is freed.
func TestHeldRowsTakeTheirOwnMemoryOnly(t *testing.T) {
	dir := fillFolder(t, 4, 12, Layout{features.V7, 9}, board.Square(9))
	o := options(4)
	o.Split = Split{Share: 0.1, Held: true}
	f := open(t, o, dir)
	require.NoError(t, f.Next(new(Batch)))
	require.Positive(t, f.seg.bytes)
	kept := 0
	for _, s := range f.seg.sets {
		kept += cap(s.Binary) + 4*cap(s.Global) + 2*cap(s.Policy) + 4*cap(s.Globals) + cap(s.Scores) + cap(s.Points)
	}
	require.Less(t, int64(kept), 2*f.seg.bytes)
	require.Less(t, f.seg.bytes*4, int64(f.WindowRows()*f.seg.sets[0].Layout.RowBytes()), "most rows are not held")
}
