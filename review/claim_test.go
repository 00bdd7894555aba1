package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// mistakeOn returns a mistake by Black on a board of X and O. bestOwn and did are maps of the
// ownership after the better and the played move: + is Black's, - White's, anything else nobody's.
// line begins with the played move; if line has no second move, White answers D2.
func mistakeOn(t *testing.T, rows []string, line, best string, loss float64, bestOwn, did []string) *mistake {
	t.Helper()
	moves := strings.Fields(line)
	if len(moves) == 1 {
		moves = append(moves, "D2")
	}
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
	k := &mistake{size: size, mover: board.Black, before: g, last: board.NoPoint, loss: loss, err: 0.5, bestV: best,
		own: own(bestOwn), bestOwn: own(bestOwn), did: own(did)}
	k.playedV, k.reply = moves[0], moves[1]
	k.played, err = size.ParseVertex(k.playedV)
	require.NoError(t, err)
	k.best, err = size.ParseVertex(best)
	require.NoError(t, err)
	k.afterBest, k.taken, _ = k.playLine([]string{best})
	k.next, _, _ = k.playLine(moves[:1])
	k.afterPlayed, _, k.punish = k.playLine(moves)
	require.NoError(t, k.playOut())
	return k
}

func TestReasons(t *testing.T) {
	empty := []string{".........", ".........", ".........", ".........", ".........", ".........", ".........", ".........", "........."}
	ladder := []string{".........", ".........", ".........", "...OO....", "..OX.....", "...O.....", ".........", ".........", "........."}
	laddered := []string{".........", ".........", ".........", "...OO....", "..OX.....", "..OX.....", "...O.....", ".........", "........."}
	caught := []string{".........", ".........", ".........", "....O....", "...OXO...", "...OXO...", ".........", ".........", "........."}
	surrounded := []string{".........", ".........", ".........", ".........", "...OXO...", "...OXO...", ".........", ".........", "........."}
	lost := []string{".........", ".........", ".........", "...--....", "..----...", "...---...", "....---..", ".........", "........."}
	broken := []string{".........", ".........", ".........", "...X.....", "..XO.....", "..X......", "......O..", ".........", "........."}
	triangle := []string{".........", ".........", ".........", ".........", "...X.....", "..X......", ".........", ".........", "........."}
	// B1 decides whether White's stones in the corner live; a black stone is in atari.
	race := []string{".........", ".........", ".........", ".........", ".........", "XXXX.....", "OOOX.....", ".OX.X....", "..O......"}
	quiet := []string{".........", ".........", ".........", ".........", ".........", "XXXX.....", "OOOX.....", ".O..X....", "..O......"}
	raced := []string{".........", ".........", ".........", ".........", ".........", ".........", "++++.....", "++++.....", "++++....."}
	living := []string{".........", ".........", ".........", ".........", ".........", ".........", "----.....", "----.....", "----....."}
	pair := []string{".........", ".........", ".........", ".........", "..XX.....", ".........", ".........", ".........", "........."}
	single := []string{".........", ".........", ".........", ".........", "...X.....", ".........", ".........", ".........", "........."}
	around := []string{".........", ".........", ".........", ".++++....", ".++++....", ".++++....", ".........", ".........", "........."}
	for name, c := range map[string]struct {
		rows         []string
		played, best string
		loss         float64
		own, did     []string
		said         string
	}{
		"stones in atari":                      {caught, "J9", "E3", 5, empty, lost, "White answers at E3 and captures the 2 stones at E5."},
		"stones that two moves take":           {surrounded, "J9 E3 J8 E6", "E3", 5, empty, lost, "White answers at E3 and goes on to capture the 2 stones at E5."},
		"stones in a ladder":                   {laddered, "J9", "E4", 5, empty, lost, "White catches the 2 stones at D5 in a ladder that begins at E5."},
		"a ladder that does not work":          {broken, "E5 D4", "G4", 5, empty, lost, "The ladder on the stone at D5 does not work: G3 is in the way."},
		"a group before a stone in atari":      {race, "J9", "B1", 20, raced, living, "White answers at D2 and saves the 5 stones at A3. B1 kills the 5 stones at A3."},
		"a quiet move on the wrong side":       {empty, "C7", "G3", 5, empty, empty, "The bigger move is G3, in the lower right corner."},
		"a move on the same side":              {ladder, "C6", "D7", 5, empty, empty, "D7 is better."},
		"an empty triangle":                    {triangle, "D4", "E5", 5, empty, empty, "D4 makes an empty triangle; E5 is better."},
		"points and no stones":                 {empty, "C7", "B2", 10, raced, empty, "This loses points in the lower left corner; B2 is better."},
		"a group far from the better move":     {quiet, "H7", "H8", 20, raced, living, "H8 is better."},
		"what is far from both is not counted": {empty, "H8", "H9", 5, living, empty, "H9 is better."},
		"two stones that are weaker":           {pair, "J9", "E6", 8, around, empty, "This makes the 2 stones at C5 weaker than E6 would."},
		"a single stone that is weaker":        {single, "J9", "E6", 8, around, empty, "This loses points in the centre; E6 is better."},
	} {
		t.Run(name, func(t *testing.T) {
			k := mistakeOn(t, c.rows, c.played, c.best, c.loss, c.own, c.did)
			list, err := k.claims()
			require.NoError(t, err)
			require.LessOrEqual(t, len(list), 2)
			var claims []Claim
			for _, f := range list {
				claims = append(claims, f.Claim)
			}
			require.Equal(t, c.said, Say(claims, "b", c.played[:2]))
		})
	}
}

