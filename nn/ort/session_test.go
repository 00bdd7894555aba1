//go:build cgo

package ort_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// needLibrary skips or fails the test if there is no library.
func needLibrary(t testing.TB) ort.Library {
	t.Helper()
	lib, err := ort.Load("")
	if err == nil {
		return lib
	}
	testshared.Absent(t, "run `make deps` first: %v", err)
	return ort.Library{}
}

// with returns a function that opens backends with the configuration c, for the tests of package nntest.
func with(c ort.Config) nntest.Opener {
	return func(t *testing.T, model []byte, spec nn.Spec, maxBatch int) (nn.Backend, error) {
		c.MaxBatch = max(maxBatch, 1)
		return ort.Open(model, spec, c)
	}
}

func TestBackend(t *testing.T) {
	needLibrary(t)
	for name, c := range map[string]ort.Config{
		"default":        {},
		"few shapes":     {FewShapes: true},
		"two threads":    {Threads: 2},
		"a common arena": {CommonArena: true},
	} {
		t.Run(name, func(t *testing.T) { nntest.TestBackend(t, with(c)) })
	}
}

func TestFixtures(t *testing.T) {
	needLibrary(t)
	nntest.TestFixtures(t, "../../testdata/onnx", with(ort.Config{}))
}

var nine = board.Square(9)

func TestRunAllocatesNothing(t *testing.T) {
	needLibrary(t)
	n := nntest.FourHeads(nine, 8, 1)
	b, err := ort.Open(n.Model, n.Spec, ort.Config{MaxBatch: 4})
	require.NoError(t, err)
	defer b.Close()
	for rows := 1; rows <= 4; rows++ {
		require.NoError(t, b.Run(rows))
		require.Zero(t, testing.AllocsPerRun(20, func() { _ = b.Run(rows) }), "%d rows", rows)
	}
}

// residentPages returns the pages of memory that the process holds.
func residentPages(t *testing.T) int {
	t.Helper()
	text := []byte(testshared.Read(t, "/proc/self/statm"))
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(t, err)
	return pages
}

// TestCloseFreesAll: closed sessions of some megabytes each leave nothing behind.
func TestCloseFreesAll(t *testing.T) {
	needLibrary(t)
	if runtime.GOOS != "linux" {
		t.Skip("the process's memory is read from /proc")
	}
	n := nntest.DualHead(nine, 3, 64, 1) // about 1 MB of weights
	cycle := func(times int) {
		for range times {
			b, err := ort.Open(n.Model, n.Spec, ort.Config{MaxBatch: 8})
			require.NoError(t, err)
			for rows := 1; rows <= 8; rows++ {
				require.NoError(t, b.Run(rows))
			}
			require.NoError(t, b.Close())
		}
		runtime.GC()
	}
	cycle(10)
	before := residentPages(t)
	cycle(30)
	grown := (residentPages(t) - before) * os.Getpagesize()
	require.Less(t, grown, 15<<20, "30 sessions left %d KB behind", grown>>10)
}

// TestForgottenSession: a session that is never closed is still freed.
func TestForgottenSession(t *testing.T) {
	needLibrary(t)
	n := nntest.DualHead(board.Square(5), 1, 4, 1)
	for range 5 {
		_, err := ort.Open(n.Model, n.Spec, ort.Config{MaxBatch: 2})
		require.NoError(t, err)
	}
	for range 4 { // an object that a finalizer frees may have a finalizer too
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

func TestLoadIsOnceForTheProcess(t *testing.T) {
	first := needLibrary(t)
	require.NotEmpty(t, first.Version)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			lib, err := ort.Load("")
			if err != nil || lib != first {
				t.Errorf("%v, %v", lib, err)
			}
		})
	}
	wg.Wait()
	lib, err := ort.Load(first.Path)
	require.NoError(t, err, "naming the one in use is not a conflict")
	require.Equal(t, first, lib)
	lib, ok := ort.Loaded()
	require.True(t, ok)
	require.Equal(t, first, lib)

	_, err = ort.Load(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, ort.ErrNoLibrary)
	if testing.Short() || testshared.Race {
		return
	}
	other := filepath.Join(t.TempDir(), filepath.Base(first.Path))
	data := []byte(testshared.Read(t, first.Path))
	require.NoError(t, os.WriteFile(other, data, 0o600))
	_, err = ort.Load(other)
	require.ErrorIs(t, err, ort.ErrOtherLibrary)
	n := nntest.DualHead(board.Square(5), 1, 4, 1)
	_, err = ort.Open(n.Model, n.Spec, ort.Config{Library: other})
	require.ErrorIs(t, err, ort.ErrOtherLibrary)
}

