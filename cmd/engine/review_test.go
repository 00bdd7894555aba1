package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/handout"
	"kosumi/internal/testshared"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/sgf"
)

// poor is a game of 7x7 in which both sides leave groups to die.
const poor = `(;GM[1]FF[4]SZ[7]KM[8.5]RU[Chinese]PB[Ada]PW[Bob]DT[2026-01-02]RE[W+R]C[a lesson]` +
	`;B[dd]N[start];W[dc](;B[cc]C[seen];W[ed];B[aa];W[de];B[ga];W[cd];B[gg];W[bc];B[ag])(;B[ed]))`

// shortReview are arguments for a review that takes about a second.
var shortReview = append([]string{"review", "--first-visits", "4", "--visits", "12"}, frugal...)

func readResult(t testing.TB, name string) *review.Result {
	t.Helper()
	var r review.Result
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, name)), &r))
	return &r
}

func TestReviewFolder(t *testing.T) {
	needLibrary(t)
	needPage(t)
	in, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"a.sgf":       poor,
		"sub/two.SGF": poor + "(;SZ[5:7]AB[aa][bb]HA[2];W[cc];B[dd];W[];B[])",
		"empty.sgf":   "(;SZ[9])",
		"broken.sgf":  "this is not a record",
		"illegal.sgf": "(;SZ[9]RU[Mars];B[ee];W[dd];B[ee];W[aa])",
		"chess.sgf":   "(;GM[3];B[ee])",
		"size.sgf":    "(;SZ[99];B[ee])",
	} {
		file := filepath.Join(in, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	o := exits(t, exitDone, nil, "", append(shortReview, in, "-o", out, "--drills", "--json")...)
	var s review.Summary
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &s))
	require.Len(t, s.Games, 4)
	require.Len(t, s.Refused, 4)
	for file, reason := range map[string]string{"empty": "it has no moves", "broken": "no game tree", "chess": "not a game of Go", "size": "unacceptable board size"} {
		require.Regexp(t, file+`\.sgf: not reviewed: .*`+reason, o.stderr)
	}
	for _, name := range []string{"a", "two-1", "two-2", "illegal"} {
		require.FileExists(t, filepath.Join(out, name+".html"))
		require.FileExists(t, filepath.Join(out, name+".sgf"))
	}
	r := readResult(t, filepath.Join(out, "a.json"))
	require.Equal(t, review.Version, r.Version)
	require.True(t, r.Complete)
	require.Len(t, r.Moves, 11)
	require.NotEmpty(t, r.Mistakes, "stones in the corners are mistakes")
	require.Contains(t, strings.Join(readResult(t, filepath.Join(out, "illegal.json")).Notes, " "), "ends after move 2")

	roots, err := sgf.ReadFile(filepath.Join(out, "a.sgf"))
	require.NoError(t, err)
	again := filepath.Join(t.TempDir(), "again")
	o = exits(t, exitDone, nil, "", append(shortReview, filepath.Join(out, "a.sgf"), "-o", again, "--player", "ada")...)
	second, err := sgf.ReadFile(filepath.Join(again, "a.sgf"))
	require.NoError(t, err)
	require.Equal(t, strings.Count(text(t, roots), "--- Kosumi ---"), strings.Count(text(t, second), "--- Kosumi ---"), "a second review replaces the first")
	require.Contains(t, text(t, second), "a lesson")
	for _, m := range readResult(t, filepath.Join(again, "a.json")).Mistakes {
		require.Equal(t, 0, m%2, "only Ada's moves")
	}

	o = exits(t, exitFailed, nil, "", append(shortReview, filepath.Join(in, "empty.sgf"), "-o", again)...)
	require.Contains(t, o.stderr, "nothing was reviewed")
}

func text(t testing.TB, roots []*sgf.Node) string {
	t.Helper()
	out, err := sgf.Marshal(roots...)
	require.NoError(t, err)
	return string(out)
}

// TestReviewGoesOnAfterAKill kills a review at several moments and resumes it: the result equals
// that of an uninterrupted review. Evaluations are not batched, so that two runs agree to the bit.
func TestReviewGoesOnAfterAKill(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	needPage(t)
	review := append(slices.Clip(shortReview), "--precision", "fp32", "--batch", "1")
	dir := t.TempDir()
	game := writeFile(t, "game.sgf", poor)
	want := filepath.Join(dir, "want")
	exits(t, exitDone, nil, "", append(slices.Clip(review), game, "-o", want)...)
	got := filepath.Join(dir, "got")
	args := append(slices.Clip(review), game, "-o", got, "--positions", "2")
	for lines := 1; lines < 20; lines += 6 {
		p := start(t, nil, args...)
		require.Eventually(t, func() bool {
			select {
			case <-p.ended:
				return true
			default:
			}
			stores, _ := filepath.Glob(filepath.Join(got, "searches", "*.jsonl"))
			if len(stores) == 0 {
				return false
			}
			known, _ := os.ReadFile(stores[0])
			return strings.Count(string(known), "\n") >= lines
		}, time.Minute, time.Millisecond)
		p.cmd.Process.Kill()
		p.wait()
	}
	exits(t, exitDone, nil, "", args...)
	for _, name := range []string{"game.json", "game.sgf", "game.html"} {
		require.Equal(t, testshared.Read(t, filepath.Join(want, name)), testshared.Read(t, filepath.Join(got, name)), name)
	}
}

