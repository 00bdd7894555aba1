package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/nn"
	"kosumi/nn/open"
)

var errNoFile = errors.New("no such file here")

// host accepts any config and has no network.
type host struct {
	play  engine.Config
	files katago.Files
	took  bool
}

func (h *host) Version() string      { return "1.2.3" }
func (h *host) Play() *engine.Config { return &h.play }
func (h *host) Take(_ *config.Config, setup *katago.Setup) error {
	h.play, h.took = setup.Play, true
	return nil
}
func (h *host) Threads() int { return 2 }
func (h *host) Batch() int   { return 2 }
func (h *host) Open(files katago.Files, batch int, size board.Size, log *slog.Logger) *open.Network {
	h.files = files
	return open.Start(open.Config{Open: func(string) (nn.Model, error) { return nil, errNoFile }, File: files.Model, Size: size, Log: log})
}
func (h *host) Serve(ctx context.Context, _ *open.Network, serve func(context.Context) error) error {
	return serve(ctx)
}
func (h *host) Log(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

func TestRun(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"version"}, {"gtp", "-help"}, {"analysis", "-version"}} {
		require.True(t, Run(t.Context(), &host{play: engine.Defaults()}, args), args)
	}
	for _, args := range [][]string{{"fly"}, {"tuner"}, {"gtp", "-bogus"}, {"analysis"}, {"gtp", "-override-config", "numSearchThreads=0"}} {
		h := &host{play: engine.Defaults()}
		require.False(t, Run(t.Context(), h, args), args)
		require.False(t, h.took, args)
	}
}

// TestOpens: if the network file is missing, the error is KataGo's and no network is opened;
// otherwise the config is applied and the file is opened.
func TestOpens(t *testing.T) {
	model := filepath.Join(t.TempDir(), "net.bin.gz")
	h := &host{play: engine.Defaults()}
	f, err := katago.ParseFlags("gtp", []string{"-override-config", "maxVisits=7", "-model", model})
	require.NoError(t, err)
	require.ErrorContains(t, playGTP(t.Context(), h, f), "Error loading or parsing model file "+model)
	require.Empty(t, h.files)
	require.NoError(t, os.WriteFile(model, []byte("no network"), 0o644))
	require.ErrorIs(t, playGTP(t.Context(), h, f), errNoFile)
	require.True(t, h.took)
	require.EqualValues(t, 7, h.play.Limits.Visits)
	require.Equal(t, model, h.files.Model)
}
