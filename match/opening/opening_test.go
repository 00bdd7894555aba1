package opening_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/match/opening"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestRunOut: a request for more openings than exist is an error: on 3x3 the first move is one of
// three, up to symmetry.
func TestRunOut(t *testing.T) {
	server, err := nn.NewServer(nntest.Uniform(), nn.ServerConfig{})
	require.NoError(t, err)
	defer server.Close()
	draw := func(ctx context.Context, count int) (lines []string, found int, err error) {
		lines, err = opening.Draw(ctx, server, opening.Config{
			Count: count, Least: 1, Most: 1, Temperature: 1, Balance: 0.5,
			Size: board.Square(3), Rules: board.Chinese(), Seed: 1, Found: func(n int) { found = n },
		})
		return lines, found, err
	}
	lines, found, err := draw(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, []int{3, 3}, []int{len(lines), found})
	again, _, err := draw(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, lines, again, "a seed gives one book")
	_, _, err = draw(t.Context(), 4)
	require.ErrorContains(t, err, "3 openings found")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = draw(ctx, 3)
	require.ErrorContains(t, err, "interrupted after 0 of 3 openings")
}
