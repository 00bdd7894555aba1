package commands

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/clock"
	"kosumi/gtp"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// still implements Engine with a board and clocks but no search.
type still struct {
	Engine
	game  *board.Game
	clock clock.Settings
	left  [3]time.Duration
	drops int
}

func (s *still) Game() *board.Game                      { return s.game }
func (s *still) Stop()                                  {}
func (s *still) SetClock(settings clock.Settings) error { s.clock = settings; return nil }
func (s *still) TimeLeft(c board.Color, left time.Duration, stones int) error {
	s.left[c] = left
	return nil
}
func (s *still) Undo(int) error { s.game.Undo(); return nil }
func (s *still) Play(c board.Color, p board.Point) error {
	return s.game.PlayTolerant(c, p)
}
func (s *still) DropTree() { s.drops++ }

func newStill(t testing.TB) *still {
	t.Helper()
	g, err := board.NewGame(board.Square(5), board.TrompTaylor())
	require.NoError(t, err)
	return &still{game: g}
}

// talk serves a script and returns what the server answers.
func talk(t testing.TB, p *Personality, script string) string {
	t.Helper()
	var out bytes.Buffer
	s := NewServer(p, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, s.Serve(t.Context(), strings.NewReader(script), &out))
	return out.String()
}

func TestParse(t *testing.T) {
	for line, want := range map[string]gtp.Command{
		"3 play  b d4 # here": {ID: "3", Name: "play", Args: []string{"", "b", "d4"}, Rest: "b d4"},
		"7name":               {ID: "7", Name: "name"},
		"\tname\r":            {Name: "name"},
		"007 é":               {ID: "7", Name: "é"},
	} {
		c, fault, ok := parse(line)
		require.True(t, ok, line)
		require.Empty(t, fault, line)
		require.Equal(t, want, c, line)
	}
	for line, want := range map[string]string{"12": "? empty command\n", "99999999999 name": "? GTP id '0' could not be parsed: Could not parse digits, overflow: 99999999999\n"} {
		_, fault, ok := parse(line)
		require.True(t, ok)
		require.Equal(t, want, fault)
	}
	for _, line := range []string{"", " # comment", "é"} {
		_, _, ok := parse(line)
		require.False(t, ok, line)
	}
}

func TestFail(t *testing.T) {
	for want, err := range map[string]error{
		"Did you specify humanSLProfile=": &nn.ProfileError{Network: "net"},
		"-human-model was not provided":   engine.ErrNoHumans,
		"parameter was not set":           engine.ErrNoProfile,
		"another":                         errors.New("another"),
	} {
		require.ErrorContains(t, fail(err), want)
	}
}

// TestListed: list_commands and known_command agree with the commands answered.
func TestListed(t *testing.T) {
	p := &Personality{Engine: newStill(t)}
	require.Equal(t, listed, strings.Fields(strings.TrimPrefix(talk(t, p, "list_commands\n"), "= ")))
	table := NewServer(p, slog.New(slog.DiscardHandler), nil).Table()
	for _, name := range slices.Concat(listed, hidden) {
		_, known := table.Find(name)
		require.True(t, known, name)
	}
	for _, name := range append(hidden, "reg_genmove") {
		require.Equal(t, "= false\n\n", talk(t, p, "known_command "+name))
	}
	require.Equal(t, "? unknown command\n\n", talk(t, p, "reg_genmove b"))
}

// TestClockRefusals: every clock command refuses bad and impossible times, and the clock stays
// unchanged.
func TestClockRefusals(t *testing.T) {
	for _, x := range []string{"1e300", "1e26", "-1e300", "1e999", "nan", "inf", "-inf", "0x1p4", "", "-11"} {
		for _, form := range []string{
			"time_settings X 0 0", "time_settings 10 X 5", "time_settings 10 5 X", "kgs-time_settings absolute X",
			"kgs-time_settings canadian X 5 5", "kgs-time_settings canadian 10 X 5", "kgs-time_settings canadian 10 5 X",
			"kgs-time_settings byoyomi X 5 5", "kata-time_settings byoyomi 10 X 5", "kata-time_settings byoyomi 10 5 X",
			"kata-time_settings fischer X 5", "kata-time_settings fischer 5 X", "time_left b X 0", "time_left b 5 X", "time_left b 5 1",
		} {
			s := newStill(t)
			s.clock = clock.Settings{System: clock.Fischer}
			out := talk(t, &Personality{Engine: s}, strings.Replace(form, "X", x, 1))
			require.True(t, strings.HasPrefix(out, "? "), "%s: %s: %s", form, x, out)
			require.Equal(t, clock.Settings{System: clock.Fischer}, s.clock, form)
			require.Zero(t, s.left, form)
		}
	}
}

