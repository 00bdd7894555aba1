package drill

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/review"
)

// problem is a problem on 5x4 with White to move; C1 is right and A1 was played.
func problem() Problem {
	return Problem{
		ID: "p", Game: "game", Number: 4, Width: 5, Height: 4, Stones: "......XO...XO.......", ToMove: "w", Last: "B3",
		Rules: `{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":false}`, Komi: 7.5, Played: "A1", Loss: 8, Kind: review.Other,
		Claims:  []review.Claim{{Kind: review.Captured, Color: "w", Move: "D3", Stones: []string{"C3", "C2"}}, {Kind: review.Holds, Move: "A4", Area: []string{"A4"}, Region: "upper_left"}},
		Answers: []Answer{{Move: "C1", Accepted: true, Line: []string{"C1", "D3"}}, {Move: "A1", Loss: 8, WinrateLoss: 0.5}},
	}
}

type judgement func(*board.Game) (*review.Eval, error)

// ask runs a session about problems, and returns its output and the logged attempts.
func ask(ctx context.Context, t *testing.T, input io.Reader, random *rand.Rand, judge judgement, problems ...Problem) (string, []Attempt, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "answers.jsonl")
	log, err := OpenLog(name)
	require.NoError(t, err)
	schedule, err := NewSchedule(nil)
	require.NoError(t, err)
	var out strings.Builder
	s := Session{In: input, Out: &out, Log: log, Schedule: schedule, Random: random,
		Judge: Judge{Search: func(_ context.Context, g *board.Game) (*review.Eval, error) { return judge(g) }}}
	failed := s.Run(ctx, &Set{Problems: problems}, 10)
	require.NoError(t, log.Close())
	log, err = OpenLog(name)
	require.NoError(t, err)
	defer log.Close()
	return out.String(), log.Attempts, failed
}

func never(*board.Game) (*review.Eval, error) {
	return nil, errors.New("nothing was to be searched")
}

// TestSession answers a problem of one move, and number 276 of the collection move by move.
func TestSession(t *testing.T) {
	shown := "    A B C D E\n  4 . . . . .\n  3 .(X)O . .\n  2 . X O . .\n  1 . . . . .\nWhite (O) to play.\n"
	for _, c := range []struct {
		problem       Problem
		input, answer string
		grade         Grade // 0: no answer was logged
		said          []string
	}{
		{problem(), "", "", 0, []string{"Problem 1 of 1 (game, move 4)", shown, "0 of 0 right at the first try."}},
		{problem(), "quit\nC1\n", "", 0, []string{"0 of 0 right at the first try."}},
		{problem(), "skip\n", "", 0, []string{"0 of 0 right at the first try."}},
		{problem(), "\nboard\nhint\nhelp\nC1\n", "C1", EasyGrade, []string{shown + "> A1 was played, and loses 8.0 points", "hint, show, skip",
			"Right: C1 loses 0.0 points.", "It goes on: C1 D3", "It comes again in", "1 of 1 right at the first try. The next one is due in"}},
		{problem(), "play w c1\n", "C1", EasyGrade, []string{"Right: C1"}},
		{problem(), "Z9\nB2\nB3\nA1\nC1\n", "A1", AgainGrade, []string{"Try again, or type show.", "Right: C1", "invalid vertex", "occupied",
			"Wrong: A1 was played in the game; it loses 8.0 points.", "0 of 1 right at the first try. Missed: 1."}},
		{problem(), "show\n", "", AgainGrade, []string{"Given up.", "Best: C1 D3", "It comes again in a minute.", "0 of 1 right at the first try. Missed: 1."}},
		{*numbered(t, 276), "G2\nE4\n", "G2 E4", EasyGrade, []string{"Right so far. The answer is D4.", ")", "Right: E4 solves it.",
			"It comes again in", "1 of 1 right at the first try."}},
		{*numbered(t, 276), "G2\nhint\nboard\nG2\npass\nshow\n", "G2 pass", AgainGrade, []string{"The move is on line 4", "occupied", "Wrong: pass fails.",
			"It goes on: pass E4", "Try again, or type show.", "Best: E4", "0 of 1 right at the first try. Missed: 1."}},
		{*numbered(t, 276), "G2\nshow\n", "", AgainGrade, []string{"Given up.", "Best: E4"}},
		{*numbered(t, 276), "A1\nG2\nE4\n", "A1", AgainGrade, []string{"Wrong: A1 fails.", "It goes on: A1 ", "Try again", "Right so far.",
			"Right: E4 solves it.", "0 of 1 right at the first try."}},
		{*numbered(t, 276), "again\nG2\nE4\n", "G2 E4", EasyGrade, []string{"No problem has been answered yet."}},
		{*numbered(t, 276), "G2\nskip\n", "", 0, []string{"0 of 0 right at the first try."}},
	} {
		said, attempts, err := ask(t.Context(), t, strings.NewReader(c.input), nil, never, c.problem)
		require.NoError(t, err, c.input)
		for _, text := range c.said {
			require.Contains(t, said, text, c.input)
		}
		if c.grade == 0 {
			require.Empty(t, attempts, c.input)
			continue
		}
		require.Len(t, attempts, 1, c.input)
		require.Equal(t, c.answer, attempts[0].Answer, c.input)
		require.Equal(t, c.grade, attempts[0].Grade, c.input)
	}
}

