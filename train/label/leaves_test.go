package label

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
)

// TestLeaves: the requested share of labels is for positions inside searches, no position is
// labelled twice, and a second run adds nothing.
func TestLeaves(t *testing.T) {
	for _, share := range []float64{0.3, 1} {
		c := small(t, filepath.Join(t.TempDir(), "labels"))
		c.Leaves, c.Encoding, c.Rows = share, features.V7, 900 // in mini7's planes different positions may look the same
		r := labelled(t, c)
		require.InDelta(t, share, float64(r.Leaves)/float64(r.Fresh), 0.08)
		require.Len(t, labels(t, c.Out), r.Rows)
		again := labelled(t, c)
		require.Equal(t, []int{0, 0, r.Rows}, []int{again.Fresh, again.Leaves, again.Rows})
	}
}

// TestSearchLeaves: a turn's search yields evaluated positions that follow from the root by legal
// moves, at several depths: the same ones for the same hash, others for another hash.
func TestSearchLeaves(t *testing.T) {
	server := nntest.Server(t, nntest.HashModel(2), nn.ServerConfig{MaxBatch: 4, Reproducible: true, Seed: 7})
	asked := map[string]bool{}
	net := nn.Rewrite(server, func(q *nn.Query) { asked[fmt.Sprint(q.Game.Moves())] = true })
	root := testshared.Game(t, board.Square(5), board.Chinese())
	require.NoError(t, root.Play(board.Black, root.Size().FromIndex(12)))
	s := searcher{picker: picker{Wrapper: nn.Wrapper{Network: net}}}
	depths := map[int]bool{}
	var before []string
	for n := range 20 {
		l := lesson{game: root, hash: [2]uint64{uint64(n % 10), 9}}
		found, err := s.leaves(t.Context(), &l)
		require.NoError(t, err)
		require.Len(t, found, leafLabels)
		require.Greater(t, s.picker.seen, leafVisits/2)
		text := ""
		for _, g := range found {
			require.True(t, asked[fmt.Sprint(g.Moves())])
			require.Greater(t, g.NumMoves(), root.NumMoves())
			require.Equal(t, root.Moves(), g.Moves()[:1])
			like := testshared.Game(t, board.Square(5), board.Chinese())
			for _, m := range g.Moves() {
				require.NoError(t, like.Play(m.Color, m.Point))
			}
			require.Equal(t, like.Hash(), g.Hash())
			depths[g.NumMoves()] = true
			text += fmt.Sprint(g.Moves())
		}
		if n < 10 {
			require.NotContains(t, before, text)
			before = append(before, text)
		} else {
			require.Equal(t, before[n-10], text)
		}
	}
	require.Greater(t, len(depths), 2)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := freshGames{run: &run{}, player: net}
	c := &chunk{lessons: []lesson{{game: root, searched: true}}, units: []unit{{lessons: 1}}}
	require.NoError(t, f.search(ctx, c))
	require.False(t, c.lessons[0].learned)
}

// TestReplace: the positions that a search finds replace the lesson of the turn searched, without duplicates.
func TestReplace(t *testing.T) {
	var games []*board.Game
	for n := range 5 {
		g := testshared.Game(t, board.Square(5), board.Chinese())
		require.NoError(t, g.Play(board.Black, g.Size().FromIndex(n)))
		games = append(games, g)
	}
	ended := testshared.Game(t, board.Square(5), board.Chinese())
	for range 2 {
		require.NoError(t, ended.Play(ended.ToMove(), board.Pass))
	}
	c := chunk{
		lessons: []lesson{{game: games[0]}, {game: games[1], searched: true}, {game: games[2]}, {game: games[2], searched: true}, {game: games[0]}},
		units:   []unit{{lessons: 3}, {lessons: 2}},
	}
	c.replace([][]*board.Game{1: {games[3], games[0], games[3], games[4], ended}, 3: nil, 4: nil})
	var got []int
	for _, l := range c.lessons {
		got = append(got, slices.Index(games, l.game))
	}
	require.Equal(t, []int{0, 3, 4, 2, 0}, got)
	require.Equal(t, []int{4, 1}, []int{c.units[0].lessons, c.units[1].lessons})
}
