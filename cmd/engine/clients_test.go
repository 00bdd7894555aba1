package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
)

// chatLine matches the lines that gtp2ogs posts to a game's chat.
var chatLine = regexp.MustCompile(`^MALKOVICH:Visits \d+ Winrate \d+\.\d\d% ScoreLead -?\d+\.\d ScoreStdev \d+\.\d PV [A-HJ-T]\d+( ([A-HJ-T]\d+|pass))*$`)

// TestClients replays the sessions of clients that expect KataGo.
func TestClients(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	dir, err := filepath.Abs("../../testdata/clients")
	require.NoError(t, err)
	for _, pattern := range []string{"*.gtp", "*.json"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			mode := map[string]string{".gtp": "gtp", ".json": "analysis"}[filepath.Ext(file)]
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			t.Run(name, func(t *testing.T) {
				said := replayClient(t, file, asKataGoProgram(t), mode, "-config", filepath.Join(dir, mode+".cfg"), "-model", realNetwork(t))
				checkSaid(t, name, said)
			})
		}
	}
	t.Run("sabaki", func(t *testing.T) {
		replayClient(t, "../../testdata/gtp/client-sabaki.gtp", asKataGoProgram(t), "gtp", "-config", filepath.Join(dir, "gtp.cfg"), "-model", realNetwork(t))
	})
	t.Run("q5go, under the own name", func(t *testing.T) {
		replayClient(t, filepath.Join(dir, "q5go.gtp"), built(t), slices.Concat([]string{"gtp", "--visits", "12", "--model", realNetwork(t)}, frugal)...)
	})
}

// realClient returns the program that runs a client, and the folder in which the client is installed.
func realClient(t *testing.T, program, folder, part string) (path, dir string) {
	t.Helper()
	needLibrary(t)
	testshared.Slow(t)
	path, err := exec.LookPath(program)
	if err != nil {
		testshared.Absent(t, "no %s to run a real client with: %v", program, err)
	}
	dir, err = filepath.Abs(folder)
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(dir, part)); err != nil {
		testshared.Absent(t, "%s is not installed (make deps-test): %v", part, err)
	}
	return path, dir
}

// replayClient replays a session with a program, and returns what it wrote to
// standard error.
func replayClient(t *testing.T, file, exe string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(exe, args...)
	var stderr testshared.Log
	cmd.Stderr = &stderr
	s, in, ended := conform.Start(t, cmd)
	defer cmd.Process.Kill()
	conform.Replay(s, file)
	in.Close()
	<-ended
	return strings.Split(stderr.String(), "\n")
}

// checkSaid checks standard error for texts that clients react to: Lizzie may take lines for
// replies, Ogatak and KaTrain look for exceptions, gtp2ogs for KataGo's name and lines about moves.
func checkSaid(t *testing.T, name string, said []string) {
	t.Helper()
	all := strings.Join(said, "\n")
	require.Contains(t, all, "KataGo")
	require.NotContains(t, all, "xception")
	require.NotContains(t, all, "what()")
	chats := 0
	for _, line := range said {
		require.NotRegexp(t, `^([=?]|info|play|Tuning)| -> `, line)
		if strings.HasPrefix(line, "MALKOVICH") {
			require.Regexp(t, chatLine, line)
			chats++
		}
	}
	if name == "gtp2ogs" {
		require.Equal(t, 3, chats, "a line for each move")
	}
	if name == "ogatak" {
		require.Contains(t, all, "ready to begin handling requests")
	}
}

// TestOGSChat: with --ogs-chat a line with KataGo's name comes first, and chat lines follow in the
// form that gtp2ogs shows. Without it there are no chat lines.
func TestOGSChat(t *testing.T) {
	needLibrary(t)
	for _, chat := range []bool{true, false} {
		args := append([]string{"gtp", "--visits", "5", fmt.Sprintf("--ogs-chat=%v", chat)}, frugal...)
		o := exits(t, exitDone, nil, "boardsize 9\ngenmove b\ngenmove w\nquit\n", args...)
		known, chats := false, 0
		for line := range strings.Lines(o.stderr) {
			known = known || strings.Contains(line, "KataGo")
			if strings.HasPrefix(line, "MALKOVICH") {
				require.True(t, known)
				require.Regexp(t, chatLine, strings.TrimSpace(line))
				chats++
			}
		}
		require.Equal(t, map[bool]int{true: 2}[chat], chats)
	}
}