// TestLadderLine: a ladder that the refutation does not play is shown by a claim's own line. Chains that are
// caught in different ladders are not caught together, chains that one move captures are.
func TestLadderLine(t *testing.T) {
	rows := []string{".........", ".........", ".........", "...OO....", "..OX.....", "..OX.....", "...O.....", ".........", "........."}
	k := mistakeOn(t, rows, "J9", "E4", 5, slices.Repeat([]string{"........."}, 9), []string{".........", ".........", ".........", ".........", "...--....", "...--....", ".........", ".........", "........."})
	_, err := k.claims()
	require.NoError(t, err)
	list := k.hunted()
	require.Len(t, list, 1)
	c := list[0].Claim
	require.Equal(t, []string{"D4", "D5"}, slices.Sorted(slices.Values(c.Stones)))
	require.Empty(t, c.After)
	require.Equal(t, strings.Fields("J9 E5 E4 F4 E3 E2 F3 G3 F2 G2 F1 E1"), c.Line)

	k.reply = c.Move
	require.Equal(t, c.Line, k.hunted()[0].Line, "the refutation begins it and then plays elsewhere")
	k.afterPlayed, err = board.NewGame(k.size, board.Chinese())
	require.NoError(t, err)
	require.Equal(t, AfterPlayed, k.hunted()[0].After, "the refutation takes the stones")

	apart := k.onlyIn(map[board.Point]hunt{10: {board.Black, 2, 3, 10}, 12: {board.Black, 2, 4, 12}, 40: {board.Black, 1, 5, 0}, 42: {board.Black, 1, 5, 0}}, nil, board.Black)
	require.Equal(t, [][]board.Point{{10}, {12}, {40, 42}}, apart)
}

// TestFarConnection: a claim about a connection is made only if the better move is near the stones, and that the better
// move connects them only if it is a part of the connection.
func TestFarConnection(t *testing.T) {
	empty := slices.Repeat([]string{"........."}, 9)
	rows := slices.Concat(empty[:4], []string{".......X.", ".........", ".......X."}, empty[:2])
	own := slices.Concat(empty[:3], slices.Repeat([]string{"......+++"}, 5), empty[:1])
	did := slices.Concat(empty[:3], slices.Repeat([]string{"......---"}, 5), empty[:1])
	for line, said := range map[string]string{
		"H4":       "This lets White cut the stone at H5 off from H3. H4 connects H5 and H3.",
		"G6 B3 H4": "This lets White cut the stone at H5 off from H3.",
		"B4 B3 H4": "",
	} {
		moves := strings.Fields(line)
		k := mistakeOn(t, rows, "A9 H4", moves[0], 20, own, did)
		k.afterBest, k.taken, _ = k.playLine(moves)
		f, ok := k.linked(Parted, board.Black, k.afterBest.Board(), k.afterPlayed.Board(), k.diff)
		require.Equal(t, said != "", ok, line)
		if ok {
			claims := []Claim{f.Claim}
			if do := k.answerTo(&f); do != nil {
				claims = append(claims, do.Claim)
			}
			require.Equal(t, said, Say(claims, "b", "A9"))
		}
	}
}

// TestOutweighed: where a group is in danger, the capture of a single stone of the same region is not the reason.
func TestOutweighed(t *testing.T) {
	empty := slices.Repeat([]string{"........."}, 9)
	rows := slices.Concat(empty[:5], []string{"..X......", "..XX.....", "O.XX.....", "X........"})
	own, did := slices.Concat(empty[:5], slices.Repeat([]string{"++++....."}, 4)), slices.Concat(empty[:5], slices.Repeat([]string{"----....."}, 4))
	k := mistakeOn(t, rows, "J9 B1", "B2", 15, own, did)
	for i := range k.bestOwn { // likely, not sure
		k.bestOwn[i], k.did[i] = 0.6*k.bestOwn[i], 0.6*k.did[i]
	}
	k.better, k.worse, k.parts = judgements{k.bestOwn}, judgements{k.did}, nil
	k.findParts()
	list, err := k.claims()
	require.NoError(t, err)
	require.Equal(t, "This puts the 5 stones at C4 in danger; B2 prevents that.", Say([]Claim{list[0].Claim}, "b", "J9"))
}

