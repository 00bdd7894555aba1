package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/internal/testshared"
	"kosumi/nn/ort"
)

// TestTuning measures, stores the result, and finds it again unless the settings differ.
func TestTuning(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	library, err := ort.Find("")
	require.NoError(t, err)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("KOSUMI_ONNXRUNTIME", library.Path)
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder is set by XDG_CACHE_HOME on Linux")
	}
	args := []string{"benchmark", "--model", freshNetwork(t), "--precision", "fp32", "--boardsize", "5", "--seconds", "0.02", "--rounds", "1", "--json"}
	o := exits(t, exitDone, nil, "", append(args, "--tune")...)
	var b bench.Report
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &b))
	require.Greater(t, len(b.Tuning), 5)
	require.Equal(t, 1.0, b.Tuning[0].Ratio)
	best := bench.Plan{Sessions: b.Sessions, Batch: b.Batch, Threads: b.Threads}
	require.Equal(t, best.String(), b.Recommended)

	use := func(change func(*settings)) bench.Plan {
		s := defaultSettings()
		s.Model, s.Precision, s.stderr = freshNetwork(t), "fp32", slog.New(slog.DiscardHandler)
		change(&s)
		size := s.Play.Size
		s.useTuning(size)
		return bench.Plan{Sessions: s.Sessions, Batch: s.Batch, Threads: s.Play.Search.Parallel.Workers}
	}
	five := func(s *settings) { s.Play.Size = board.Square(5) }
	require.Equal(t, best, use(five))
	for name, change := range map[string]func(*settings){
		"board":     func(s *settings) { s.Play.Size = board.Square(9) },
		"precision": func(s *settings) { s.Play.Size, s.Precision = board.Square(5), "fp16" },
		"network":   func(s *settings) { s.Play.Size, s.Model = board.Square(5), "" },
		"absent":    func(s *settings) { s.Play.Size, s.Model = board.Square(5), "absent.onnx" },
	} {
		require.Zero(t, use(change), "another %s", name)
	}
	require.Equal(t, bench.Plan{Batch: 4}, use(func(s *settings) { s.Play.Size, s.Batch = board.Square(5), 4 }), "what is asked for wins")

	s := defaultSettings()
	s.Model, s.Precision = freshNetwork(t), "fp32"
	path, err := s.tuningUse(board.Square(5)).Path()
	require.NoError(t, err)
	for _, text := range []string{"", "[]", "{}", `{"sessions":-1,"batch":8,"threads":8}`, `{"sessions":1,"batch":99999,"threads":8}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		require.Zero(t, use(five), text)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing half-written")

	for _, more := range []string{"--batch=4", "--sessions=1", "--threads=2"} {
		require.Equal(t, exitUsage, invoke(t, nil, "", append(args, "--tune", more)...).code, more)
	}
}
