package match

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func mustTime(t testing.TB, text string) TimeControl {
	t.Helper()
	control, err := ParseTime(text)
	require.NoError(t, err)
	return control
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]TimeControl{
		"":                  {},
		"none":              {},
		"absolute 10":       {System: TimeAbsolute, Main: 10 * time.Second},
		"byoyomi 5 1 3":     {System: TimeByoyomi, Main: 5 * time.Second, Period: time.Second, Count: 3},
		"Byo-Yomi 0 0.5 1":  {System: TimeByoyomi, Period: time.Second / 2, Count: 1},
		"canadian 5 2 10":   {System: TimeCanadian, Main: 5 * time.Second, Period: 2 * time.Second, Count: 10},
		"fischer 5 0.1":     {System: TimeFischer, Main: 5 * time.Second, Period: time.Second / 10},
		" absolute   0.25 ": {System: TimeAbsolute, Main: time.Second / 4},
	} {
		got := mustTime(t, text)
		require.Equal(t, want, got, text)
		require.Equal(t, want, mustTime(t, got.String()), "String is the inverse")
	}
	for _, text := range []string{
		"absolute", "absolute 0", "absolute -1", "absolute x", "absolute NaN", "absolute 1e99", "absolute 1 2",
		"byoyomi 5 1", "byoyomi 5 0 3", "byoyomi 5 1 0", "byoyomi 5 1 -2", "byoyomi 5 1 1.5", "canadian 1 2",
		"fischer 0 1", "fischer 5", "hourglass 5", "none 1",
	} {
		_, err := ParseTime(text)
		require.Error(t, err, text)
	}
	require.Error(t, TimeControl{System: TimeAbsolute, Main: 1, Count: 2}.check())
}

// Each step is the time of a move in milliseconds and what the clock then shows;
// a negative number of stones means that the flag has fallen.
func TestClockArithmetic(t *testing.T) {
	type step struct{ took, left, count int }
	tests := []struct {
		control string
		steps   []step
	}{
		{"absolute 1", []step{{400, 600, 0}, {600, 0, 0}, {100, 0, 0}, {101, 0, -1}}},
		{"absolute 1", []step{{1100, 0, 0}}},
		{"absolute 1", []step{{1101, 0, -1}}},
		{"fischer 1 0.5", []step{{400, 1100, 0}, {1200, 500, 0}, {601, 0, -1}}},
		{"byoyomi 1 0.5 2", []step{{400, 600, 0}, {700, 500, 2}, {500, 500, 2}, {600, 500, 2}, {601, 500, 1}, {600, 500, 1}, {601, 0, -1}}},
		{"byoyomi 1 0.5 3", []step{{1000, 500, 3}, {1200, 500, 1}}},
		{"byoyomi 1 0.5 3", []step{{2600, 500, 1}}},
		{"byoyomi 1 0.5 3", []step{{2601, 0, -1}}},
		{"canadian 1 0.6 2", []step{{1000, 600, 2}, {300, 300, 1}, {300, 600, 2}, {0, 600, 1}, {700, 600, 2}, {701, 0, -1}}},
		{"canadian 1 0.6 2", []step{{1200, 400, 1}, {500, 600, 2}}},
	}
	for _, test := range tests {
		c := newClock(mustTime(t, test.control), 100*time.Millisecond)
		for i, s := range test.steps {
			ok := c.spend(time.Duration(s.took) * time.Millisecond)
			require.Equal(t, s.count >= 0, ok, "%s, step %d", test.control, i)
			if !ok {
				continue
			}
			left, count := c.left()
			require.Equal(t, [2]int{s.left, s.count}, [2]int{int(left.Milliseconds()), count}, "%s, step %d", test.control, i)
		}
	}
	none := newClock(TimeControl{}, 0)
	require.True(t, none.spend(time.Hour))
	_, limited := none.available()
	require.False(t, limited)
}

func TestClockDialects(t *testing.T) {
	tests := []struct {
		control            string
		kata, kgs, plain   string
		leftKata           string
		leftKGS, leftPlain string
	}{
		{"none", "kata-time_settings none", "kgs-time_settings none", "time_settings 0 1 0", "", "", ""},
		{"absolute 10", "kata-time_settings absolute 10", "kgs-time_settings absolute 10", "time_settings 10 0 0", "10 0", "10 0", "10 0"},
		{
			"byoyomi 5 1 3", "kata-time_settings byoyomi 5 1 3", "kgs-time_settings byoyomi 5 1 3", "time_settings 7 1 1",
			"5 0", "5 0", "7 0",
		},
		{
			"byoyomi 0 2.5 2", "kata-time_settings byoyomi 0 2.5 2", "kgs-time_settings byoyomi 0 2 2", "time_settings 2 2 1",
			"2.5 2", "2 2", "2 0",
		},
		{
			"byoyomi 0 2 1", "kata-time_settings byoyomi 0 2 1", "kgs-time_settings byoyomi 0 2 1", "time_settings 0 2 1",
			"2 1", "2 1", "2 1",
		},
		{
			"canadian 5 2 10", "kata-time_settings canadian 5 2 10", "kgs-time_settings canadian 5 2 10", "time_settings 5 2 10",
			"5 0", "5 0", "5 0",
		},
		{
			"fischer 5 2", "kata-time_settings fischer 5 2", "kgs-time_settings canadian 3 2 1", "time_settings 3 2 1",
			"5 0", "3 0", "3 0",
		},
		{
			"fischer 0.9 2", "kata-time_settings fischer 0.9 2", "kgs-time_settings canadian 0 2 1", "time_settings 0 2 1",
			"0.9 0", "0 1", "0 1",
		},
	}
	for _, test := range tests {
		control := mustTime(t, test.control)
		c := newClock(control, 0)
		for _, d := range []struct {
			dialect        timeDialect
			settings, left string
		}{
			{dialectKata, test.kata, test.leftKata},
			{dialectKGS, test.kgs, test.leftKGS},
			{dialectPlain, test.plain, test.leftPlain},
			{dialectNone, "", ""},
		} {
			if d.dialect == dialectNone {
				require.Empty(t, d.dialect.left(c))
				continue
			}
			require.Equal(t, d.settings, d.dialect.settings(control), test.control)
			require.Equal(t, d.left, d.dialect.left(c), "%s, dialect %d", test.control, d.dialect)
		}
	}
	knows := func(list ...string) func(string) bool {
		return func(command string) bool {
			for _, c := range list {
				if c == command {
					return true
				}
			}
			return false
		}
	}
	require.Equal(t, dialectKata, dialectOf(knows("time_settings", "kata-time_settings", "kgs-time_settings")))
	require.Equal(t, dialectKGS, dialectOf(knows("time_settings", "kgs-time_settings")))
	require.Equal(t, dialectPlain, dialectOf(knows("time_settings")))
	require.Equal(t, dialectNone, dialectOf(knows()))
}
