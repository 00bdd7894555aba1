package rows

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/sbinet/npyio/npz"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// goldenSet is rows written by KataGo, with statistics from another program.
type goldenSet struct {
	*Set
	path                    string
	listed                  int // a row that the golden data's README lists
	final, sides, noResults int
	nines                   []int // numbers of rows on 9x9
	modes                   [8]int
}

// rowsOf returns the rows of a file.
func rowsOf(t *testing.T, path string) *Set {
	t.Helper()
	f, err := OpenFile(path)
	require.NoError(t, err)
	defer f.Close()
	s, err := f.Read(0, f.N)
	require.NoError(t, err)
	return s
}

// golden runs a check on a sample of 17 rows, and on 1024 if the reference data is present.
func golden(t *testing.T, check func(t *testing.T, s *goldenSet)) {
	t.Run("sample", func(t *testing.T) {
		path := filepath.Join("..", "..", "testdata", "golden", "training", "rows.npz")
		s := rowsOf(t, path)
		require.Equal(t, 17, s.N)
		check(t, &goldenSet{Set: s, path: path, listed: 1,
			final: 11, sides: 4, noResults: 2, nines: []int{1, 3}, modes: [8]int{7, 1, 1, 2, 2, 1, 1, 2}})
	})
	t.Run("all", func(t *testing.T) {
		path, ok := testshared.Beyond(t, "golden/training/benchmark_data_1024.npz")
		if !ok {
			return
		}
		s := rowsOf(t, path)
		require.Equal(t, 1024, s.N)
		check(t, &goldenSet{Set: s, path: path, listed: 193,
			final: 885, sides: 137, noResults: 2, nines: []int{193, 426, 500, 689, 725, 743, 775, 900, 905}, modes: [8]int{622, 23, 45, 29, 253, 19, 6, 27}})
	})
}

// TestFilesReadByNpyio: npyio, another reader of the format, reads the same arrays as this package, from
// KataGo's file and from one that this package wrote.
func TestFilesReadByNpyio(t *testing.T) {
	compare := func(t *testing.T, path string, ours *Set) {
		z, err := npz.Open(path)
		require.NoError(t, err)
		defer z.Close()
		require.Equal(t, ours.Binary, arrayOf[uint8](t, z, nameBinary))
		require.Equal(t, ours.Global, arrayOf[float32](t, z, nameGlobal))
		require.Equal(t, ours.Policy, arrayOf[int16](t, z, "policyTargetsNCMove"))
		require.Equal(t, ours.Scores, arrayOf[int8](t, z, "scoreDistrN"))
		require.Equal(t, ours.Points, arrayOf[int8](t, z, namePoints))
		targets := arrayOf[float32](t, z, nameTargets)
		width := len(targets) / ours.N // older files have 64 columns
		for i := range ours.N {
			require.Equal(t, targets[i*width:(i+1)*width], ours.targets(i)[:width])
			require.Zero(t, sum(ours.targets(i)[width:]))
		}
	}
	golden(t, func(t *testing.T, s *goldenSet) {
		require.Equal(t, Layout{features.V7, 19}, s.Layout)
		compare(t, s.path, s.Set)
		path := filepath.Join(t.TempDir(), "rows.npz")
		require.NoError(t, s.WriteFile(path))
		compare(t, path, s.Set)
	})
}

func arrayOf[T any](t *testing.T, z *npz.Reader, name string) (list []T) {
	if z.Header(name) == nil {
		name += ".npy" // as KataGo's files have it
	}
	require.NoError(t, z.Read(name, &list))
	return list
}

func sum[T uint8 | int8 | int16 | float32](a []T) float64 {
	s := 0.0
	for _, v := range a {
		s += float64(v)
	}
	return s
}

