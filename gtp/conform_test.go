package gtp

import (
	"context"
	"io"
	"testing"

	"kosumi/internal/conform"
)

// serveFake starts a server with a fake engine behind pipes.
func serveFake(t testing.TB, f *fakeEngine, o Options) *conform.GTP {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	s := newServer(f, o)
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

func TestConformance(t *testing.T) {
	t.Parallel()
	conform.RunGTP(t, openFake)
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	conform.Transcripts(t, openFake)
}
