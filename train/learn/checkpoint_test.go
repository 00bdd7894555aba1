package learn

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/autodiff"
	"kosumi/train/learn/learntest"
)

func FuzzReadTensors(f *testing.F) {
	var file bytes.Buffer
	require.NoError(f, writeTensors(&file, []namedTensor{{"a", []int64{2, 2}, []float32{1, 2, 3, 4}}, {"b", []int64{1}, []float32{5}}}))
	f.Add(file.Bytes())
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := readTensors(data)
		if err != nil {
			require.ErrorIs(t, err, ErrCheckpoint)
			return
		}
		size := 0
		for _, v := range all {
			size += 4 * len(v.data)
		}
		require.LessOrEqual(t, size, len(data))
	})
}

// saved makes a folder with two checkpoints, at steps 1 and 2.
func saved(t *testing.T) (dir string, c Config) {
	c = Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 2, Method: autodiff.Adam, Rate: 1e-3, Threads: 1}
	l := open(t, c)
	dir = filepath.Join(t.TempDir(), "checkpoints")
	for i := range 2 {
		stepped(t, l, randomBatch(l, board.Square(5), 2, uint64(i)))
		_, err := l.Save(dir, Extra{"n": {byte(i)}})
		require.NoError(t, err)
	}
	return dir, c
}

// TestDamagedCheckpoints: if the newest checkpoint is damaged in any way, it is skipped with a
// message and the one before is used.
func TestDamagedCheckpoints(t *testing.T) {
	dir, c := saved(t)
	list, err := Checkpoints(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	l := open(t, c)
	rng := rand.New(rand.NewPCG(1, 2))
	mutations := 100
	if *long {
		mutations = 500
	}
	for i := range mutations {
		path := filepath.Join(list[0], []string{stateFile, tensorsFile}[i%2])
		whole := []byte(testshared.Read(t, path))
		bad := mutate(rng, whole)
		if bytes.Equal(bad, whole) {
			continue
		}
		require.NoError(t, os.WriteFile(path, bad, 0o644))
		extra, err := l.load(list[0])
		if err == nil { // only white space changed, so nothing is lost
			require.Equal(t, stateFile, filepath.Base(path))
			require.Equal(t, Extra{"n": {1}}, extra)
			require.EqualValues(t, 2, l.count.Steps)
			l.count = Counters{}
			require.NoError(t, os.WriteFile(path, whole, 0o644))
			continue
		}
		require.ErrorIs(t, err, ErrCheckpoint)
		require.ErrorContains(t, err, list[0])
		require.Zero(t, l.count.Steps, "a learner that fails to load stays as it was")
		require.NoError(t, os.WriteFile(path, whole, 0o644))
	}
	for _, name := range []string{stateFile, tensorsFile} {
		path := filepath.Join(list[0], name)
		whole := []byte(testshared.Read(t, path))
		require.NoError(t, os.Remove(path))
		var log bytes.Buffer
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		again, extra, err := Resume(dir, c)
		require.NoError(t, err)
		require.EqualValues(t, 1, again.Counters().Steps)
		require.Equal(t, Extra{"n": {0}}, extra)
		require.Contains(t, log.String(), "checkpoint passed over")
		again.Close()
		require.NoError(t, os.WriteFile(path, whole, 0o644))
	}
	for _, path := range list {
		require.NoError(t, os.Truncate(filepath.Join(path, tensorsFile), 100))
	}
	_, _, err = Resume(dir, c)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.EqualError(t, err, "unusable checkpoint: all 2 in "+dir+" are damaged: copy one there from a backup, or delete that folder to train again from the start")
}

// mutate damages a file: cut, flip, overwrite, insert.
func mutate(rng *rand.Rand, data []byte) []byte {
	bad := bytes.Clone(data)
	at := rng.IntN(len(bad))
	switch rng.IntN(4) {
	case 0:
		return bad[:at]
	case 1:
		bad[at] ^= 1 << rng.IntN(8)
	case 2:
		for i := at; i < min(at+1+rng.IntN(64), len(bad)); i++ {
			bad[i] = byte(rng.Uint32())
		}
	case 3:
		return append(bad[:at:at], append([]byte{byte(rng.Uint32())}, bad[at:]...)...)
	}
	return bad
}

func TestOldCheckpointsGo(t *testing.T) {
	c := Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 2, Rate: 1e-3, Threads: 1}
	l := open(t, c)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, temporary+"left"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o644))
	var last string
	for range KeepCheckpoints + 2 {
		var err error
		last, err = l.Save(dir, nil) // saves the same step again
		require.NoError(t, err)
	}
	list, err := Checkpoints(dir)
	require.NoError(t, err)
	require.Len(t, list, KeepCheckpoints)
	require.Equal(t, last, list[0])
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, KeepCheckpoints+1, "what an interrupted save left is gone, what others put there stays")
}

// TestOtherRuns: a checkpoint of another network or of other settings is refused, and the error names
// what differs.
func TestOtherRuns(t *testing.T) {
	dir, c := saved(t)
	settings := c
	settings.Batch, settings.HeadRate = 16, 0.5
	_, _, err := Resume(dir, settings)
	var other *SettingsError
	require.ErrorAs(t, err, &other)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.Equal(t, []Change{{Name: "batch", Was: "2", Is: "16"}, {Name: "head_rate", Was: "1", Is: "0.5"}}, other.Changed)
	c.Model = learntest.FreshKataGo(t, "kb1c32")
	_, _, err = Resume(dir, c)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.ErrorContains(t, err, "it was trained from")
}
