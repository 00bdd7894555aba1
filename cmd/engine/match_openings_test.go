package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/match"
	"kosumi/nn"
)

// TestMatchOpenings makes a file of openings, and reads it as a match does.
func TestMatchOpenings(t *testing.T) {
	needLibrary(t)
	args := append([]string{"match", "openings", "--model", realNetwork(t), "--boardsize", "9", "--komi", "7", "--count", "20", "--seed", "3"}, frugal...)
	size := board.Square(9)
	var files []string
	for _, name := range []string{"a.txt", "b.txt"} {
		file := filepath.Join(t.TempDir(), name)
		o := invoke(t, nil, "", append(args, "-o", file)...)
		require.Zero(t, o.code, o.stderr)
		require.Contains(t, o.stderr, "20 openings")
		files = append(files, file)
	}
	one, err := os.ReadFile(files[0])
	require.NoError(t, err)
	two, err := os.ReadFile(files[1])
	require.NoError(t, err)
	require.Equal(t, string(one), string(two), "a seed gives one book")

	openings, err := match.ReadOpenings(files[0], size)
	require.NoError(t, err)
	require.Len(t, openings, 20)
	seen := map[string]bool{}
	for _, o := range openings {
		require.GreaterOrEqual(t, len(o), 2)
		require.LessOrEqual(t, len(o), 6)
		g := played(t, size, o)
		require.False(t, seen[sameEverywhere(g)], "%v", o)
		seen[sameEverywhere(g)] = true
	}
}

func played(t *testing.T, size board.Size, moves []board.Move) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	for _, m := range moves {
		require.NoError(t, g.Play(m.Color, m.Point))
	}
	return g
}

// TestOpeningsRunOut asks for more openings than there are: on 3x3 the first
// move is one of three, however it is turned.
func TestOpeningsRunOut(t *testing.T) {
	server, err := nn.NewServer(nn.Uniform(), nn.ServerConfig{})
	require.NoError(t, err)
	defer server.Close()
	book := func(count int) ([]string, error) {
		b := openingBook{
			flags: openingFlags{count: count, least: 1, most: 1, temperature: 1, balance: 0.5}, eval: server,
			size: board.Square(3), rules: board.Chinese(), rng: rand.New(rand.NewPCG(1, 1)), seen: map[string]bool{}, found: func(int) {},
		}
		return b.draw(context.Background())
	}
	lines, err := book(3)
	require.NoError(t, err)
	require.Len(t, lines, 3)
	_, err = book(4)
	require.ErrorContains(t, err, "3 openings found")
}

func TestDrawMove(t *testing.T) {
	size := board.Size{W: 2, H: 2}
	policy := []float32{0.5, -1, 0.125, 0.25}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	for temperature, want := range map[float64][4]float64{
		1:   {4. / 7, 0, 1. / 7, 2. / 7},
		0.5: {16. / 21, 0, 1. / 21, 4. / 21},
		2:   {1 / 2.2071, 0, 0.5 / 2.2071, 0.7071 / 2.2071},
	} {
		var counts [4]int
		for range n {
			p, ok := drawMove(policy, temperature, size, rng)
			require.True(t, ok)
			counts[p]++
		}
		for i := range counts {
			require.InDelta(t, want[i], float64(counts[i])/n, 0.02, "temperature %g, move %d", temperature, i)
		}
	}
	_, ok := drawMove([]float32{-1, -1, 0, -1}, 1, size, rng)
	require.False(t, ok, "nothing to draw but a pass")
}

func TestOpeningsUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"-o is needed":  {},
		"--count":       {"-o", "x", "--count", "0"},
		"--max-moves":   {"-o", "x", "--min-moves", "5", "--max-moves", "4"},
		"--temperature": {"-o", "x", "--temperature", "0"},
		"--balance":     {"-o", "x", "--balance", "0.6"},
		"board size":    {"-o", "x", "--boardsize", "1"},
	} {
		o := invoke(t, nil, "", append([]string{"match", "openings"}, args...)...)
		require.Equal(t, exitUsage, o.code, "%v: %s", args, o.stderr)
		require.Contains(t, o.stderr, want)
	}
}
