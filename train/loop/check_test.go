package loop

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// TestStateIsChecked: every reader refuses an impossible state and leaves its file unchanged. The error
// of Open names the fault and gives advice.
func TestStateIsChecked(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Init(dir, []byte(tiny), false))
	good := func() *State {
		return &State{Version: stateVersion, Arch: "kb2c16", Iteration: 2, Stage: stageSelfplay,
			Ledger: Ledger{Games: 100, Rows: 400, Random: 60, RandRow: 200, Credited: 400, Samples: 800, Target: 800}, Current: "kb2c16-s800-d400",
			Networks: []Network{{Name: "kb2c16-s800-d400", Games: 100, Rows: 400}}, History: []Record{{Iteration: 1, Games: 100, Rows: 400}}}
	}
	require.NoError(t, good().check())
	refused := func(want string) {
		before := []byte(testshared.Read(t, statePath(dir)))
		_, err := Open(dir, Options{})
		require.ErrorIs(t, err, ErrState, want)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "state.json")
		require.ErrorContains(t, err, "put a copy of it back")
		_, err = NewViewer(dir).Snapshot()
		require.ErrorIs(t, err, ErrState)
		require.ErrorIs(t, WriteReport(dir), ErrState)
		after := []byte(testshared.Read(t, statePath(dir)))
		require.Equal(t, string(before), string(after))
	}
	for want, spoil := range map[string]func(s *State){
		"games is -5":                         func(s *State) { s.Games = -5 },
		"rows is -1":                          func(s *State) { s.Rows = -1 },
		"samples is -800":                     func(s *State) { s.Samples = -800 },
		"goal_rows is -3":                     func(s *State) { s.GoalRows = -3 },
		"target is 9223372036854775807":       func(s *State) { s.Target = math.MaxInt64 },
		"iteration is -1":                     func(s *State) { s.Iteration = -1 },
		"owed is 7":                           func(s *State) { s.Owed = 7 },
		"most_rate is -0.1":                   func(s *State) { s.MostRate = -0.1 },
		"seconds.train is -2":                 func(s *State) { s.Seconds.Train = -2 },
		`stage is "lunch"`:                    func(s *State) { s.Stage = "lunch" },
		"candidate names no network":          func(s *State) { s.Stage = stageGate },
		"arch is missing":                     func(s *State) { s.Arch = "" },
		"random_games is 101 of 100":          func(s *State) { s.Random = 101 },
		"random_rows is 401 of 400":           func(s *State) { s.RandRow = 401 },
		"credited is 401 of 400":              func(s *State) { s.Credited = 401 },
		"networks[0].games":                   func(s *State) { s.Networks[0].Games = 101 },
		`networks[0].name is "../x"`:          func(s *State) { s.Networks[0].Name = "../x" },
		"history[0].games and rows":           func(s *State) { s.History[0].Rows = 900 },
		"history[0].iteration is 2":           func(s *State) { s.History[0].Iteration = 2 },
		`current is "a/b", which is not the`:  func(s *State) { s.Current = "a/b" },
		`current is "..", which is not the n`: func(s *State) { s.Current = ".." },
		`base is ".", which is not the name`:  func(s *State) { s.Base = "." },
		"version is 0":                        func(s *State) { s.Version = 0 },
	} {
		s := good()
		spoil(s)
		require.NoError(t, s.save(dir))
		refused(want)
	}
	require.NoError(t, good().save(dir))
	whole := []byte(testshared.Read(t, statePath(dir)))
	for want, text := range map[string]string{
		"games is a string":         strings.Replace(string(whole), `"games": 100`, `"games": "100"`, 1),
		"games is a number 0.5":     strings.Replace(string(whole), `"games": 100`, `"games": 0.5`, 1),
		"networks is a object":      `{"version": 1, "networks": {}}`,
		"it is no JSON of a loop's": string(whole) + "}",
		"unexpected end of JSON":    string(whole[:len(whole)/2]),
		"stage is \"\"":             "null",
	} {
		require.NoError(t, os.WriteFile(statePath(dir), []byte(text), 0o644))
		refused(want)
	}
}
