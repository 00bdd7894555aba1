package board_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

// gameOn returns a game on a diagram, Black to move, with clean-up phases.
func gameOn(t testing.TB, rules, text string) *board.Game {
	t.Helper()
	r, err := board.ParseRules(rules)
	require.NoError(t, err)
	g := testshared.GameOn(t, diagram(t, text), r)
	g.SetOptions(board.GameOptions{})
	return g
}

const empty5 = ".....\n.....\n.....\n.....\n....."

const koShape = `
	. X O . .
	X O . O .
	. X O . .
	. . . . .
	. . . . .`

// twoSpaces has a corner of two points that White surrounds.
const twoSpaces = `
	. . O . .
	O O O . .
	. . . . .
	. . . . .
	. . . . .`

func TestSuperkoBySuicide(t *testing.T) {
	for rules, want := range map[string]error{
		"tromp-taylor":                   board.ErrSuperko, // repeats the position before A5
		"new-zealand":                    nil,              // Black was to move before A5, so nothing repeats
		"chinese":                        board.ErrSuicide,
		`{"ko":"SPIGHT","suicide":true}`: nil, // White's pass lifted the ban
		`{"ko":"SIMPLE","suicide":true}`: nil,
	} {
		t.Run(rules, func(t *testing.T) {
			g := gameOn(t, rules, twoSpaces)
			play(t, g, "A5 pass")
			p := at(t, g.Size(), "B5")
			require.Equal(t, want == board.ErrSuperko, g.SuperkoBanned(p))
			require.Equal(t, want == nil, g.LegalMoves(nil)[p])
			before := snapshot(g.Board())
			require.ErrorIs(t, g.Legal(board.Black, p), want)
			if want != nil {
				require.ErrorIs(t, g.Play(board.Black, p), want)
				require.Equal(t, before, snapshot(g.Board()))
				require.Equal(t, 2, g.NumMoves())
			}
			require.NoError(t, g.PlayTolerant(board.Black, p))
			require.Equal(t, diagram(t, twoSpaces).String(), g.Board().String())
			require.Equal(t, 2, g.Board().Captured(board.Black))
		})
	}
}

func TestPlayRefuses(t *testing.T) {
	g := gameOn(t, "chinese", twoSpaces)
	before := snapshot(g.Board())
	s := g.Size()
	require.ErrorIs(t, g.Play(board.Black, at(t, s, "C5")), board.ErrOccupied)
	require.ErrorIs(t, g.PlayTolerant(board.Black, at(t, s, "C5")), board.ErrOccupied)
	for _, p := range []board.Point{25, board.NoPoint, -7} {
		require.ErrorIs(t, g.Play(board.Black, p), board.ErrOffBoard)
		require.ErrorIs(t, g.PlayTolerant(board.Black, p), board.ErrOffBoard)
	}
	require.ErrorIs(t, g.Play(board.Empty, 0), board.ErrColor)
	require.ErrorIs(t, g.PlayTolerant(7, 0), board.ErrColor)
	require.Equal(t, before, snapshot(g.Board()))
	require.Zero(t, g.NumMoves())
	require.Equal(t, board.Black, g.ToMove())
	require.Equal(t, board.NoPoint, g.LastMove(0).Point)
	require.Equal(t, board.NoPoint, g.LastMove(-1).Point)
}

func TestFriendlyPass(t *testing.T) {
	for rules, want := range map[string]bool{"chinese": true, "tromp-taylor": false, "japanese": false} {
		g := gameOn(t, rules, empty5)
		require.False(t, g.FriendlyPassSuppressed())
		play(t, g, "A1 pass")
		require.Equal(t, want, g.FriendlyPassSuppressed(), rules)
	}
}