func TestDrill(t *testing.T) {
	needLibrary(t)
	set := drill.Set{Version: drill.Version, Problems: []drill.Problem{{
		ID: "p", Game: "game", Number: 3, Width: 5, Height: 5, Stones: "......XO..XO.............", ToMove: "b",
		Rules: `{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":false}`, Komi: 7.5, Played: "A1", Loss: 8, Kind: review.Other, Reason: "C3 is better.",
		Answers: []drill.Answer{{Move: "C3", Accepted: true, Line: []string{"C3", "D3"}}, {Move: "A1", Loss: 8, WinrateLoss: 0.5}},
	}}}
	raw, err := json.Marshal(set)
	require.NoError(t, err)
	file := writeFile(t, "drills.json", string(raw))
	answers := strings.TrimSuffix(file, ".json") + "-answers.jsonl"
	ask := func(input string) string {
		o := exits(t, exitDone, nil, input, append([]string{"drill", file, "--turn=false", "--visits", "4"}, frugal...)...)
		return o.stdout
	}
	said := ask("nonsense\nhint\nplay b C3\n")
	require.Contains(t, said, "Black (X) to play")
	require.Contains(t, said, "invalid vertex")
	require.Contains(t, said, "A1 was played")
	require.Contains(t, said, "Right: C3")
	require.Contains(t, said, "1 of 1 right")
	require.Contains(t, ask(""), "Nothing is due")
	o := invoke(t, nil, "", "drill", filepath.Dir(file))
	require.Contains(t, o.stdout, "Nothing is due", "a folder's drills.json")
	require.Equal(t, 1, strings.Count(testshared.Read(t, answers), "\n"))

	require.NoError(t, os.Remove(answers))
	require.Contains(t, ask("A1\n"), "Wrong: A1 was played in the game")
	require.NoError(t, os.Remove(answers))
	require.Contains(t, ask("b4\n"), "occupied")
	require.Contains(t, ask("D2\n"), "loses") // not among the review's moves, so it is searched now
	require.NoError(t, os.WriteFile(file, []byte(`{"version":9}`), 0o644))
	o = exits(t, exitFailed, nil, "", "drill", file)
	require.Contains(t, o.stderr, fmt.Sprintf("reads %d", drill.Version))
}

// TestAutosave: after each move, the record of the game on disk is complete, even if the engine is
// killed.
func TestAutosave(t *testing.T) {
	needLibrary(t)
	dir := filepath.Join(t.TempDir(), "games")
	args := append([]string{"gtp", "--visits", "2", "--boardsize", "5", "--autosave", dir, "--log-level", "warn"}, frugal...)
	o := exits(t, exitDone, nil, "genmove b\nplay w a1\nundo\nclear_board\nplay b e5\nplay w a1\ngenmove b\nquit\n", args...)
	games, err := filepath.Glob(filepath.Join(dir, "*.sgf"))
	require.NoError(t, err)
	require.Len(t, games, 2, o.stdout)
	p := start(t, nil, args...)
	_, err = p.in.Write([]byte("genmove w\ngenmove b\n"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		games, _ = filepath.Glob(filepath.Join(dir, "*.sgf"))
		for _, name := range games {
			text, _ := os.ReadFile(name)
			if strings.Contains(string(text), "PW[Kosumi") && strings.Contains(string(text), ";B[") {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	p.cmd.Process.Kill()
	p.wait()
	for _, name := range games {
		roots, err := sgf.ReadFile(name)
		require.NoError(t, err)
		r, err := sgf.RecordOf(roots[0])
		require.NoError(t, err)
		require.Contains(t, r.Black.Name, "Kosumi")
		require.Equal(t, "Chinese", r.Rules)
		require.NotEmpty(t, r.Date)
		require.Contains(t, string(text(t, roots)), "visits")
	}
	exits(t, exitFailed, nil, "quit\n", "gtp", "--autosave", games[0])

	// If a folder cannot be written, the engine says so, and tries again after the next move.
	require.NoError(t, os.RemoveAll(dir))
	p = start(t, nil, args...)
	gui := &player{p.in, bufio.NewReader(p.out)}
	play := func(command string) {
		_, err := gui.ask(command)
		require.NoError(t, err)
	}
	play("name")
	require.NoError(t, os.RemoveAll(dir))
	play("genmove b")
	require.NoDirExists(t, dir)
	p.says(t, "the game could not be saved")
	require.NoError(t, os.Mkdir(dir, 0o755))
	play("genmove w")
	saved, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, saved, 1)
	require.Contains(t, testshared.Read(t, filepath.Join(dir, saved[0].Name())), ";W[")
}

// needPage skips a test if the bundle for HTML files is not built, which needs npm.
func needPage(t testing.TB) {
	t.Helper()
	if err := handout.Built(); err != nil {
		testshared.Absent(t, "%v", err)
	}
}