// TestGoldenFacts checks relations between the columns of every row.
func TestGoldenFacts(t *testing.T) {
	golden(t, func(t *testing.T, s *goldenSet) {
		final, sides, noResult, nines := 0, 0, 0, []int{}
		modes := [8]int{}
		for i := range s.N {
			require.NoError(t, s.Check(i))
			g := s.targets(i)
			require.InDelta(t, 20*s.global(i)[5], g[TargetSelfKomi], 4e-6)
			scores, mean := s.scores(i), 0.0
			for k, v := range scores {
				mean += float64(v) / 100 * (float64(k-len(scores)/2) + 0.5)
			}
			if g[TargetFinalWeight] == 1 {
				final++
				require.InDelta(t, g[TargetFinalScore], sum(rowOf(s.points(i), 4, 361))/120+float64(g[TargetSelfKomi]+g[TargetBonus]), 0.11)
				require.InDelta(t, g[TargetFinalScore], mean, 0.005)
				require.Equal(t, g[TargetScore], g[TargetFinalScore])
			} else {
				require.Equal(t, int8(50), scores[420])
				require.Equal(t, int8(50), scores[421])
				if g[TargetPlainEnd] == 0 {
					sides++
					require.Equal(t, g[TargetRoot:TargetRoot+4], g[TargetWin:TargetWin+4])
				}
				if g[TargetNoResult] == 1 {
					noResult++
				}
			}
			require.Equal(t, g[TargetFinalWeight], g[TargetScoringWeight])
			for _, at := range []int{TargetWin, TargetLong, TargetMiddle, TargetShort, TargetRoot} {
				require.InDelta(t, 1, g[at]+g[at+1]+g[at+2], 2e-6)
			}
			require.InDelta(t, g[TargetTargetEntropy], entropy(s.policy(i)[:362]), 0.0024)
			size := s.Size(i)
			if size == board.Square(9) {
				nines = append(nines, i)
			}
			modes[int(g[TargetMode])]++
		}
		require.Equal(t, s.final, final)
		require.Equal(t, s.sides, sides)
		require.Equal(t, s.noResults, noResult)
		require.Equal(t, s.nines, nines)
		require.Equal(t, s.modes, modes)
		g := s.targets(s.listed)
		require.Equal(t, []float32{0, 1, 0, -2.5}, g[:4])
		require.Equal(t, []float32{3.5, 18, 4, 1800, -1}, []float32{g[TargetSelfKomi], g[TargetTurn], g[TargetMode], g[TargetVisits], g[TargetBonus]})
	})
}

func entropy(weights []int16) float64 {
	total, h := sum(weights), 0.0
	for _, w := range weights {
		if w > 0 {
			p := float64(w) / total
			h -= p * math.Log(p)
		}
	}
	return h
}

// TestGoldenScoreCells recomputes every score distribution from its score.
func TestGoldenScoreCells(t *testing.T) {
	golden(t, func(t *testing.T, s *goldenSet) {
		cells := make([]int8, s.Layout.ScoreCells())
		for i := range s.N {
			g := s.targets(i)
			scoreCells(cells, float64(g[TargetFinalScore]), g[TargetFinalWeight] == 1)
			require.Equal(t, s.scores(i), cells, "row %d, score %v", i, g[TargetFinalScore])
		}
	})
}

// TestWriteAndReadBack: the golden rows survive writing and reading.
func TestWriteAndReadBack(t *testing.T) {
	golden(t, func(t *testing.T, s *goldenSet) {
		s.Info = Info{Network: "test", Seed: 7, Games: 3}
		var buf bytes.Buffer
		require.NoError(t, s.Write(&buf))
		f, err := newFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		require.NoError(t, err)
		require.Equal(t, "test", f.Info.Network)
		back, err := f.Read(0, f.N)
		require.NoError(t, err)
		s.Info.Encoding = "v7"
		require.Equal(t, s.Set, back)
		part, err := f.Read(s.N-10, 7)
		require.NoError(t, err)
		require.Equal(t, s.policy(s.N-7), part.policy(3))
		require.Equal(t, s.targets(s.N-4), part.targets(6))
	})
}
