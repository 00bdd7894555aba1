package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/gtp/gtpconform"
	"kosumi/internal/testshared"
)

// chatLine is what gtp2ogs posts to a game's chat.
var chatLine = regexp.MustCompile(`^MALKOVICH:Visits \d+ Winrate \d+\.\d\d% ScoreLead -?\d+\.\d ScoreStdev \d+\.\d PV [A-HJ-T]\d+( ([A-HJ-T]\d+|pass))*$`)

// TestClients holds the sessions of clients that expect KataGo.
func TestClients(t *testing.T) {
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
				said := replayAsKataGo(t, file, mode, "-config", filepath.Join(dir, mode+".cfg"), "-model", realNetwork(t))
				checkSaid(t, name, said)
			})
		}
	}
}

// replayAsKataGo replays a session with the program as katago, and returns what it
// wrote to standard error.
func replayAsKataGo(t *testing.T, file string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(asKataGoProgram(t), args...)
	var stderr testshared.Log
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, outWrite, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = outWrite
	err = cmd.Start()
	outWrite.Close()
	require.NoError(t, err)
	ended := make(chan struct{})
	s := gtpconform.New(t, in, out, func() error { defer close(ended); return cmd.Wait() })
	defer cmd.Process.Kill()
	gtpconform.Replay(t, func(testing.TB, ...string) *gtpconform.Session { return s }, file)
	in.Close()
	<-ended
	return strings.Split(stderr.String(), "\n")
}

// checkSaid checks standard error as clients see it: Lizzie reads it together with
// the replies, Ogatak and KaTrain look for exceptions, gtp2ogs for KataGo's name and
// lines about moves.
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
