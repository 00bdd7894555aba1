package features_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// draw returns a plane as rows of digits, '.' for 0.
func draw(size board.Size, plane []float32) string {
	var s strings.Builder
	for p, v := range plane {
		if p%size.W == 0 {
			s.WriteByte('\n')
		}
		switch v {
		case 0:
			s.WriteByte('.')
		case 1:
			s.WriteByte('1')
		default:
			s.WriteByte('?')
		}
	}
	return s.String()
}

func requirePlanes(t *testing.T, g *board.Game, e features.Encoding, want map[int]string) {
	t.Helper()
	spatial, global := buffers(e, g)
	features.Encode(e, spatial, global, g, features.Options{}, features.NewScratch())
	area := g.Size().Area()
	for i, picture := range want {
		require.Equal(t, strings.ReplaceAll(picture, "\t", ""), draw(g.Size(), spatial[i*area:(i+1)*area]), "plane %d", i)
	}
}

const (
	none4 = "\n....\n....\n....\n...."
	full4 = "\n1111\n1111\n1111\n1111"
)

// TestMini7: the planes are the seven of the AlphaGo Zero tutorials, except that passes count as
// moves.
func TestMini7(t *testing.T) {
	g := testshared.Game(t, board.Square(4), board.TrompTaylor())
	requirePlanes(t, g, features.Mini7, map[int]string{0: none4, 1: none4, 2: full4, 3: none4, 4: none4, 5: full4, 6: full4})
	testshared.Play(t, g, "a3 b3 b4 c4 d1 a4") // White takes B4: Black may not take back at once
	requirePlanes(t, g, features.Mini7, map[int]string{
		0: "\n....\n1...\n....\n...1",
		1: "\n1.1.\n.1..\n....\n....",
		2: "\n.1.1\n..11\n1111\n111.",
		5: "\n...1\n..11\n1111\n111.",
		3: "\n1...\n....\n....\n....",
		4: "\n....\n....\n....\n...1",
		6: full4,
	})
	testshared.Play(t, g, "pass")
	requirePlanes(t, g, features.Mini7, map[int]string{3: none4, 4: "\n1...\n....\n....\n....", 6: none4})
}

func TestSeed22(t *testing.T) {
	rules := board.Japanese()
	rules.Komi = 7.5
	g := testshared.Game(t, board.Square(4), rules)
	testshared.Play(t, g, "b4 b3 a3 c4 pass")
	testshared.Play(t, g, "a4") // captures B4 in ko
	requirePlanes(t, g, features.Seed22, map[int]string{
		0:  "\n....\n1...\n....\n....",
		1:  "\n1.1.\n.1..\n....\n....",
		2:  "\n.1.1\n..11\n1111\n1111",
		3:  "\n11..\n....\n....\n....", // the stone placed and the one captured
		4:  none4,                      // the pass
		5:  "\n..1.\n....\n....\n....",
		6:  "\n....\n1...\n....\n....",
		7:  "\n....\n.1..\n....\n....",
		8:  "\n.1..\n....\n....\n....",
		9:  none4,
		10: none4,
		11: "\n.1..\n....\n....\n....",
		12: "\n1...\n1...\n....\n....",
		13: none4,
		14: "\n..1.\n.1..\n....\n....",
		15: none4, 16: none4, 17: none4,
		18: none4,
		19: full4,
		21: full4,
	})
	spatial, _ := buffers(features.Seed22, g)
	features.Encode(features.Seed22, spatial, nil, g, features.Options{}, features.NewScratch())
	for _, v := range spatial[20*16 : 21*16] {
		require.Equal(t, float32(0.5), v)
	}
}

// TestAGZ17: AlphaGo Zero's planes as the side to move sees them, in the paper's order and in that of
// AGZ17Split. Turns before the game are empty, and a pass repeats the board.
func TestAGZ17(t *testing.T) {
	g := testshared.Game(t, board.Square(4), board.TrompTaylor())
	requirePlanes(t, g, features.AGZ17, map[int]string{0: none4, 1: none4, 16: full4})
	testshared.Play(t, g, "b4 b3 a3 c4 pass a4") // White takes B4 in ko
	ago := [8][2]string{
		{"\n....\n1...\n....\n....", "\n1.1.\n.1..\n....\n...."},
		{"\n.1..\n1...\n....\n....", "\n..1.\n.1..\n....\n...."},
		{"\n.1..\n1...\n....\n....", "\n..1.\n.1..\n....\n...."},
		{"\n.1..\n1...\n....\n....", "\n....\n.1..\n....\n...."},
		{"\n.1..\n....\n....\n....", "\n....\n.1..\n....\n...."},
		{"\n.1..\n....\n....\n....", none4},
		{none4, none4}, {none4, none4},
	}
	paper, split := map[int]string{16: full4}, map[int]string{16: full4}
	for i, both := range ago {
		paper[2*i], paper[2*i+1], split[i], split[8+i] = both[0], both[1], both[0], both[1]
	}
	requirePlanes(t, g, features.AGZ17, paper)
	requirePlanes(t, g, features.AGZ17Split, split)
	testshared.Play(t, g, "d1")
	requirePlanes(t, g, features.AGZ17, map[int]string{0: ago[0][1], 1: "\n....\n1...\n....\n...1", 2: ago[0][1], 3: ago[0][0], 16: none4})
	require.Equal(t, "opponent's stones 1 move ago", features.AGZ17.PlaneNames()[3])
	require.Equal(t, "opponent's stones 1 move ago", features.AGZ17Split.PlaneNames()[9])
}

func TestNamesRoundTrip(t *testing.T) {
	for _, e := range allEncodings {
		got, err := features.Parse(strings.ToUpper(e.String()))
		require.NoError(t, err)
		require.Equal(t, e, got)
		require.Positive(t, e.Planes())
	}
	_, err := features.Parse("v8")
	require.ErrorContains(t, err, "seed22")
	_, err = features.Parse("none")
	require.Error(t, err)
}

func TestDrawWins(t *testing.T) {
	for given, want := range map[float64]float64{0: 0.5, -1: 0, 0.25: 0.25, 1: 1, 3: 1} {
		o := features.Options{DrawWinsForWhite: given}
		require.Equal(t, want, o.DrawWins())
	}
}

// TestV6HistoryEndsAtIllegalMoves: V6 hides moves before a violation of ko or suicide; V7 does
// not.
func TestV6HistoryEndsAtIllegalMoves(t *testing.T) {
	g := testshared.Game(t, board.Square(5), board.Chinese())
	testshared.Play(t, g, "b5 c5 a4 d4 b3 c3 c4 b4") // White takes C4 in ko
	shown := func(e features.Encoding) (n int) {
		spatial, global := buffers(e, g)
		features.Encode(e, spatial, global, g, features.Options{}, features.NewScratch())
		for i := range 5 {
			if slices.Contains(spatial[(9+i)*25:(10+i)*25], 1) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 5, shown(features.V6))
	require.NotEqual(t, board.NoPoint, g.Board().KoPoint())
	require.Error(t, g.Legal(board.Black, g.Board().KoPoint()))
	require.NoError(t, g.PlayTolerant(board.Black, g.Board().KoPoint()))
	testshared.Play(t, g, "e1 e2")
	require.Equal(t, 5, shown(features.V7))
	require.Equal(t, 2, shown(features.V6))
}