func TestHandicapBonus(t *testing.T) {
	for _, c := range []struct {
		rules, setup, moves string
		leading             bool
		stones              int
		want                float32
	}{
		{"chinese", "XX...", "", false, -1, 2},
		{"chinese", "XXX..", "W:A1", false, -1, 3},
		{"chinese", "X....", "", false, -1, 0},
		{"chinese", "XXO..", "", false, -1, 0},
		{"aga", "XXX..", "", false, -1, 2},
		{"tromp-taylor", "XXX..", "", false, -1, 0},
		{"chinese", ".....", "B:A1 B:B1 W:C1", false, -1, 0},
		{"chinese", ".....", "B:A1 B:B1 W:C1", true, -1, 2},
		{"chinese", ".....", "B:A1 W:C1 B:B1", true, -1, 0},
		{"chinese", ".....", "B:A1 W:pass B:B1 W:pass B:C1 W:E1 B:D1", true, -1, 3},
		{"chinese", ".....", "B:A1 B:B1 W:pass W:pass B:C1", true, -1, 0},
		{"chinese", "XX...", "B:A1 W:C1", true, -1, 3},
		{"chinese", "XX...", "", false, 5, 5},
		{"aga", ".....", "W:A1", false, 1, 0},
		{"aga", ".....", "W:A1", false, 4, 3},
	} {
		g := gameOn(t, c.rules, c.setup+"\n.....\n.....")
		g.SetHandicapStones(c.stones)
		g.SetOptions(board.GameOptions{StartBlackMovesAreHandicap: c.leading})
		play(t, g, c.moves)
		require.Equal(t, c.want, g.HandicapBonusScore(), "%+v", c)
	}
}

func TestSetup(t *testing.T) {
	g := gameOn(t, "japanese", empty5)
	play(t, g, "A1 A2 A3")
	require.NoError(t, g.Setup([]board.Point{0, 1, 2}, []board.Point{5}, board.White))
	require.Equal(t, board.White, g.ToMove())
	require.Equal(t, "XXX..\nO....\n.....\n.....\n.....\n", g.Board().String())
	require.Zero(t, g.NumMoves())
	require.Zero(t, g.Board().Captured(board.Black))
	require.EqualValues(t, 2, g.BonusScore(), "set-up stones cost a point each")
	require.False(t, g.Undo())

	before := snapshot(g.Board())
	for _, c := range []struct {
		black, white []board.Point
		toMove       board.Color
		want         error
	}{
		{[]board.Point{25}, nil, board.Black, board.ErrSetup},
		{nil, []board.Point{board.Pass}, board.Black, board.ErrSetup},
		{[]board.Point{3}, []board.Point{3}, board.Black, board.ErrSetup},
		{[]board.Point{3, 3}, nil, board.Black, board.ErrSetup},
		{[]board.Point{0}, []board.Point{1, 5}, board.Black, board.ErrNoLiberty},
		{nil, nil, board.Empty, board.ErrColor},
	} {
		require.ErrorIs(t, g.Setup(c.black, c.white, c.toMove), c.want)
		require.ErrorIs(t, g.Setup(c.black, c.white, c.toMove), board.ErrSetup)
	}
	require.Equal(t, before, snapshot(g.Board()))
	require.Equal(t, board.White, g.ToMove())
	for _, rows := range []string{"XOO.", "OOOO", "XXXX", ".XOXOXOXX"} { // of 2x2 and 3x3
		small := testshared.Game(t, board.Square(2+len(rows)/9), board.Chinese())
		var points [3][]board.Point
		for p, sign := range []byte(rows) {
			c := strings.IndexByte(refSigns, sign)
			points[c] = append(points[c], board.Point(p))
		}
		require.ErrorIs(t, small.Setup(points[board.Black], points[board.White], board.Black), board.ErrNoLiberty, rows)
	}

	require.NoError(t, g.SetupBoard(diagram(t, "...\n.X."), board.Black))
	require.Equal(t, board.Size{W: 3, H: 2}, g.Size())
	require.ErrorIs(t, g.StartInPhase(3), board.ErrSetup)
	require.NoError(t, g.StartInPhase(2))
	require.Equal(t, 2, g.Phase())
	require.Equal(t, board.Black, g.SecondEncoreStart(4))
	require.ErrorIs(t, g.SetRules(board.Chinese()), board.ErrRules)
}

