package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// KataGo's replies about human-like networks begin with these texts. Clients know humanTexts, so
// this program repeats those replies. It replaces the replies in ownTexts by its own words.
var (
	humanTexts = []string{"Unknown human SL", "Expected a symmetry", "Unexpected extra"}
	ownTexts   = []string{"Cannot run ", "Provided parameter human", "WARNING: humanSLProfile", "SGFMetadata is required"}
)

// TestHumanTranscripts plays KataGo's recorded sessions with human-like networks: this program
// refuses what KataGo refuses, settings can be read back, and the program continues where KataGo
// crashes. Setting a parameter to its present value is allowed.
func TestHumanTranscripts(t *testing.T) {
	needLibrary(t)
	sessions := 0
	type recorded struct {
		ID, Engine, Model, HumanModel, Overrides string
		Commands, Replies                        []json.RawMessage
	}
	for _, r := range testshared.Lines[recorded](t, testshared.Path(t, "golden/human/transcripts.jsonl.gz")) {
		if r.Engine != "gtp" || r.Overrides != "" || strings.HasPrefix(r.HumanModel, "nothere") {
			continue
		}
		sessions++
		t.Run(r.ID, func(t *testing.T) {
			folder := map[bool]string{true: "golden/human/models/", false: "models/katago/"}
			file := func(name string) string {
				return testshared.Path(t, folder[strings.HasPrefix(name, "synth")]+name)
			}
			args := slices.Concat([]string{"gtp", "--log-level", "error", "--precision", "fp32"}, frugal, []string{"--model", file(r.Model)})
			if r.HumanModel != "" {
				args = append(args, "--human-model", file(r.HumanModel))
			}
			var commands []string
			for _, c := range r.Commands {
				var text string
				require.NoError(t, json.Unmarshal(c, &text))
				commands = append(commands, text)
			}
			cmd := exec.Command(built(t), args...)
			cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\nprotocol_version\nquit\n")
			out, err := cmd.Output()
			require.NoError(t, err)
			replies := strings.Split(strings.TrimSpace(string(out)), "\n\n")
			require.Len(t, replies, len(commands)+2)
			require.Equal(t, "= 2", replies[len(replies)-2])
			for k, raw := range r.Replies {
				var want string
				require.NoError(t, json.Unmarshal(raw, &want))
				requireReply(t, commands[k], want, replies[k])
			}
		})
	}
	require.GreaterOrEqual(t, sessions, 3)
}

func requireReply(t *testing.T, command, want, got string) {
	t.Helper()
	want = strings.TrimPrefix(strings.TrimPrefix(want, "? Could not set params: "), "? ")
	want = strings.TrimPrefix(want, "FATAL ERROR:\n")
	if slices.ContainsFunc(humanTexts, func(text string) bool { return strings.HasPrefix(want, text) }) {
		require.True(t, strings.HasPrefix(got, "? "), "%s: %s", command, got)
		require.True(t, strings.HasSuffix(got, want), "%s: %s", command, got)
		return
	}
	if slices.ContainsFunc(ownTexts, func(text string) bool { return strings.HasPrefix(want, text) }) && !strings.HasPrefix(got, "= ") {
		require.True(t, strings.HasPrefix(got, "? "), "%s: %s", command, got)
		require.Regexp(t, "--human-model|--set humanSLProfile=", got, command)
		require.NotContains(t, got, "katago", command)
		return
	}
	switch {
	case command == "kata-set-param humanSLChosenMoveIgnorePass 1": // this program accepts 1 for true
	case strings.HasPrefix(command, "kata-get-param humanSLProfile") && strings.HasPrefix(want, "= "):
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got), command)
	case strings.HasPrefix(command, "kata-set-param humanSL") || strings.HasPrefix(command, "kata-raw-"):
		require.Equal(t, want[:1] == "=", got[:1] == "=", "%s: %s", command, got)
	}
}
