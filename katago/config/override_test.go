package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
)

func TestApply(t *testing.T) {
	o, err := NewOverrides(New(map[string]string{"numSearchThreads": "3", "cpuctExploration": "0.9"}), false)
	require.NoError(t, err)
	p, l := search.Defaults(), search.Limits{Visits: 9}
	before := p
	view, unknown, idle, err := o.Apply(&p, &l, map[string]string{"maxTime": "2.5", "rootPolicyTemperature": "2", "reportAnalysisWinratesAs": "white",
		"noSuch": "1", "midgameTimeFactor": "0.1"}, board.Black, false)
	require.NoError(t, err)
	require.Equal(t, board.White, view)
	require.Equal(t, []string{"noSuch"}, unknown)
	require.Empty(t, idle, "KataGo says nothing of clocks in an analysis")
	require.Equal(t, search.Limits{Visits: 9, Time: 2500 * time.Millisecond}, l)
	before.Root.PolicyTemperature, before.Root.PolicyTemperatureEarly = 2, 2
	require.Equal(t, before, p, "what the config says itself is in force already")

	view, _, idle, err = PlainOverrides(0).Apply(&p, &l, map[string]string{"midgameTimeFactor": "0.1"}, board.Black, false)
	require.NoError(t, err)
	require.Equal(t, board.Black, view)
	require.Equal(t, []string{"midgameTimeFactor"}, idle)
	_, _, _, err = o.Apply(&p, &l, map[string]string{"maxVisits": "0"}, board.Empty, false)
	require.ErrorContains(t, err, "'maxVisits' must be in the range")
}

func TestSeconds(t *testing.T) {
	require.Equal(t, time.Nanosecond, Seconds(0), "no time is a limit")
	require.Zero(t, Seconds(1e20), "and this is none")
	require.Equal(t, 1500*time.Millisecond, Seconds(1.5))
}