func TestClocks(t *testing.T) {
	s := newStill(t)
	out := talk(t, &Personality{Engine: s}, "kata-debug-print-tc\nkata-time_settings byoyomi 60 5 3\ntime_left w 4.5 2\nkata-debug-print-tc\n")
	require.Equal(t, "= Black as at the start\nWhite as at the start\n\n= \n\n= \n\n"+
		"= Black kata-time_settings byoyomi 60 5 3\nWhite kata-time_settings byoyomi 60 5 3, time_left w 4.5 2\n\n", out)
	require.Equal(t, clock.Settings{System: clock.Byoyomi, Main: time.Minute, Period: 5 * time.Second, Periods: 3}, s.clock)
	require.Equal(t, 4500*time.Millisecond, s.left[board.White])
}

// TestTree: a command that sets up a position drops the tree if it succeeds, and only then.
func TestTree(t *testing.T) {
	s := newStill(t)
	p := &Personality{Engine: s}
	require.Equal(t, "= \n\n= \n\n? cannot undo\n\n", talk(t, p, "play b c3\nundo\nundo\n"))
	require.Equal(t, 1, s.drops)
	require.Contains(t, talk(t, p, "debug_moves C3 D3 rawstats\n"), " 3 . . X1O2.")
	require.Equal(t, "? Invalid move sequence\n\n", talk(t, p, "debug_moves C3 C3"))
	require.Contains(t, talk(t, p, "set_free_handicap c9"), "? Handicap placement is invalid")
}

// FuzzParse: a line is a command, an error or nothing, and names contain no blanks.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"3 play b d4", "12", "99999999999 x", "# comment", "é\t", "1name  x  ", "kata-analyze focus A1:2,pass 0.5 avoid b C3 1"} {
		f.Add(line)
	}
	g := newStill(f).game
	f.Fuzz(func(t *testing.T, line string) {
		c, fault, ok := parse(line)
		require.False(t, fault != "" && !ok)
		require.NotContains(t, c.Name, " ")
		if ok && fault == "" {
			require.NotEmpty(t, c.Name, "%q", line)
		}
		gtp.ParseAnalyze(g, c.Args, true, true)
	})
}

// TestFocus: the key focus of analysis commands is read in each of its forms, and wrong forms are
// refused.
func TestFocus(t *testing.T) {
	g := newStill(t).game
	at := func(v string) board.Point {
		p, err := g.Size().ParseVertex(v)
		require.NoError(t, err)
		return p
	}
	for _, details := range []bool{false, true} {
		for text, want := range map[string]*thinking.Focus{
			"focus A1,c3 0.5":                        {Moves: []board.Point{at("A1"), at("C3")}, Weights: []float64{1, 1}, Prob: 0.5},
			"w interval 10 focus pass:3 1":           {Moves: []board.Point{board.Pass}, Weights: []float64{3}, Prob: 1},
			"7 minmoves 2 focus ,A1:0.5,, 0":         {Moves: []board.Point{at("A1")}, Weights: []float64{0.5}},
			"focus , 0.5":                            {Prob: 0.5},
			"minmoves 2":                             nil,
			"avoid b A1 1 focus A1 0.25 maxmoves 12": {Moves: []board.Point{at("A1")}, Weights: []float64{1}, Prob: 0.25},
		} {
			req, err := gtp.ParseAnalyze(g, strings.Fields(text), details, true)
			require.NoError(t, err, text)
			require.Equal(t, want, req.Focus, text)
		}
		for _, text := range []string{
			"focus", "focus A1", "focus A1 x", "focus A1 nan", "focus A1 1.01", "focus A1 -1", "focus Z9 0.5", "focus A1: 0.5", "focus A1:0 0.5",
			"focus A1:inf 0.5", "focus A1:1:1 0.5", "focus A1 0.5 focus B2 0.5", "focus A1 0x1p-1",
		} {
			_, err := gtp.ParseAnalyze(g, strings.Fields(text), details, true)
			require.Error(t, err, text)
		}
	}
}
