package rows

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
)

// smallFile returns an npz file with the rows of one game.
func smallFile(t testing.TB, l Layout) []byte {
	t.Helper()
	return asBytes(built(t, l, randomGame(t, board.Square(min(5, l.Side)), board.TrompTaylor(), 1)))
}

// readAll reads a file and checks every row, as training does.
func readAll(data []byte) error {
	f, err := newFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if f.N > 1<<16 {
		return nil // too large to be read at once
	}
	s, err := f.Read(0, f.N)
	if err != nil {
		return err
	}
	for i := range s.N {
		if err := s.Check(i); err != nil {
			return err
		}
	}
	var b Batch
	var u unpacker
	for i := range s.N {
		_, _, _, _ = s.Position(i)
		b.prepare(s.Layout, s.Size(i), 1, Wants{true, true})
		u.put(&b, 0, s, i, board.Symmetry(i%4), i%6)
	}
	return nil
}

// TestMutatedFiles changes bytes of npz files, and bytes of their arrays before the checksum is made. Each
// file is refused or read, without a panic; checksums detect almost every change of a file.
func TestMutatedFiles(t *testing.T) {
	good := [][]byte{smallFile(t, Layout{features.V7, 5}), asBytes(taughtSet(t, Layout{features.V7, 5}, board.Square(5)))}
	require.NoError(t, readAll(good[0]))
	rng := rand.New(rand.NewPCG(7, 7))
	refused := 0
	for k := range 500 {
		if readAll(mutated(good[k%2], rng)) != nil {
			refused++
		}
		_ = readAll(rezip(t, good[k%2], func(name string, data []byte) []byte {
			if rng.IntN(4) == 0 {
				return mutated(data, rng)
			}
			return data
		}))
	}
	require.Greater(t, refused, 450)
}

// mutated returns a copy with some bytes changed, removed or inserted.
func mutated(data []byte, rng *rand.Rand) []byte {
	out := bytes.Clone(data)
	for range 1 + rng.IntN(8) {
		at := rng.IntN(len(out))
		switch rng.IntN(5) {
		case 0:
			out = out[:max(1, at)]
		case 1:
			out = append(out[:at:at], append([]byte{byte(rng.Uint32())}, out[at:]...)...)
		default:
			out[at] ^= byte(1 + rng.IntN(255))
		}
	}
	return out
}

