package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/engine/clock"
	"kosumi/web/api"
)

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"v":1,"size":[5,5],"rules":"chinese","komi":7.5,"colour":"b","clock":{"kind":"none"}}` + "\n" + `{"rev":1,"k":"move","m":"C3"}` + "\n" + `{"rev":2,"k":"undo","n":1}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k := parse(data)
		if g, _ := k.replay(); g != nil {
			g.Count()
			k.ofRecord(g.SGF())
		}
	})
}

// TestGameClock books times on clocks of every kind.
func TestGameClock(t *testing.T) {
	const s = time.Second
	type left struct {
		main, period time.Duration
		periods      int
		over         bool
	}
	for _, tc := range []struct {
		name  string
		set   api.Clock
		spend []time.Duration // a move each
		falls bool            // with the last of them
		want  left
	}{
		{"none", api.Clock{}, []time.Duration{time.Hour}, false, left{}},
		{"absolute", api.Clock{Kind: "absolute", Main: 60}, []time.Duration{20 * s, 30 * s}, false, left{main: 10 * s}},
		{"absolute over", api.Clock{Kind: "absolute", Main: 60}, []time.Duration{20 * s, 40 * s}, true, left{}},
		{"fischer", api.Clock{Kind: "fischer", Main: 60, Bonus: 5}, []time.Duration{20 * s, 30 * s}, false, left{main: 20 * s}},
		{"byoyomi in main time", api.Clock{Kind: "byoyomi", Main: 60, Period: 10, Periods: 3}, []time.Duration{59 * s}, false, left{main: 1 * s}},
		{"byoyomi keeps a period", api.Clock{Kind: "byoyomi", Main: 60, Period: 10, Periods: 3}, []time.Duration{69 * s}, false, left{period: 10 * s, periods: 3, over: true}},
		{"byoyomi loses two", api.Clock{Kind: "byoyomi", Main: 60, Period: 10, Periods: 3}, []time.Duration{60 * s, 25 * s}, false, left{period: 10 * s, periods: 1, over: true}},
		{"byoyomi over", api.Clock{Kind: "byoyomi", Main: 60, Period: 10, Periods: 3}, []time.Duration{90 * s}, true, left{}},
		{"canadian", api.Clock{Kind: "canadian", Main: 10, Period: 30, Periods: 3}, []time.Duration{15 * s, 5 * s}, false, left{period: 20 * s, periods: 1, over: true}},
		{"canadian begins anew", api.Clock{Kind: "canadian", Main: 10, Period: 30, Periods: 3}, []time.Duration{15 * s, 5 * s, 5 * s}, false, left{period: 30 * s, periods: 3, over: true}},
		{"canadian over", api.Clock{Kind: "canadian", Main: 10, Period: 30, Periods: 3}, []time.Duration{15 * s, 26 * s}, true, left{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			set, err := TimeSettings(tc.set)
			require.NoError(t, err)
			c := clock.New(set, clock.Strict)
			for i, d := range tc.spend {
				last := i == len(tc.spend)-1
				if tc.set.Kind != "" {
					require.Equal(t, d >= c.Total(), last && tc.falls, "what Total says, move %d", i)
				}
				require.Equal(t, !(last && tc.falls), c.Run(d), "move %d", i)
				c.Moved()
			}
			if !tc.falls {
				require.Equal(t, tc.want, left{c.Left.Main, c.Left.Period, c.Left.Count, c.Left.Overtime})
				require.Equal(t, c.Left, leftOf(clockState(c, 0, false)))
			}
		})
	}
}

// TestSums holds a sum to every line, and takes lines of old journals without one.
func TestSums(t *testing.T) {
	line, err := sealed(Step{Rev: 7, K: "move", M: "C3"})
	require.NoError(t, err)
	var e Step
	require.NoError(t, unsealed(line[:len(line)-1], &e))
	require.Equal(t, "C3", e.M)
	require.True(t, json.Valid(line))
	require.Error(t, unsealed([]byte(strings.Replace(string(line[:len(line)-1]), "C3", "C4", 1)), &e))
	require.NoError(t, unsealed([]byte(`{"rev":7,"k":"move","m":"C4"}`), &e))
}
