package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/thinking"
)

// TestPosition: restrictions apply until a move or a new game; a position matches only the same
// moves under the same rules.
func TestPosition(t *testing.T) {
	var p position
	g := newGame(t, 9)
	require.False(t, p.matches(g), "no game yet")
	p.reset(g)
	require.True(t, p.matches(g))

	at := g.Size().Point(4, 4)
	bans := []thinking.Restriction{{Color: board.Black, Points: []board.Point{at}, Depth: 1}}
	require.True(t, p.restrict(bans))
	require.False(t, p.restrict(bans), "the same again")
	require.False(t, p.allows(at))
	require.True(t, p.allows(board.Pass))
	bans[0].Points[0] = board.Pass
	require.False(t, p.allows(at), "the list was copied")

	require.NoError(t, p.play(board.Black, at))
	require.Empty(t, p.bans)
	require.False(t, p.matches(g))
	require.NoError(t, g.Play(board.Black, at))
	require.True(t, p.matches(g))

	require.Error(t, p.play(board.White, at))
	require.False(t, p.matches(g), "after a move that cannot be played there is no game")
	p.reset(g)
	require.True(t, p.restrict(bans))
	p.reset(g)
	require.Empty(t, p.bans)
}

// TestPassChanges: a root reached by a pass must not treat another pass as the end if passing is
// conservative or the game has no clean-up phase.
func TestPassChanges(t *testing.T) {
	for _, keepsOut := range []bool{false, true} {
		g := newGame(t, 9)
		o := g.Options()
		o.PreventEncore = keepsOut
		g.ContinueWith(o)
		var p position
		p.reset(g)
		require.False(t, p.passChanges(&Pass{Conservative: true}))
		require.NoError(t, p.play(board.Black, board.Pass))
		require.True(t, p.passChanges(&Pass{Conservative: true}))
		require.Equal(t, keepsOut, p.passChanges(&Pass{}))
	}
}
