package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/life"
)

// sixInTheCorner is the six-point corner without outside liberties.
const sixInTheCorner = "(;GM[1]FF[4]SZ[9]AW[da][db][ac][bc][cc][dc]AB[ea][eb][ec][ad][bd][cd][dd][ed])"

// TestLife asks about a problem in a file or on standard input, reads the answer as JSON, and has its
// proof checked; a changed byte of the proof is detected.
func TestLife(t *testing.T) {
	problem := writeFile(t, "six.sgf", sixInTheCorner)
	for _, name := range []string{"proof.sgf", "proof.txt"} {
		proof := filepath.Join(t.TempDir(), name)
		from, input := problem, ""
		if name == "proof.txt" {
			from, input = "-", sixInTheCorner
		}
		o := exits(t, exitDone, nil, input, "life", from, "--at", "D9", "--json", "-o", proof)
		var a struct {
			Assumed                      []string
			AttackerFirst, DefenderFirst struct {
				Verdict string
				Proved  bool
				Moves   []string
				Proof   string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(o.stdout), &a))
		require.Equal(t, []string{proof, proof}, []string{a.AttackerFirst.Proof, a.DefenderFirst.Proof})
		require.Equal(t, []string{"E9"}, a.Assumed)
		require.Equal(t, life.Dead, a.AttackerFirst.Verdict)
		require.Equal(t, life.Alive, a.DefenderFirst.Verdict)
		require.True(t, a.AttackerFirst.Proved && a.DefenderFirst.Proved)
		require.Equal(t, []string{"B9", "B8"}, a.AttackerFirst.Moves)
		require.Equal(t, []string{"B9", "B8"}, a.DefenderFirst.Moves)

		o = exits(t, exitDone, nil, "", "life", "--check", proof)
		require.Contains(t, o.stdout, "attacker first, without ko threats: it is taken")

		data := []byte(testshared.Read(t, proof))
		data[len(data)*3/4] ^= 1
		require.NoError(t, os.WriteFile(proof, data, 0o644))
		exits(t, exitFailed, nil, "", "life", "--check", proof)
	}
}

// TestLifeWhatever: if every first move has the same result, no move is named. Only the first game
// of a collection is read, and a note says so. The path of a proof is printed.
func TestLifeWhatever(t *testing.T) {
	dead := "(;SZ[9]AB[ah][bh][ch][ci]AW[ag][bg][cg][dg][dh][di])"
	problem := writeFile(t, "two.sgf", dead+sixInTheCorner)
	proof := filepath.Join(t.TempDir(), "proof.txt")
	o := exits(t, exitDone, nil, "", "life", problem, "--at", "A2", "-o", proof)
	require.Contains(t, o.stdout, "Black first: dead, proved\n  White kills whatever Black plays.\n")
	require.Contains(t, o.stderr, "It holds 2 games, of which only the first was read.")
	require.Contains(t, o.stderr, "wrote "+proof)
	o = invoke(t, nil, "", "life", writeFile(t, "dead.sgf", dead), "--at", "A2", "--first", "black", "--json")
	require.NotContains(t, o.stderr, "games")
}

// TestLifeOfSolvedProblem: if a file has a problem and its solution, and --move is not given, a note
// says which position the answer is about.
func TestLifeOfSolvedProblem(t *testing.T) {
	solved := strings.TrimSuffix(sixInTheCorner, ")") + ";B[ba])"
	for move, warns := range map[string]bool{"": true, "--move=0": false, "--move=1": false} {
		o := exits(t, exitDone, nil, solved, append([]string{"life", "-", "--at", "D9", "--time", "1"}, strings.Fields(move)...)...)
		require.Equal(t, warns, strings.Contains(o.stderr, "after move 1; --move 0"), "%s: %s", move, o.stderr)
	}
}

// TestLifeInWords: --first limits the answer to one side; without --at the program finds the
// group.
func TestLifeInWords(t *testing.T) {
	problem := writeFile(t, "six.sgf", sixInTheCorner)
	o := exits(t, exitDone, nil, "", "life", problem, "--first", "black", "--at", "D9", "--assume", "-E9", "--time", "1")
	require.Contains(t, o.stdout, "Black first:")
	require.NotContains(t, o.stdout, "White first:")
	o = exits(t, exitDone, nil, "", "life", problem)
	require.Contains(t, o.stdout, "Black first: dead, proved\n  Black kills at B9 or B8.\nWhite first: alive, proved\n  White lives at B9 or B8.")
}
