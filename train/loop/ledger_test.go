package loop

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

func played(games, made int, network string) selfplay.FileInfo {
	return selfplay.FileInfo{Rows: made, Info: rows.Info{Games: games, Moves: 9 * games, Network: network}}
}

// TestLedgerHolds makes entries in random order: the ledger never contradicts itself, counts
// never shrink, and fractions of samples are carried over.
func TestLedgerHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 0))
	var l Ledger
	for range 10_000 {
		before := l
		switch rng.IntN(8) {
		case 0, 1:
			d := played(rng.IntN(9), rng.IntN(99), []string{randomPlayer, "net"}[rng.IntN(2)])
			l.enter(d, rng.IntN(2) == 0)
			require.EqualValues(t, d.Rows, l.Rows-before.Rows)
			require.GreaterOrEqual(t, l.GoalRows-l.Rows, before.GoalRows-before.Rows-int64(d.Rows))
		case 2:
			l.aim(rng.IntN(3), rng.IntN(300))
		case 3:
			l.oweRatio(rng.Float64())
			require.Equal(t, l.Rows, l.Credited)
		case 4:
			l.owe(rng.Int64N(100))
		case 5:
			l.trained(l.Target + rng.Int64N(32))
		case 6:
			l.succeed(rng.Int64N(1000))
			require.Equal(t, before.Before+before.Samples, l.Before+l.Samples)
		case 7:
			l.dropped(rng.Uint64N(1000))
			require.GreaterOrEqual(t, l.Closed, before.Closed)
		}
		var f faults
		l.check(&f)
		require.Empty(t, f, "after %+v", before)
		require.GreaterOrEqual(t, l.Games, before.Games)
	}

	var half Ledger
	for range 7 {
		half.enter(played(1, 1, "net"), true)
		half.oweRatio(0.5)
	}
	require.EqualValues(t, 3, half.Target)
	require.Equal(t, 0.5, half.Owed)
}

// TestStateFile: writing a state that was read gives the same keys and values in the same order.
func TestStateFile(t *testing.T) {
	const text = `{"version":1,"arch":"kb2c16","base":"kb2c16-s8-d4","seed":7,"start":"start-kb2c16","started":"2026-01-02T03:04:05Z",` +
		`"iteration":2,"stage":"train","games":100,"rows":400,"moves":4000,"random_games":60,"random_rows":200,"goal_games":0,"goal_rows":0,` +
		`"samples":800,"target":900,"owed":0.25,"samples_before":8,"most_rate":0.001,"credited":400,"closed":12,` +
		`"current":"kb2c16-s800-d400","candidate":"","seconds":{"selfplay":1,"train":2,"gate":3},"networks":[],"history":[]}`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(statePath(dir), []byte(text), 0o644))
	s, err := loadState(dir)
	require.NoError(t, err)
	require.EqualValues(t, 12, s.Closed)
	require.NoError(t, s.save(dir))
	again := []byte(testshared.Read(t, statePath(dir)))
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, again))
	require.Equal(t, text, compact.String())
}
