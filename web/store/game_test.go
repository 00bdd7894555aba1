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

// TestClockStates: for each kind of clock, the journal restores the time that was left.
func TestClockStates(t *testing.T) {
	for _, set := range []api.Clock{{}, {Kind: "absolute", Main: 60}, {Kind: "fischer", Main: 60, Bonus: 5}, {Kind: "byoyomi", Main: 60, Period: 10, Periods: 3}, {Kind: "canadian", Main: 10, Period: 30, Periods: 3}} {
		settings, err := TimeSettings(set)
		require.NoError(t, err)
		c := clock.New(settings, clock.Strict)
		for _, d := range []time.Duration{5 * time.Second, 20 * time.Second, 30 * time.Second} {
			c.Run(d)
			c.Moved()
			require.Equal(t, c.Left, leftOf(clockState(c, 0, false)), set.Kind)
		}
	}
}

// TestSums: a line with a wrong checksum is refused; lines of old journals, which have none, are read.
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
