package review

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// The change of hands is said of the region that costs most, in the words that fit
// most of its points.
func TestReasonsSayWhatChangesHands(t *testing.T) {
	size := board.Square(9)
	for _, c := range []struct {
		best, did float64 // White's ownership of the upper left corner, of the three points in the lower right one
		want      string
	}{
		{0.9, -0.8, " 9 points of the upper left corner turn from White's to Black's."},
		{0.9, 0.1, " 9 points of the upper left corner are no longer White's for sure."},
		{0.1, -0.9, " 9 open points of the upper left corner become Black's."},
		{0.2, 0.1, ""},
	} {
		k := &mistake{size: size, mover: board.White, bestOwn: make([]float64, 81), did: make([]float64, 81)}
		for y := range 3 {
			for x := range 3 {
				k.bestOwn[size.Point(x, y)], k.did[size.Point(x, y)] = c.best, c.did
			}
			k.bestOwn[size.Point(8, 6+y)] = 0.15
		}
		k.findParts()
		require.Equal(t, c.want, k.turned())
	}
}

// mistakeOn is a mistake of Black's on a board of X and O, after whose better move
// Black has the points that the first map says, and after the played one those of the
// second: + for Black's, - for White's, anything else nobody's.
func mistakeOn(t *testing.T, rows []string, played, best string, loss float64, bestOwn, did []string) *mistake {
	t.Helper()
	size := board.Square(len(rows))
	var black, white []board.Point
	own := func(rows []string) []float64 {
		out := make([]float64, size.Area())
		for i := range out {
			switch rows[i/size.W][i%size.W] {
			case '+':
				out[i] = 0.95
			case '-':
				out[i] = -0.95
			}
		}
		return out
	}
	for i := range size.Area() {
		switch rows[i/size.W][i%size.W] {
		case 'X':
			black = append(black, board.Point(i))
		case 'O':
			white = append(white, board.Point(i))
		}
	}
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	require.NoError(t, g.Setup(black, white, board.Black))
	k := &mistake{size: size, mover: board.Black, before: g, last: board.NoPoint, loss: loss, err: 0.5, phase: Opening, bestV: best,
		own: own(bestOwn), bestOwn: own(bestOwn), did: own(did)}
	k.played, err = size.ParseVertex(played)
	require.NoError(t, err)
	k.best, err = size.ParseVertex(best)
	require.NoError(t, err)
	k.afterBest, k.taken, _ = k.playLine([]string{best})
	k.afterPlayed, _, k.punish = k.playLine([]string{played, "D2"})
	k.findParts()
	return k
}

func TestReasons(t *testing.T) {
	empty := []string{".........", ".........", ".........", ".........", ".........", ".........", ".........", ".........", "........."}
	ladder := []string{".........", ".........", ".........", "...OO....", "..OX.....", "...O.....", ".........", ".........", "........."}
	laddered := []string{".........", ".........", ".........", "...OO....", "..OX.....", "..OX.....", "...O.....", ".........", "........."}
	caught := []string{".........", ".........", ".........", "....O....", "...OXO...", "...OXO...", ".........", ".........", "........."}
	lost := []string{".........", ".........", ".........", "...--....", "..----...", "...---...", "....---..", ".........", "........."}
	// White's stones in the corner live or die by B1; a stone of Black's is in atari.
	race := []string{".........", ".........", ".........", ".........", ".........", "XXXX.....", "OOOX.....", ".OX.X....", "..O......"}
	quiet := []string{".........", ".........", ".........", ".........", ".........", "XXXX.....", "OOOX.....", ".O..X....", "..O......"}
	raced := []string{".........", ".........", ".........", ".........", ".........", ".........", "++++.....", "++++.....", "++++....."}
	living := []string{".........", ".........", ".........", ".........", ".........", ".........", "----.....", "----.....", "----....."}
	atari := []string{"O........", "X........", ".........", ".........", ".........", ".........", ".........", ".........", "........."}
	mine := []string{"++++.....", "++++.....", "++++.....", "++++.....", ".........", ".........", ".........", ".........", "........."}
	for name, c := range map[string]struct {
		rows         []string
		played, best string
		loss         float64
		own, did     []string
		kind         Kind
		said         string
	}{
		"runs in a ladder":                     {ladder, "E5", "G8", 5, empty, lost, Ladder, "Runs on in a ladder that does not work; G8 is 5 points better."},
		"stones in atari are in no ladder":     {caught, "J9", "E3", 5, empty, lost, MissedSave, "2 stones at E5 can be taken after this; E3 prevents it."},
		"stones in a ladder":                   {laddered, "J9", "E4", 5, empty, lost, Ladder, "2 stones at D5 can be caught in a ladder after this; E4 prevents it."},
		"a group before a stone in atari":      {race, "J9", "B1", 20, raced, living, LetLive, "B1 would have killed the group at A3 (5 stones)."},
		"a move in contact is not a direction": {ladder, "C6", "H2", 5, empty, empty, "", ""},
		"a quiet move on the wrong side is":    {empty, "C7", "G3", 5, empty, empty, Direction, "The bigger place is the lower right corner: G3 is 5 points better."},
		"a move at home":                       {empty, "C7", "G3", 5, mine, mine, OwnTerritory, "Inside one's own territory; G3 is 5 points better."},
		"a capture of dead stones":             {atari, "B9", "G3", 5, mine, mine, OwnTerritory, "Takes what is dead anyway; G3 is 5 points better."},
		"a group far from the better move":     {quiet, "H7", "H8", 20, raced, living, "", ""},
		"what is far from both is not counted": {empty, "H8", "H9", 5, living, empty, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := mistakeOn(t, c.rows, c.played, c.best, c.loss, c.own, c.did)
			kind, text, _ := k.reason()
			require.Equal(t, c.kind, kind)
			require.Equal(t, c.said, text)
			if c.kind == "" {
				require.Empty(t, k.turned())
			}
		})
	}
}

// TestLeaderAndNumberAgree: who is ahead is told by the number that is shown.
func TestLeaderAndNumberAgree(t *testing.T) {
	for _, c := range []struct {
		lead, winrate float64
		text, summary string
	}{
		{0.2, 0.49, "Black +0.2 (49 %)", "At the end the network sees an even game (Black 49 %)."},
		{-0.2, 0.51, "White +0.2 (49 %)", "At the end the network sees an even game (White 49 %)."},
		{-0.04, 0.51, "even (Black 51 %)", "At the end the network sees an even game (Black 51 %)."},
		{0, 0.4, "even (White 60 %)", "At the end the network sees an even game (White 60 %)."},
		{-3.25, 0.2, "White +3.3 (80 %)", "At the end the network sees White ahead by 3.3 points (80 %)."},
		{1.5, 0.7, "Black +1.5 (70 %)", "At the end the network sees Black ahead by 1.5 points (70 %)."},
	} {
		p := Position{Lead: c.lead, Winrate: c.winrate, Visits: 10}
		require.Equal(t, c.text, leadText(&p))
		require.Equal(t, c.summary, summaryOf(&Result{Positions: []Position{p}}))
	}
}
