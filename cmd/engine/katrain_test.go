package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// reviewed is what testdata/katrain/drive.py reports.
type reviewed struct {
	Alive                        bool
	Positions, Ownership, Policy int
	Winrates                     []float64
	Losses                       map[string]int
	Complaints, Warnings         []string
	AIs                          map[string]struct{ Moves, Thoughts []string }
}

// kaTrainNetwork is the file of the network that comes with KaTrain, and its sha256.
const (
	kaTrainNetwork = "katrain/models/b10c384h6nbttflrs.bin.gz"
	kaTrainSum     = "0ba27eced5180b3e3d0b898b280c541112989765e789d1eb6cd0d31b2b2c1229"
)

// TestKaTrain lets KaTrain's core, with its own network, review a game and play with all of its
// AIs, including those that imitate people.
func TestKaTrain(t *testing.T) {
	testshared.Long(t)
	python, dir := realClient(t, "python3", "../../testdata/katrain", "packages/katrain")
	packages := filepath.Join(dir, "packages")
	network := filepath.Join(packages, kaTrainNetwork)
	require.Equal(t, kaTrainSum, fmt.Sprintf("%x", sha256.Sum256([]byte(testshared.Read(t, network)))))
	human := testshared.Path(t, "golden/human/models/synth-human-b3c32.bin.gz")
	record := filepath.Join(t.TempDir(), "game.sgf")
	require.NoError(t, os.WriteFile(record, []byte("(;GM[1]FF[4]SZ[19]KM[6.5]RU[Japanese];B[pd];W[dp];B[pq];W[dd];B[fc];W[cf])"), 0o644))

	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, filepath.Join(dir, "drive.py"), asKataGoProgram(t), network, human, record)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages, "VISITS=4")
	var stderr testshared.Log
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var r reviewed
	require.NoError(t, json.Unmarshal(out, &r), string(out))
	require.True(t, r.Alive)
	require.Empty(t, r.Complaints)
	require.Empty(t, r.Warnings)
	require.Equal(t, 7, r.Positions)
	require.Len(t, r.Winrates, 7)
	require.Equal(t, 361, r.Ownership)
	require.Equal(t, 362, r.Policy)
	require.Equal(t, map[string]int{"B": 3, "W": 3}, r.Losses)
	require.Len(t, r.AIs, 16)
	for name, ai := range r.AIs {
		require.Len(t, ai.Moves, 2, name)
		for k, m := range ai.Moves {
			require.Regexp(t, `^([A-HJ-T]1?[0-9]|pass)$`, m, name)
			require.NotEmpty(t, ai.Thoughts[k], name)
		}
	}
	for _, name := range []string{"ai:human", "ai:pro"} {
		require.Contains(t, r.AIs[name].Thoughts[0], "top move", "a move of the human policy, not the way out")
	}
}
