package rows

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// goldenSet is rows written by KataGo, with statistics from another program.
type goldenSet struct {
	*Set
	two                     [2]int // numbers of the rows that the golden data's README lists
	columns                 map[string]columnSums
	planes                  []int // number of points set in each input plane
	final, sides, noResults int
	nines                   []int // numbers of rows on 9x9
	modes                   [8]int
}

// columnSums are the sums of an array: of some single rows, and of all rows.
type columnSums struct {
	rows           map[int]float64
	all, tolerance float64
}

// golden runs a check on a sample of 17 rows, and on 1024 if the reference data is present.
func golden(t *testing.T, check func(t *testing.T, s *goldenSet)) {
	t.Run("sample", func(t *testing.T) {
		s, err := ReadFile(filepath.Join("..", "..", "testdata", "golden", "training", "rows.npz"))
		require.NoError(t, err)
		require.Equal(t, 17, s.N)
		check(t, &goldenSet{Set: s, two: [2]int{0, 1}, columns: map[string]columnSums{
			"binary":  {map[int]float64{0: 20050, 1: 4105, 2: 13747, 16: 8812}, 299602, 0},
			"global":  {map[int]float64{0: 0.575, 1: 2.675, 2: 3.779572, 16: 4.557219}, 50.337877, 1e-5},
			"policy":  {map[int]float64{0: 3372, 1: 3393, 2: 3289, 16: 2295}, 52646, 0},
			"targets": {map[int]float64{0: 7169878.948917, 1: 9669080.787578, 2: 8493928.332126, 16: 12401767.139436}, 166602418.865392, 1e-4},
			"scores":  {map[int]float64{0: 100, 1: 100, 2: 100, 16: 100}, 1700, 0},
			"points":  {map[int]float64{0: 1327, 1: -614, 2: -1333, 16: -1816}, -6917, 0},
		}, planes: []int{5088, 1057, 1052, 52, 313, 402, 0, 0, 0, 17, 17, 17, 17, 17, 93, 100, 97, 32, 431, 430, 37, 37},
			final: 11, sides: 4, noResults: 2, nines: []int{1, 3}, modes: [8]int{7, 1, 1, 2, 2, 1, 1, 2}})
	})
	t.Run("all", func(t *testing.T) {
		path, ok := testshared.Beyond(t, "golden/training/benchmark_data_1024.npz")
		if !ok {
			return
		}
		s, err := ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, 1024, s.N)
		check(t, &goldenSet{Set: s, two: [2]int{0, 193}, columns: map[string]columnSums{
			"binary":  {map[int]float64{0: 20050, 1: 13747, 511: 11388, 1023: 20308}, 19672454, 0},
			"global":  {map[int]float64{0: 0.575, 1: 3.779572, 511: 1.275, 1023: 3.883264}, 2914.171314, 1e-5},
			"policy":  {map[int]float64{0: 3372, 1: 3289, 511: 3171, 1023: 2638}, 2822418, 0},
			"targets": {map[int]float64{0: 7169878.948917, 1: 8493928.332126, 511: 9096191.042998, 1023: 6670314.363439}, 9581657938.344616, 1e-4},
			"scores":  {map[int]float64{0: 100, 1: 100, 511: 100, 1023: 100}, 102400, 0},
			"points":  {map[int]float64{0: 1327, 1: -1333, 511: -488, 1023: -602}, -36285, 0},
		}, planes: []int{333734, 65596, 66268, 4469, 19120, 24774, 54, 8, 0, 1013, 1014, 1008, 1009, 1007, 6470, 6399, 6379,
			1830, 35170, 35591, 1720, 1741},
			final: 885, sides: 137, noResults: 2, nines: []int{193, 426, 500, 689, 725, 743, 775, 900, 905}, modes: [8]int{622, 23, 45, 29, 253, 19, 6, 27}})
	})
}

// TestGoldenSums compares the reader with another program's, array by array.
func TestGoldenSums(t *testing.T) {
	golden(t, func(t *testing.T, s *goldenSet) {
		require.Equal(t, Layout{features.V7, 19}, s.Layout)
		for name, row := range map[string]func(i int) float64{
			"binary":  func(i int) float64 { return sum(s.binary(i)) },
			"global":  func(i int) float64 { return sum(s.global(i)) },
			"policy":  func(i int) float64 { return sum(s.policy(i)) },
			"targets": func(i int) float64 { return sum(s.targets(i)) },
			"scores":  func(i int) float64 { return sum(s.scores(i)) },
			"points":  func(i int) float64 { return sum(s.points(i)) },
		} {
			want, all := s.columns[name], 0.0
			for i := range s.N {
				all += row(i)
			}
			for k, one := range want.rows {
				require.InDelta(t, one, row(k), want.tolerance, "%s, row %d", name, k)
			}
			require.InDelta(t, want.all, all, want.tolerance, name)
		}
		for c, want := range s.planes {
			bits := 0
			for i := range s.N {
				for p := range 361 {
					if bit(rowOf(s.binary(i), c, 46), p) {
						bits++
					}
				}
			}
			require.Equal(t, want, bits, "plane %d", c)
		}
	})
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

// TestGoldenTwoRows checks the rows that the README lists.
func TestGoldenTwoRows(t *testing.T) {
	golden(t, func(t *testing.T, s *goldenSet) {
		a, b := s.two[0], s.two[1]
		require.Equal(t, []uint8{0, 0, 0, 128, 8, 128, 29, 17}, rowOf(s.binary(a), 1, 46)[:8])
		require.Equal(t, []uint8{11, 0, 4, 128, 0, 16, 0, 35}, rowOf(s.binary(b), 1, 46)[:8])
		for i, last := range map[int][]int{a: {77, 59, 23, 24, 58}, b: {65, 4, 102, 101, 5}} {
			for k, p := range last {
				require.True(t, bit(rowOf(s.binary(i), 9+k, 46), p), "row %d plane %d", i, 9+k)
			}
		}
		require.Equal(t, int16(1376), s.policy(a)[25])
		require.Equal(t, int16(720), s.policy(b)[120])
		require.Equal(t, int8(100), s.scores(a)[423])
		require.Equal(t, int8(100), s.scores(b)[418])
		g := s.targets(b)
		require.Equal(t, []float32{0, 1, 0, -2.5}, g[:4])
		require.Equal(t, []float32{3.5, 18, 4, 1800, -1}, []float32{g[TargetSelfKomi], g[TargetTurn], g[TargetMode], g[TargetVisits], g[TargetBonus]})
	})
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