// TestValues: a claim about the value of a move has the line that shows this value.
func TestValues(t *testing.T) {
	rows := slices.Repeat([]string{"........."}, 9)
	k := mistakeOn(t, rows, "C7", "G3", 5, rows, rows)
	k.bestLead = k.lead + k.loss
	k.passed = &Eval{Lead: -1, Moves: []Candidate{{Move: "E5", Line: []string{"E5", "F5"}}}}
	k.ignored = &Eval{Lead: 16, Moves: []Candidate{{Move: "G5", Line: []string{"G5", "pass"}}}}
	list, err := k.values()
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, Claim{Kind: Small, After: AfterPass, Move: "G3", Line: []string{"pass", "E5", "F5"}}, list[0].Claim)
	require.Equal(t, Claim{Kind: Sente, After: AfterTenuki, Move: "G3", Line: []string{"G3", "pass", "G5", "pass"}}, list[1].Claim)
}

// TestSay: each kind has a text, and every argument of a text is filled in.
func TestSay(t *testing.T) {
	stones := []string{"C3", "D3"}
	for key := range Templates {
		if strings.HasPrefix(key, "stones") || strings.HasPrefix(key, "region") {
			continue
		}
		kind, of, _ := strings.Cut(key, "_")
		c := Claim{Kind: ClaimKind(kind), Stones: stones, Others: []string{"F3"}, Move: "B2", Region: "upper_left"}
		switch {
		case of == "proved":
			c.Proved = true
		case of == "only":
			c.Only = true
		case of == "later":
			c.Later = true
		case of != "":
			c.Of = &Claim{Kind: ClaimKind(of), Stones: stones, Others: []string{"F3"}}
		}
		require.Equal(t, key, c.Key())
		said := Say([]Claim{c}, "w", "G7")
		require.NotContains(t, said, "{", key)
		require.LessOrEqual(t, len(strings.Fields(said)), 20, said)
		require.Contains(t, kinds, c.Kind)
	}
	c := Claim{Kind: Captured, Stones: []string{"C3"}, Move: "B3"}
	require.Equal(t, "Black answers at B3 and captures the stone at C3.", Say([]Claim{c}, "w", "A1"))
	require.Equal(t, "This loses points on the left side; B3 is better.", Say([]Claim{{Kind: Holds, Move: "B3", Region: "left"}}, "b", "A1"))
}

// TestProvedClaims: a proof replaces claims of the search about the same group.
func TestProvedClaims(t *testing.T) {
	weak := Claim{Kind: Weak, Move: "C3", Stones: []string{"B1"}}
	for said, c := range map[string]struct {
		kills        bool
		saves, loses string
		only         bool
		kind         Kind
	}{
		"Black answers at B2 and saves the 2 stones at B1 (proved). Only C3 kills the 2 stones at B1 (proved).": {true, "C3", "B2", true, LetLive},
		"Black answers at B2 and kills the 2 stones at B1 (proved). C3 saves the 2 stones at B1 (proved).":      {false, "C3", "B2", false, GroupLost},
		"Black answers at D2 and kills the 2 stones at B1 (proved).":                                            {false, "", "D2", false, GroupLost},
		"Only D4 kills the 2 stones at B1 (proved).":                                                            {true, "D4", "", true, LetLive},
		"D4 saves the 2 stones at B1 (proved).":                                                                 {false, "D4", "", false, GroupLost},
	} {
		m := Move{Color: "w", Move: "A1", Best: []Candidate{{Move: "C3"}}, Claims: []Claim{weak}}
		m.settle(c.kills, []string{"B1", "C1"}, []string{c.saves}, c.loses, c.only)
		require.Equal(t, said, m.Reason)
		require.Equal(t, c.kind, m.Kind)
		require.Equal(t, []string{"B1", "C1"}, m.Points)
		last := m.Claims[len(m.Claims)-1]
		require.Equal(t, map[bool]string{true: "b", false: "w"}[c.kills], last.Color)
		require.Equal(t, c.saves == "D4", len(last.Line) == 1, "the line is given where the better line is another")
	}
	m := Move{Color: "w", Move: "A1", Best: []Candidate{{Move: "C3"}}, Claims: []Claim{{Kind: Weak, Move: "C3", Stones: []string{"F5"}}}}
	m.settle(false, []string{"B1", "C1"}, []string{"D4"}, "", false)
	require.Equal(t, "This puts the stone at F5 in danger; C3 prevents that. D4 saves the 2 stones at B1 (proved).", m.Reason, "of other stones it is still said")
}