// TestAgain: the command "again", typed at the next problem, makes the previous problem due soon.
func TestAgain(t *testing.T) {
	other := problem()
	other.ID = "q"
	said, attempts, err := ask(t.Context(), t, strings.NewReader("C1\nagain\n"), nil, never, problem(), other)
	require.NoError(t, err)
	require.Contains(t, said, "> It comes again in a minute.")
	require.Len(t, attempts, 1)
	require.Equal(t, AgainGrade, attempts[0].Grade)
}

// TestInterruptedWhileItWaits: the end of ctx ends a session that waits for a line.
func TestInterruptedWhileItWaits(t *testing.T) {
	in, silent := io.Pipe()
	defer silent.Close()
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, stop)
	said, _, err := ask(ctx, t, in, nil, never, problem())
	require.NoError(t, err)
	require.Contains(t, said, "0 of 0 right at the first try.")
}

// TestSearchedMove: a search judges a move that the review did not search. An error of the search
// ends the session.
func TestSearchedMove(t *testing.T) {
	broken := errors.New("no network")
	_, attempts, err := ask(t.Context(), t, strings.NewReader("E1\n"), nil, func(*board.Game) (*review.Eval, error) { return nil, broken }, problem())
	require.ErrorIs(t, err, broken)
	require.Empty(t, attempts)
	said, attempts, err := ask(t.Context(), t, strings.NewReader("E1\n"), nil, func(g *board.Game) (*review.Eval, error) {
		moves := g.Moves()
		if g.Size().Vertex(moves[len(moves)-1].Point) == "E1" {
			return &review.Eval{Lead: 4}, nil // Black leads by 4
		}
		return &review.Eval{Lead: 1}, nil
	}, problem())
	require.NoError(t, err)
	require.Contains(t, said, "Not good enough: E1 loses 3.0 points.")
	require.Len(t, attempts, 1)
	require.Equal(t, "E1", attempts[0].Answer)
}

// TestTurnedProblems answers a problem that is shown in various orientations: the log has the move
// in the problem's coordinates.
func TestTurnedProblems(t *testing.T) {
	boards := map[string]bool{}
	for seed := range uint64(40) {
		said, _, err := ask(t.Context(), t, strings.NewReader("hint\n"), rand.New(rand.NewPCG(seed, 1)), nil, problem())
		require.NoError(t, err)
		hint, _, _ := strings.Cut(said, " was played")
		played := hint[strings.LastIndex(hint, " ")+1:]
		said, attempts, err := ask(t.Context(), t, strings.NewReader(played+"\nshow\n"), rand.New(rand.NewPCG(seed, 1)), never, problem())
		require.NoError(t, err)
		require.Contains(t, said, "Wrong: "+played+" was played in the game", "seed %d", seed)
		require.Equal(t, "A1", attempts[0].Answer)
		shown, _, _ := strings.Cut(said, "> ")
		why := regexp.MustCompile(`(White|Black) answers at (\w+) and captures the 2 stones at (\w+). This loses points in the (\w+) (\w+) corner; (\w)(\d) is better.`).FindStringSubmatch(said)
		require.NotNil(t, why, said)
		require.NotContains(t, said, why[1]+" (", "the other side is to play")
		size := board.Size{W: 5, H: 4}
		at, err := size.ParseVertex(why[3])
		require.NoError(t, err)
		x, _ := size.XY(at)
		_, row, _ := strings.Cut(shown, "\n  "+why[3][1:]+" ")
		require.Equal(t, map[string]byte{"White": 'X', "Black": 'O'}[why[1]], row[2*x], "%s\n%s", shown, why[0])
		require.Equal(t, map[string]string{"A": "left", "E": "right"}[why[6]]+map[string]string{"4": "upper", "1": "lower"}[why[7]], why[5]+why[4])
		boards[shown] = true
	}
	require.Len(t, boards, 8, "four turns of a rectangle, and both colours")
}
