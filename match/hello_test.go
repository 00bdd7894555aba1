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

// TestSuspicion: a silent program may take any time to load, but not one that has printed only a greeting.
// A program that prints control characters, or promptly answers three empty lines, does not speak GTP.
func TestSuspicion(t *testing.T) {
	for name, c := range map[string]struct {
		text    string // output
		from    int    // milliseconds from the start until the output first comes
		again   int    // milliseconds between repetitions of the output; 0: none
		answers bool   // the output also comes after each probe
		foreign int    // milliseconds until suspicion decides that the program does not speak GTP; 0: never
	}{
		"silent":      {},
		"binary":      {text: "\x01\xa1", from: 500, foreign: 500},
		"coloured":    {text: "\x1b[1mhello\x1b[m\n", from: 500, foreign: 41_050},
		"greets":      {text: "hello\n", foreign: 40_550},
		"loads aloud": {text: "10 %\n", again: 1700},
		"prompts":     {text: "> ", answers: true, foreign: 2100},
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
				if ms == c.from || c.again > 0 && ms%c.again == 0 || c.answers && s.probes > sent {
					_, _ = k.stdout.Write([]byte(c.text))
				}
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