func TestSetToMove(t *testing.T) {
	g := gameOn(t, "tromp-taylor", koShape)
	g.SetToMove(board.White)
	require.Equal(t, board.White, g.ToMove())
	g.SetToMove(board.Black)
	play(t, g, "C4")
	g.SetToMove(board.Empty)
	g.SetToMove(board.White) // already to move
	require.Equal(t, "B4", g.Size().Vertex(g.Board().KoPoint()))
	g.SetToMove(board.Black)
	require.Equal(t, board.Black, g.ToMove())
	require.Equal(t, board.NoPoint, g.Board().KoPoint())
	require.Equal(t, 1, g.NumMoves())
}

func stateText(t *testing.T, g *board.Game) string {
	return strings.Join([]string{
		snapshot(g.Board()), toText(t, stateOf(g)), toText(t, scoreOf(g)), fmt.Sprint(g.Hash(), g.Moves()),
	}, "\n")
}

func TestGameUndo(t *testing.T) {
	for name, rules := range ruleSets(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 5))
			g := testshared.Game(t, board.Size{W: 5, H: 4}, rules)
			g.SetOptions(board.GameOptions{})
			var states []string
			for range 40 {
				states = append(states, stateText(t, g))
				require.NoError(t, g.Play(g.ToMove(), someMoveLegal(rng, g)))
			}
			for len(states) > 0 {
				require.True(t, g.Undo())
				require.Equal(t, states[len(states)-1], stateText(t, g))
				states = states[:len(states)-1]
			}
			require.False(t, g.Undo())
		})
	}
}

func TestOptions(t *testing.T) {
	g := gameOn(t, "japanese", empty5)
	play(t, g, "A1 pass pass")
	require.Equal(t, 1, g.Phase())
	g.SetOptions(board.GameOptions{PreventEncore: true})
	require.Equal(t, 0, g.Phase(), "as if it had been so from the start")
	require.True(t, g.Ended() && !g.Finished())
	require.Equal(t, board.GameOptions{PreventEncore: true}, g.Options())
	g.ContinueWith(board.GameOptions{})
	require.Equal(t, 0, g.Phase(), "what was played stays")
	play(t, g, "pass")
	require.Equal(t, 1, g.Phase())
	require.Equal(t, board.Empty, g.SecondEncoreStart(0))

	fresh := testshared.Game(t, board.Square(9), board.Japanese())
	require.Equal(t, board.GameOptions{PreventEncore: true}, fresh.Options())
	require.Panics(t, func() { board.NewBoard(board.Square(1)) })
}

func TestPastBoards(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, rules := range []board.Rules{board.TrompTaylor(), board.Japanese()} {
		g := testshared.Game(t, board.Square(5), rules)
		g.SetOptions(board.GameOptions{})
		var past board.Board
		var boards []string
		var hashes []board.Hash
		for range 150 {
			boards = append(boards, snapshot(g.Board()))
			now, ok := g.PastHash(0)
			require.True(t, ok)
			hashes = append(hashes, now)
			for ago := -1; ago <= 9; ago++ {
				ok := g.PastBoard(&past, ago)
				require.Equal(t, ago >= 0 && ago <= min(8, len(boards)-1), ok, "%d ago", ago)
				h, hashed := g.PastHash(ago)
				require.Equal(t, ok, hashed)
				if ok {
					require.Equal(t, boards[len(boards)-1-ago], snapshot(&past))
					require.Equal(t, hashes[len(boards)-1-ago], h)
				}
			}
			require.NoError(t, g.Play(g.ToMove(), someMoveLegal(rng, g)))
		}
	}
}

