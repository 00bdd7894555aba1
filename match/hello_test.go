package match

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProgramThatSpeaksSomethingElse: a program that does not speak GTP is reported early, with
// its output, long before the time limit for starting.
func TestProgramThatSpeaksSomethingElse(t *testing.T) {
	for mode, want := range map[string][]string{
		"human":         {"does not speak GTP", "This is no GTP.", "no such move", "--mode gtp"},
		"binary":        {"does not speak GTP", `\x01\xa1`},
		"says and ends": {"exit status 2", "usage: guest --gtp"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			bad := guestCommand("-mode", mode)
			s, err := Run(t.Context(), small(guestCommand(), bad))
			require.ErrorIs(t, err, ErrConfig)
			require.ErrorContains(t, err, "program b does not start: "+bad)
			for _, part := range want {
				require.ErrorContains(t, err, part)
			}
			require.Zero(t, s.Games)
		})
	}
}

// TestSuspicion: a silent program may load for ever, one that prints a greeting only for a while;
// control characters, or three prompt answers to empty lines, are not GTP.
func TestSuspicion(t *testing.T) {
	for name, c := range map[string]struct {
		writes  func(ms int, probes int) string // output at each check, ms after the start, given the new probes
		foreign int                             // milliseconds until the program is taken not to speak GTP; 0: never
	}{
		"silent":   {func(int, int) string { return "" }, 0},
		"binary":   {func(ms, _ int) string { return map[int]string{500: "\x01\xa1"}[ms] }, 500},
		"coloured": {func(ms, _ int) string { return map[int]string{500: "\x1b[1mhello\x1b[m\n"}[ms] }, 41_050},
		"greets":   {func(ms, _ int) string { return map[int]string{0: "hello\n"}[ms] }, 40_550},
		"loads aloud": {func(ms, _ int) string {
			return map[bool]string{true: "10 %\n"}[ms%1700 == 0]
		}, 0},
		"prompts": {func(ms, probes int) string {
			return map[bool]string{true: "> "}[ms == 0 || probes > 0]
		}, 2100},
	} {
		t.Run(name, func(t *testing.T) {
			in, out, err := os.Pipe()
			require.NoError(t, err)
			defer in.Close()
			defer out.Close()
			k := &client{stdin: out, stdout: &tail{}}
			var s suspicion
			start, at, sent := time.Now(), 0, 0
			for ms := 0; ms < 100_000; ms += 50 {
				_, _ = k.stdout.Write([]byte(c.writes(ms, s.probes-sent)))
				sent = s.probes
				if s.foreign(k, start.Add(time.Duration(ms)*time.Millisecond)) {
					at = ms
					break
				}
			}
			require.InDelta(t, c.foreign, at, 200)
			require.LessOrEqual(t, s.probes, mostProbes)
		})
	}
}
