package gtp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
)

// serveFake starts a server with a fake engine behind pipes.
func serveFake(t testing.TB, f *fakeEngine, o Options) *conform.GTP {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	s := NewServer(f, slog.New(slog.DiscardHandler), o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		err := s.Serve(ctx, inRead, outWrite)
		outWrite.Close()
		inRead.Close()
		done <- err
	}()
	t.Cleanup(cancel)
	return conform.NewGTP(t, inWrite, outRead, func() error { return <-done })
}

func openFake(t testing.TB, _ ...string) *conform.GTP {
	return serveFake(t, newFake(), Options{})
}

// serveEnv makes the test binary serve the fake engine on stdin and stdout instead of running
// tests.
const serveEnv = "KOSUMI_TEST_SERVE_GTP"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) == "" {
		os.Exit(m.Run())
	}
	s := NewServer(newFake(), slog.New(slog.NewTextHandler(os.Stderr, nil)), Options{})
	if err := s.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestConformanceOfProgram runs the items that need a process and real pipes.
func TestConformanceOfProgram(t *testing.T) {
	testshared.Slow(t)
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	open := conform.Program(exe, []string{serveEnv + "=1", "GORACE=atexit_sleep_ms=0"})
	conform.RunGTP(t, open, 1, 9, 10, 11, 12, 13, 32, 42)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	conform.RunGTP(t, openFake)
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	conform.Transcripts(t, openFake)
}
