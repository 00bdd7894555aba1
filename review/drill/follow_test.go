package drill

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/life"
	"kosumi/life/check"
)

// numbered returns problem n of the collection.
func numbered(t *testing.T, n int) *Problem {
	t.Helper()
	list := Collection()
	i := slices.IndexFunc(list, func(p Problem) bool { return p.Number == n })
	require.GreaterOrEqual(t, i, 0)
	p := list[i]
	return &p
}

// TestPlay: the last of several moves is judged, and a right move gets a reply.
func TestPlay(t *testing.T) {
	for _, tc := range []struct {
		problem int
		moves   string // moves of both sides; the last one is judged
		works   bool
		reply   string
		best    string
		line    string
	}{
		{1, "D4", true, "", "", "D4"}, // the move takes the group
		{1, "A1", false, "", "D4", "A1 D4"},
		{276, "G2", true, "D4", "E4", "G2"},
		{276, "pass", false, "", "G2", "pass D4"},
		{276, "G2 D4 E4", true, "", "", "E4"},
		{276, "G2 D4 pass", false, "", "E4", "pass E4"},
		{276, "G2 D4 A1", false, "", "E4", "A1 E4"},
		{286, "D1", true, "J2", "G4", "D1"},
		{286, "D1 J2 G4", true, "F1", "H1", "G4"},
		{286, "D1 J2 G4 F1 H1", true, "", "", "H1"},
		{286, "D1 J2 H1", false, "", "G4", "H1 G4"},
		{228, "B8", true, "A7", "A6", "B8"},
		{228, "B8 A7 A6", true, "A9", "A8", "A6"},
		{228, "B8 A7 A6 A9 A8", true, "", "", "A8"},
		{9, "C6", true, "", "", "C6"}, // the group joins a living chain
		// The solution also continues after replies other than the best.
		{276, "G2 A1 A2", true, "D4", "E4", "A2"},
	} {
		p := numbered(t, tc.problem)
		moves := strings.Fields(tc.moves)
		turn, err := p.Play(t.Context(), moves, Judge{})
		require.NoError(t, err)
		name := fmt.Sprintf("%d %s", tc.problem, tc.moves)
		require.Equal(t, tc.works, turn.Accepted, name)
		require.Equal(t, moves[len(moves)-1], turn.Move, name)
		require.Equal(t, tc.reply, turn.Reply, name)
		require.Equal(t, tc.best, turn.Best.Move, name)
		require.Equal(t, strings.Fields(tc.line), turn.Line[:min(len(turn.Line), len(strings.Fields(tc.line)))], name)
		a := p.Attempt(moves[:len(moves)-1], &turn.Answer, 8*time.Second)
		require.Equal(t, tc.works, a.Grade == EasyGrade, name)
		require.Equal(t, !tc.works, a.Grade == AgainGrade, name)
	}
	p := numbered(t, 276)
	_, err := p.Play(t.Context(), []string{"G2", "G2"}, Judge{})
	require.ErrorIs(t, err, board.ErrOccupied)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = p.Play(ended, []string{"G2"}, Judge{})
	require.ErrorIs(t, err, context.Canceled)

	// If the chain assumed alive is not on the board, here at A1, nothing is proved. The move that was
	// the game's mistake may be right later in the solution.
	p.Assumed, p.Played, p.Loss = []string{"A1"}, "E4", 12
	turn, err := p.Play(t.Context(), []string{"G2", "D4", "E4"}, Judge{})
	require.NoError(t, err, "no stone stands there: nothing is proved")
	require.True(t, turn.Accepted)
	require.Equal(t, "G2 E4", p.Attempt([]string{"G2", "D4"}, &turn.Answer, time.Second).Answer)
	require.Equal(t, EasyGrade, p.Attempt([]string{"G2", "D4"}, &turn.Answer, 20*time.Second).Grade, "ten seconds a move")
	require.Equal(t, AgainGrade, p.Attempt(nil, &Answer{Move: "E4", Loss: 12}, time.Second).Grade)
}

// TestCollectionIsSound solves problems of the collection again: some, or all with
// KOSUMI_LIFE_COLLECTION=all. The answer is the only move, and the checker accepts the proof. When a problem is
// played to the end, proved moves are accepted, each reply needs an answer, and the task is achieved.
func TestCollectionIsSound(t *testing.T) {
	testshared.Slow(t)
	step := 12 // not a multiple of 5, so that all levels occur
	if os.Getenv("KOSUMI_LIFE_COLLECTION") == "all" {
		step = 1
	}
	list := Collection()
	long := 0
	for i := 0; i < len(list); i += step {
		p := &list[i]
		start, err := p.Position()
		require.NoError(t, err)
		q := life.QuestionOf(start)
		q.Targets = p.vertices(p.Group[:1])
		q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
		out, err := life.Ask(t.Context(), q, life.Options{Nodes: 1_000_000})
		require.NoError(t, err)
		line := out.OnlyMove(p.Task == Kill)
		require.NotEmpty(t, line, "problem %d", p.Number)
		require.Equal(t, p.Answers[0].Move, q.Size.Vertex(line[0]), "problem %d", p.Number)
		_, err = check.Proof(out.Proof)
		require.NoError(t, err)
		var moves []string
		best := p.Answers[0].Move
		for {
			moves = append(moves, best)
			turn, err := p.Play(t.Context(), moves, Judge{})
			require.NoError(t, err)
			require.True(t, turn.Accepted, "problem %d after %v", p.Number, moves)
			if turn.Reply == "" {
				break
			}
			moves, best = append(moves, turn.Reply), turn.Best.Move
			idle, err := p.Play(t.Context(), append(slices.Clip(moves), "pass"), Judge{})
			require.NoError(t, err)
			require.False(t, idle.Accepted, "problem %d after %v: the reply needs an answer", p.Number, moves)
			require.Greater(t, len(idle.Line), 1, "problem %d after %v: it is refuted", p.Number, moves)
		}
		g, err := p.After(moves)
		require.NoError(t, err)
		for _, first := range []board.Color{board.Black, board.White} {
			_, done, _, err := p.fight(t.Context(), life.Options{}).ask(g, first)
			require.NoError(t, err)
			require.True(t, done, "problem %d after %v, %v first", p.Number, moves, first)
		}
		if len(moves) > 1 {
			long++
		}
	}
	require.Greater(t, long*3, len(list)/step, "many need more than a move")
}
