package analysis

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/conform"
	"kosumi/katago/config"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// hashNet is a network with made-up answers for every board size.
type hashNet struct{ *nn.Server }

func (hashNet) Serves(size board.Size) error { return size.Check() }

func newHashNet(t testing.TB) hashNet {
	t.Helper()
	server, err := nn.NewServer(nntest.HashModel(1), nn.ServerConfig{Sessions: 2, Seed: 1, CacheBytes: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	return hashNet{server}
}

// takesSettings returns the default configuration, with overrideSettings allowed.
func takesSettings() Config {
	c := Defaults()
	c.Overrides = config.PlainOverrides(1)
	return c
}

func testConfig() Config {
	c := takesSettings()
	c.Threads = 3
	c.Version = "1.2.3"
	c.Search.Memory.MaxBytes = 256 << 20
	return c
}

func serve(t testing.TB, c Config, net nn.Network) *conform.Analysis {
	t.Helper()
	s, err := New(c, net, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		defer close(ended)
		err := s.Serve(ctx, inRead, outWrite)
		outWrite.Close()
		inRead.Close()
		done <- err
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return conform.NewAnalysis(t, inWrite, outRead, func() error { return <-done })
}

func TestConformance(t *testing.T) {
	conform.RunAnalysis(t, func(t testing.TB, args ...string) *conform.Analysis {
		c := testConfig()
		c.QuitWithoutWaiting = slices.Contains(args, "-quit-without-waiting")
		return serve(t, c, newHashNet(t))
	})
}
