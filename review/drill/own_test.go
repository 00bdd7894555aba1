package drill

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// corner is the beginning of a record: a position of 5x5 points in a corner, to which tests add the answers.
const corner = `GM[1]FF[4]SZ[9]AB[ab][bb][cb][db][da]AW[ac][bc][cc][dc][ec][eb][ea]`

// TestReadOwn sorts each record by its kind.
func TestReadOwn(t *testing.T) {
	long := strings.Builder{}
	for i := range 70 {
		fmt.Fprintf(&long, ";%s[%c%c]", "BW"[i%2:i%2+1], 'a'+i%9, 'd'+i/18)
	}
	many := strings.Builder{}
	for i := range 5000 {
		fmt.Fprintf(&many, "(;GM[1]FF[4]SZ[19]AB[%c%c]AW[%cs](;B[rr])(;B[rq]BM[1]))", 'a'+i%17, 'a'+i/17%17, 'a'+i/289)
	}
	for _, tc := range []struct {
		name, sgf                                 string
		problems, games, unsolved, turned, broken int
		toMove, right, text                       string // expected in the first problem
	}{
		{"unmarked: the first branch", "(;" + corner + "(;W[ba];B[aa])(;W[aa]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"TE on the second branch", "(;" + corner + "(;W[aa])(;W[ba]TE[1]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"RIGHT at the end of the second branch", "(;" + corner + "C[White to kill](;W[aa];B[ba])(;W[ba];B[aa];W[ca]C[RIGHT]))", 1, 0, 0, 0, 0, "w", "B9", "White to kill"},
		{"Correct in a comment", "(;" + corner + "(;W[aa]C[Not correct: Black lives.])(;W[ba]C[Correct! Black is dead.]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"a comment of the right side marks nothing", "(;" + corner + "(;W[ba]C[Towards the right.])(;W[aa]C[Play on the right side]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"marked as wrong first", "(;" + corner + "(;W[aa]BM[1])(;W[ba])(;W[ca]C[WRONG]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"a refutation is no answer", "(;" + corner + "(;W[aa];B[ba]TE[1])(;W[ba];B[aa]))", 1, 0, 0, 0, 0, "w", "A9", ""},
		{"two right answers", "(;" + corner + "(;W[ba]TE[1])(;W[aa]TE[1]))", 1, 0, 0, 0, 0, "w", "B9 A9", ""},
		{"Chinese and Japanese marks", "(;" + corner + "(;W[aa]C[不正解])(;W[ba]C[正解]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"the other side to move", "(;" + corner + "PL[B](;W[ba]))", 1, 0, 0, 1, 0, "w", "B9", ""},
		{"both sides begin: the marked one", "(;" + corner + "(;B[ba])(;W[ba]C[RIGHT]))", 1, 0, 0, 0, 0, "w", "B9", ""},
		{"set up below the root", "(;GM[1]FF[4]SZ[9]C[One];AB[ab][bb]AW[ac][bc]C[Two];W[ba])", 1, 0, 0, 0, 0, "w", "B9", "One\nTwo"},
		{"problems as branches", "(;GM[1]FF[4]SZ[9](;AB[ab]AW[ac];W[ba])(;AB[ad]AW[ac];B[bc]))", 2, 0, 0, 0, 0, "w", "B9", ""},
		{"no answer", "(;" + corner + ")", 0, 0, 1, 0, 0, "", "", ""},
		{"only wrong answers", "(;" + corner + "(;W[aa]BM[1]))", 0, 0, 1, 0, 0, "", "", ""},
		{"an answer on a stone", "(;" + corner + "(;W[bb]))", 0, 0, 1, 0, 0, "", "", ""},
		{"a handicap game", "(;GM[1]FF[4]SZ[9]HA[4]AB[cc][gc][cg][gg];W[ee];B[ec])", 0, 1, 0, 0, 0, "", "", ""},
		{"a handicap game without HA, annotated", "(;GM[1]FF[4]SZ[9]AB[cc][gc][cg][gg];W[ee];B[ec])", 0, 1, 0, 0, 0, "", "", ""},
		{"a handicap game with marked moves", "(;GM[1]FF[4]SZ[9]HA[2]AB[cc][gg];W[ee]BM[1];B[ec]TE[1])", 0, 1, 0, 0, 0, "", "", ""},
		{"an even game with marked moves", "(;GM[1]FF[4]SZ[9];B[ee]TE[1];W[ec]C[Correct])", 0, 1, 0, 0, 0, "", "", ""},
		{"a game from a position", "(;" + corner + long.String() + ")", 0, 1, 0, 0, 0, "", "", ""},
		{"a game from a position, with its result", "(;" + corner + "RE[B+R];W[ba];B[aa])", 0, 1, 0, 0, 0, "", "", ""},
		{"a board that is none", "(;GM[1]SZ[99]AB[aa]AW[bb];B[cc])", 0, 0, 0, 0, 1, "", "", ""},
		{"a mixture", "(;" + corner + ";W[ba])(;GM[1]SZ[9];B[ee])(;" + corner + "AW[ii])(;" + corner + ";W[aa])", 1, 1, 1, 0, 0, "w", "B9", ""},
		{"5000 problems", many.String(), 5000, 0, 0, 0, 0, "b", "S2", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			roots, err := sgf.Parse([]byte(tc.sgf))
			require.NoError(t, err)
			o := ReadOwn("mine", roots)
			require.Equal(t, [5]int{tc.problems, tc.games, tc.unsolved, tc.turned, tc.broken}, [5]int{len(o.Problems), len(o.Games), len(o.Unsolved), o.Turned, len(o.Errors)})
			if tc.problems == 0 {
				return
			}
			p := &o.Problems[0]
			var right []string
			for _, a := range p.Answers {
				right = append(right, a.Move)
			}
			require.Equal(t, []string{tc.toMove, tc.right, tc.text}, []string{p.ToMove, strings.Join(right, " "), p.Text})
			require.Equal(t, "mine, problem 1", p.Title())
		})
	}
}

// TestPlayOwn judges moves by the author's answers, other moves by a proof, and moves without a
// proof by a search.
func TestPlayOwn(t *testing.T) {
	searched := 0
	judge := Judge{Search: func(_ context.Context, g *board.Game) (*review.Eval, error) {
		searched++
		last := g.Moves()[len(g.Moves())-1].Point
		lead := map[string]float64{"B9": -5, "E5": -5, "J1": 5}[g.Size().Vertex(last)]
		return &review.Eval{Lead: lead, Moves: []review.Candidate{{Move: "H8", Line: []string{"H8", "H7"}}}}, nil
	}}
	dead := "(;" + corner + "(;W[ba]C[Well begun](;B[ca];W[aa]C[RIGHT: dead])(;B[aa];W[ca]TE[1];B[cd];W[ce]))(;W[aa];B[ba];W[ca]C[WRONG]))"
	open := "(;GM[1]FF[4]SZ[9]AB[ab]AW[hh](;W[ba];B[ca])(;W[aa]))"
	useless := "(;GM[1]FF[4]SZ[9]AB[ab]AW[hh];W[ai])"
	for _, tc := range []struct {
		name, sgf, moves  string
		right             bool
		reply, best, line string
		text              string
		searched          int
	}{
		{"right, and a reply", dead, "B9", true, "C9", "A9", "B9 C9 A9", "", 0},
		{"right to the end", dead, "B9 C9 A9", true, "", "A9", "A9", "dead", 0},
		{"a wrong continuation", dead, "B9 C9 J9", false, "", "A9", "J9", "", 0},
		{"after another reply", dead, "B9 A9 C9", true, "C6", "C5", "C9 C6 C5", "", 0},
		{"wrong by the author, with the refutation", dead, "A9", false, "", "B9", "A9 B9", "", 0},
		{"not mentioned: a proof says that it fails", dead, "J1", false, "", "B9", "J1", "", 0},
		{"not mentioned: as good as the answer", open, "E5", true, "", "B9", "E5 H8 H7", "", 4},
		{"not mentioned: as good as the answer, but no better than a pass", useless, "D3", false, "", "A1", "D3 H8 H7", "", 4},
		{"a pass where the answer gains nothing", useless, "pass", false, "", "A1", "pass H8 H7", "", 4},
		{"not mentioned: worse", open, "J1", false, "", "B9", "J1 H8 H7", "", 2},
		{"an unmarked branch without a refutation", open, "A9", false, "", "B9", "A9 H8 H7", "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			roots, err := sgf.Parse([]byte(tc.sgf))
			require.NoError(t, err)
			p, moves := &ReadOwn("mine", roots).Problems[0], strings.Fields(tc.moves)
			searched = 0
			turn, err := p.Play(t.Context(), moves, judge)
			require.NoError(t, err)
			require.Equal(t, []any{tc.right, tc.reply, tc.best, tc.searched}, []any{turn.Accepted, turn.Reply, turn.Best.Move, searched})
			require.Equal(t, tc.line, strings.Join(turn.Line[:min(len(turn.Line), len(strings.Fields(tc.line)))], " "))
			require.Contains(t, turn.Text, tc.text)
			require.Equal(t, !tc.right, p.Attempt(nil, &turn.Answer, 0).Grade == AgainGrade)
			if !tc.right {
				require.Greater(t, len(turn.Line), 1, "it is refuted")
			}
		})
	}
	roots, err := sgf.Parse([]byte(dead))
	require.NoError(t, err)
	_, err = ReadOwn("mine", roots).Problems[0].Play(t.Context(), []string{"J1", "J2", "J3"}, judge)
	require.Error(t, err, "no position of the tree")
}

// TestFitting: a player gets problems of the player's level first, and none more than one level
// easier.
func TestFitting(t *testing.T) {
	for _, tc := range []struct{ rank, level int }{{-10, 1}, {0, 1}, {1, 2}, {8, 3}, {11, 4}, {17, 5}, {28, 5}} {
		require.Equal(t, tc.level, LevelFor(tc.rank))
		list := Fitting(tc.level)
		for i, p := range list[:60] {
			require.Equal(t, tc.level, p.Level, i)
		}
		for _, p := range list {
			require.GreaterOrEqual(t, p.Level, tc.level-1)
		}
	}
	require.Equal(t, Collection(), Fitting(0))
	for _, p := range Fitting(LevelFor(8))[:60] { // 12k
		g, err := p.After(p.Answers[0].Line[:1])
		require.NoError(t, err)
		require.Equal(t, p.ToMove == "w", g.ToMove() == board.Black)
		taken := g.Board().At(p.vertices(p.Group)[0]) == board.Empty
		require.False(t, taken, "problem %d is to take stones in one move", p.Number)
	}
}