// rezip rewrites an npz file with changed entries.
func rezip(t testing.TB, data []byte, change func(name string, data []byte) []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range z.File {
		r, err := e.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		name := e.Name
		content = change(name, content)
		if content == nil {
			continue
		}
		out, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		require.NoError(t, err)
		_, err = out.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return buf.Bytes()
}

func TestHostileFiles(t *testing.T) {
	good := smallFile(t, Layout{features.V7, 5})
	edit := func(array string, f func(data []byte) []byte) []byte {
		return rezip(t, good, func(name string, data []byte) []byte {
			if name == array {
				return f(data)
			}
			return data
		})
	}
	header := func(text string) func([]byte) []byte {
		return func([]byte) []byte {
			b := []byte("\x93NUMPY\x01\x00")
			b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
			return append(b, text...)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "npz"},
		"no zip":         {[]byte("PK no"), "npz"},
		"array missing":  {edit(nameTargets, func([]byte) []byte { return nil }), nameTargets + " is missing"},
		"wrong magic":    {edit(namePoints, func(d []byte) []byte { return append([]byte("X"), d[1:]...) }), "does not begin"},
		"too short":      {edit(namePoints, func(d []byte) []byte { return d[:5] }), "shorter"},
		"cut":            {edit(namePoints, func(d []byte) []byte { return d[:len(d)-1] }), "bytes, want"},
		"too long":       {edit(namePoints, func(d []byte) []byte { return append(d, 0) }), "bytes, want"},
		"version 9":      {edit(namePoints, func(d []byte) []byte { d[6] = 9; return d }), "npy version 9"},
		"huge header":    {edit(namePoints, func(d []byte) []byte { d[6] = 2; copy(d[8:], "\xff\xff\xff\x7f"); return d }), "npy header of"},
		"no dictionary":  {edit(namePoints, header("hello\n")), "cannot be read"},
		"unknown key":    {edit(namePoints, header("{'descr': '|i1', 'x': 3, 'fortran_order': False, 'shape': (1,), }\n")), "cannot be read"},
		"negative shape": {edit(namePoints, header("{'descr': '|i1', 'fortran_order': False, 'shape': (-1, 3), }\n")), "cannot be read"},
		"many rows":      {edit(nameBinary, header("{'descr': '|u1', 'fortran_order': False, 'shape': (999999999, 22, 4), }\n")), "rows in one file"},
		"other planes":   {edit(nameBinary, header("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 21, 4), }\n")), "21 input planes"},
		"Fortran order":  {edit(namePoints, header("{'descr': '|i1', 'fortran_order': True, 'shape': (3, 4), }\n")), "Fortran"},
		"info no JSON":   {edit(nameInfo, func(d []byte) []byte { d[len(d)-1] = '!'; return d }), nameInfo},
	} {
		t.Run(name, func(t *testing.T) {
			err := readAll(c.data)
			require.Error(t, err)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(smallFile(f, Layout{features.V7, 5}))
	f.Add(smallFile(f, Layout{features.Mini7, 4}))
	f.Add(asBytes(taughtSet(f, Layout{features.V7, 5}, board.Square(5))))
	f.Fuzz(func(_ *testing.T, data []byte) { _ = readAll(data) })
}

// TestBadFilesAreNamedOnce: bad files are skipped, unusable games are named by their numbers, and the
// good ones are delivered. The log has only one line per bad file, although three streams skip it.
func TestBadFilesAreNamedOnce(t *testing.T) {
	dir := t.TempDir()
	good, bad := "(;SZ[5];B[cc];W[bb];B[dd];W[cb])", "(;SZ[5];B[cc];W[cc])"
	for name, data := range map[string]string{"all.sgf": good + bad + good + "(;SZ[5];B[aa];AB[cc])", "torn.npz": "PK", "torn.sgf": "torn",
		"mini.npz": string(smallFile(t, Layout{features.Mini7, 5})), "notes.txt": "not looked at"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	var log bytes.Buffer
	o := options(1)
	o.Catalog, o.Log = new(Catalog), slog.New(slog.NewTextHandler(&log, nil))
	for range 3 {
		f := open(t, o, dir)
		var b Batch
		for range 20 {
			require.NoError(t, f.Next(&b))
		}
		require.Len(t, f.skipped, 4)
		for path, err := range f.skipped {
			require.ErrorContains(t, err, filepath.Base(path))
		}
	}
	require.Equal(t, 1, strings.Count(log.String(), "game records are left out"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "game 2: "), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "game 4: "), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "torn.npz"), log.String())
	require.Equal(t, 4, strings.Count(log.String(), "\n"), log.String())
	err := recordsError("x.sgf", slices.Repeat([]string{"game 1: bad\nindeed"}, 10))
	require.ErrorContains(t, err, "bad; indeed; game 1: ")
	require.ErrorContains(t, err, "; and 2 more")
	require.NotContains(t, err.Error(), "\n")
}

// TestImpossibleStates: an impossible state of a stream is refused without a panic.
func TestImpossibleStates(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.npz"), smallFile(t, Layout{features.V7, 5}), 0o644))
	record := filepath.Join(dir, "b.sgf")
	require.NoError(t, os.WriteFile(record, []byte("(;SZ[5];B[cc];W[bb])"), 0o644))
	f, err := OpenFolder(Options{Batch: 4}, dir)
	require.NoError(t, err)
	defer f.Close()
	var b Batch
	require.NoError(t, f.Next(&b))
	good, err := f.State()
	require.NoError(t, err)
	for name, spoil := range map[string]func(s *folderState){
		"a part from before the beginning": func(s *folderState) { s.Order[0].From = -1 },
		"a part of nothing":                func(s *folderState) { s.Order[0].N = 0 },
		"a part beyond all numbers":        func(s *folderState) { s.Order[0].From, s.Order[0].N = math.MaxInt, math.MaxInt },
		"a record from minus one":          func(s *folderState) { s.Order, s.First = []part{{record, -1, 1}}, 0 },
		"a place before the first":         func(s *folderState) { s.At = -4 },
		"a place behind the last":          func(s *folderState) { s.At = math.MaxInt },
		"no such segment":                  func(s *folderState) { s.First = 99 },
		"no random numbers":                func(s *folderState) { s.RNG = nil },
		"rows that wait for another board": func(s *folderState) { s.Waiting = []waitSet{{19, 5, smallFile(t, Layout{features.V7, 5})}} },
		"rows that wait and are none":      func(s *folderState) { s.Waiting = []waitSet{{5, 5, []byte("PK")}} },
	} {
		var s folderState
		require.NoError(t, json.Unmarshal(good, &s))
		require.NotEmpty(t, s.Order)
		spoil(&s)
		bad, err := json.Marshal(s)
		require.NoError(t, err)
		require.ErrorContains(t, f.Restore(bad), "the state of the training data", name)
	}
	require.NoError(t, f.Restore(good))
}

func TestNothingToRead(t *testing.T) {
	f := open(t, options(8), t.TempDir())
	err := f.Next(new(Batch))
	require.ErrorIs(t, err, ErrNoRows)
	require.ErrorContains(t, err, "(.sgf, .sgfs) is there")
	dir := fillFolder(t, 1, 1, Layout{features.V7, 9}, board.Square(9))
	o := options(8)
	o.Size = board.Square(19)
	f = open(t, o, dir)
	err = f.Next(new(Batch))
	require.ErrorIs(t, err, ErrNoRows)
	require.ErrorContains(t, err, "19x19")
	_, err = OpenFolder(options(8), filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = OpenFolder(Options{}, dir)
	require.ErrorContains(t, err, "batches")
}