func TestSetRulesReplays(t *testing.T) {
	g := gameOn(t, "new-zealand", twoSpaces)
	play(t, g, "A5 pass B5") // forbidden by superko under other rules
	require.ErrorIs(t, g.SetRules(board.Rules{Ko: 9}), board.ErrRules)
	require.Equal(t, board.KoSituational, g.Rules().Ko)
	require.NoError(t, g.SetRules(board.Japanese()))
	require.Equal(t, board.Japanese(), g.Rules())
	require.Equal(t, 3, g.NumMoves())
	require.Equal(t, board.White, g.ToMove())
	require.Equal(t, 2, g.Board().Captured(board.Black))
	require.EqualValues(t, -4+2, g.BonusScore())
	g.SetKomi(0.5)
	require.EqualValues(t, 0.5, g.Rules().Komi)
	g.SetKomi(1e9)
	require.EqualValues(t, 0.5, g.Rules().Komi)
}

// TestReadersShareAGame lets several goroutines read one game at once, for the race detector.
func TestReadersShareAGame(t *testing.T) {
	g := middleGame(board.Square(9), board.TrompTaylor(), 100, 9)
	want := stateText(t, g)
	var wait sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		wait.Go(func() {
			var past board.Board
			var scratch board.LadderScratch
			if g.PastBoard(&past, i) && ladderText(&past, &scratch) != "?" && g.GraphHash(board.Hash{}) != (board.Hash{}) {
				got[i] = stateText(t, clone(g))
			}
		})
	}
	wait.Wait()
	for _, text := range got {
		require.Equal(t, want, text)
	}
}

// TestForgetOutOfTurn lets a colour play twice in a row: all moves before the second are forgotten,
// and undo brings them back.
func TestForgetOutOfTurn(t *testing.T) {
	g := testshared.Game(t, board.Square(5), board.Japanese())
	o := g.Options()
	o.ForgetOutOfTurn = true
	g.SetOptions(o)
	play(t, g, "A1 E5 W:D4")
	require.Equal(t, 2, g.Forgotten())
	require.Equal(t, 3, g.NumMoves())
	require.Equal(t, 1, g.ValidTurns())
	require.Equal(t, board.Black, g.ToMove())
	require.True(t, g.Undo())
	require.Zero(t, g.Forgotten())
	require.Equal(t, 2, g.ValidTurns())
	require.Equal(t, board.Black, g.ToMove(), "as after the moves that are left")
	g.SetToMove(board.White)
	require.Equal(t, 2, g.Forgotten())
	require.Zero(t, g.ValidTurns())
	g.Remember()
	require.Zero(t, g.Forgotten())
	require.Equal(t, board.Black, g.ToMove())
	g.SetToMove(board.White)
	play(t, g, "pass pass")
	require.True(t, g.Ended())
}

// TestUndoOutOfTurn: undo restores the side that was to move, whichever side moved.
func TestUndoOutOfTurn(t *testing.T) {
	for _, c := range []struct {
		moves string
		undo  int
		want  board.Color
	}{
		{"W:C3", 1, board.Black},
		{"W:pass", 1, board.Black},
		{"A1 B:B1", 1, board.White},
		{"A1 B:B1 C1", 2, board.White},
		{"A1 B:B1 C1", 1, board.White},
		{"A1 B1 W:C1 W:D1", 1, board.Black},
		{"A1 B1 W:C1 W:D1", 2, board.Black},
		{"A1 B1 W:C1 W:D1", 3, board.White},
		{"A1 B1 W:C1 W:D1", 4, board.Black},
		{"A1 B1 C1", 1, board.Black},
	} {
		g := gameOn(t, "chinese", empty5)
		play(t, g, c.moves)
		copied := new(board.Game)
		copied.CopyFrom(g)
		require.NoError(t, copied.SetRules(board.Japanese()))
		for _, g := range []*board.Game{g, copied} {
			require.True(t, g.UndoMoves(c.undo))
			require.Equal(t, c.want, g.ToMove(), "%+v", c)
		}
	}
	// After SetToMove(Black) a move of Black is not out of turn.
	g := gameOn(t, "chinese", empty5)
	play(t, g, "A1")
	g.SetToMove(board.Black)
	play(t, g, "B:B1")
	require.NoError(t, g.SetRules(board.Japanese()))
	require.True(t, g.Undo())
	require.Equal(t, board.Black, g.ToMove())
}