// TestFirstSessions: the first sessions of a process can be opened in parallel. Many processes try
// it, since each has only one first time.
func TestFirstSessions(t *testing.T) {
	needLibrary(t)
	if os.Getenv("FIRST_SESSIONS") == "" {
		t.Parallel()
		processes := 40
		if testing.Short() {
			processes = 5
		}
		for range processes {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestFirstSessions$")
			cmd.Env = append(os.Environ(), "FIRST_SESSIONS=1")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		return
	}
	n := nntest.DualHead(board.Square(5), 1, 4, 1)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 16 {
		wg.Go(func() {
			<-start
			b, err := ort.Open(n.Model, n.Spec, ort.Config{MaxBatch: 1})
			if err != nil {
				t.Error(err)
				return
			}
			b.Close()
		})
	}
	close(start)
	wg.Wait()
}

func TestProviders(t *testing.T) {
	needLibrary(t)
	all, err := ort.Providers("")
	require.NoError(t, err)
	require.Len(t, all, len(ort.ProviderNames())-1, "but for plugins, of which there are none")
	require.Equal(t, ort.ProviderStatus{Name: ort.CPU}, all[0])
	n := nntest.DualHead(board.Square(5), 1, 4, 1)
	absent := 0
	for _, p := range all {
		require.Equal(t, p.Err, ort.Offers("", p.Name))
		if p.Err == nil {
			continue
		}
		absent++
		require.ErrorIs(t, p.Err, ort.ErrProvider)
		require.ErrorContains(t, p.Err, p.Name)
		_, err := ort.Open(n.Model, n.Spec, ort.Config{Provider: p.Name})
		require.ErrorIs(t, err, ort.ErrProvider)
		require.ErrorContains(t, err, p.Name)
		require.ErrorContains(t, err, "offers: cpu", "the error says what there is")
	}
	require.Positive(t, absent, "no build has CoreML, DirectML and QNN at once")
	_, err = ort.Open(n.Model, n.Spec, ort.Config{Provider: "abacus"})
	require.ErrorIs(t, err, ort.ErrProvider)
	require.ErrorIs(t, ort.Offers("", "abacus"), ort.ErrProvider)
}

// tiny is a graph with one weight; spoil may damage it.
func tiny(t *testing.T, kind onnx.DataType, batch any, spoil func(*onnx.Model)) []byte {
	t.Helper()
	b := onnx.NewBuilder("tiny", 17)
	x := b.Input("x", kind, batch, 3)
	b.Output("y", b.Relu(x))
	m := nntest.Built(t, b)
	for i := range m.Graph.Outputs {
		m.Graph.Outputs[i].Type, m.Graph.Outputs[i].Shape = kind, m.Graph.Inputs[0].Shape
	}
	if spoil != nil {
		spoil(m)
	}
	return nntest.Bytes(t, m)
}

func tinySpec(out int) nn.Spec {
	return nn.Spec{
		Inputs:  []nn.TensorSpec{{Name: "x", Shape: []int{3}}},
		Outputs: []nn.TensorSpec{{Name: "y", Shape: []int{out}}},
	}
}

func TestOpenErrors(t *testing.T) {
	needLibrary(t)
	for _, tc := range []struct {
		name    string
		model   []byte
		spec    nn.Spec
		config  ort.Config
		err     error
		message string
	}{
		{"half precision at the border", tiny(t, onnx.Float16, "N", nil), tinySpec(3), ort.Config{}, nn.ErrSpec, "float16; float32 is needed"},
		{"one row only", tiny(t, onnx.Float, 1, nil), tinySpec(3), ort.Config{MaxBatch: 4}, nn.ErrSpec, "exactly 1 rows"},
		{"eight rows only", tiny(t, onnx.Float, 8, nil), tinySpec(3), ort.Config{MaxBatch: 8}, nn.ErrSpec, "exactly 8 rows"},
		{"a shape that only the run shows", tiny(t, onnx.Float, "N", func(m *onnx.Model) { m.Graph.Outputs[0].Shape = nil }), tinySpec(5), ort.Config{}, nn.ErrSpec, "cannot run as described"},
		{"an unknown operator", tiny(t, onnx.Float, "N", func(m *onnx.Model) { m.Graph.Nodes[0].OpType = "Rleu" }), tinySpec(3), ort.Config{}, ort.ErrModel, "Rleu"},
		{"too many threads", tiny(t, onnx.Float, "N", nil), tinySpec(3), ort.Config{Threads: 9999}, nil, "threads"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := ort.Open(tc.model, tc.spec, tc.config)
			require.Error(t, err)
			require.Nil(t, b)
			if tc.err != nil {
				require.ErrorIs(t, err, tc.err)
			}
			require.ErrorContains(t, err, tc.message)
		})
	}
	for name, c := range map[string]struct {
		batch  any
		config ort.Config
	}{
		"one row":    {1, ort.Config{}},
		"any number": {"N", ort.Config{MaxBatch: 8}},
	} {
		t.Run("good: "+name, func(t *testing.T) {
			b, err := ort.Open(tiny(t, onnx.Float, c.batch, nil), tinySpec(3), c.config)
			require.NoError(t, err)
			copy(b.Inputs()[0], []float32{-1, 2, 3})
			require.NoError(t, b.Run(1))
			require.Equal(t, []float32{0, 2, 3}, b.Outputs()[0][:3])
			require.NoError(t, b.Close())
		})
	}
}
