package match

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/clock"
)

func TestClockDialects(t *testing.T) {
	tests := []struct {
		control, kata, kgs, plain    string
		leftKata, leftKGS, leftPlain string
	}{
		{"absolute 10", "kata-time_settings absolute 10", "kgs-time_settings absolute 10", "time_settings 10 0 0", "10 0", "10 0", "10 0"},
		{"byoyomi 5 1 3", "kata-time_settings byoyomi 5 1 3", "kgs-time_settings byoyomi 5 1 3", "time_settings 7 1 1", "5 0", "5 0", "7 0"},
		{"byoyomi 0 2.5 2", "kata-time_settings byoyomi 0 2.5 2", "kgs-time_settings byoyomi 0 2 2", "time_settings 2 2 1", "2.5 2", "2 2", "2 0"},
		{"byoyomi 0 2 1", "kata-time_settings byoyomi 0 2 1", "kgs-time_settings byoyomi 0 2 1", "time_settings 0 2 1", "2 1", "2 1", "2 1"},
		{"canadian 5 2 10", "kata-time_settings canadian 5 2 10", "kgs-time_settings canadian 5 2 10", "time_settings 5 2 10", "5 0", "5 0", "5 0"},
		{"fischer 5 2", "kata-time_settings fischer 5 2", "kgs-time_settings canadian 3 2 1", "time_settings 3 2 1", "5 0", "3 0", "3 0"},
		{"fischer 0.9 2", "kata-time_settings fischer 0.9 2", "kgs-time_settings canadian 0 2 1", "time_settings 0 2 1", "0.9 0", "0 1", "0 1"},
	}
	for _, test := range tests {
		control, err := clock.Parse(test.control)
		require.NoError(t, err)
		c := clock.New(control, clock.Tolerant(0))
		require.Empty(t, dialectNone.left(&c))
		for _, d := range []struct {
			dialect        timeDialect
			settings, left string
		}{
			{dialectKata, test.kata, test.leftKata},
			{dialectKGS, test.kgs, test.leftKGS},
			{dialectPlain, test.plain, test.leftPlain},
		} {
			require.Equal(t, d.settings, d.dialect.settings(control), test.control)
			require.Equal(t, d.left, d.dialect.left(&c), "%s, %s", test.control, d.dialect)
		}
	}
	for list, want := range map[string]timeDialect{
		"time_settings kata-time_settings kgs-time_settings": dialectKata, "time_settings kgs-time_settings": dialectKGS,
		"time_settings": dialectPlain, "": dialectNone,
	} {
		require.Equal(t, want, dialectOf(func(command string) bool { return slices.Contains(strings.Fields(list), command) }))
	}
}
