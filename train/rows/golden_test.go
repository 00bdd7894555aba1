package rows

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

func golden(t testing.TB) *Set {
	t.Helper()
	s, err := ReadFile(testshared.Path(t, "golden/training/benchmark_data_1024.npz"))
	require.NoError(t, err)
	return s
}

// TestGoldenSums holds the reader against the sums that the golden data's README
// lists, array by array.
func TestGoldenSums(t *testing.T) {
	s := golden(t)
	require.Equal(t, 1024, s.N)
	require.Equal(t, Layout{features.V7, 19}, s.Layout)
	for _, c := range []struct {
		name                     string
		row                      func(i int) float64
		r0, r1, r511, r1023, all float64
		tolerance                float64
	}{
		{"binary", func(i int) float64 { return sum(s.binary(i)) }, 20050, 13747, 11388, 20308, 19672454, 0},
		{"global", func(i int) float64 { return sum(s.global(i)) }, 0.575, 3.779572, 1.275, 3.883264, 2914.171314, 1e-5},
		{"policy", func(i int) float64 { return sum(s.policy(i)) }, 3372, 3289, 3171, 2638, 2822418, 0},
		{"targets", func(i int) float64 { return sum(s.targets(i)) }, 7169878.948917, 8493928.332126, 9096191.042998, 6670314.363439, 9581657938.344616, 1e-4},
		{"scores", func(i int) float64 { return sum(s.scores(i)) }, 100, 100, 100, 100, 102400, 0},
		{"points", func(i int) float64 { return sum(s.points(i)) }, 1327, -1333, -488, -602, -36285, 0},
		{"q", func(i int) float64 { return sum(s.qValues(i)) }, -438203, -950872, -543474, -1084185, -587329229, 0},
	} {
		all := 0.0
		for i := range s.N {
			all += c.row(i)
		}
		for k, want := range map[int]float64{0: c.r0, 1: c.r1, 511: c.r511, 1023: c.r1023} {
			require.InDelta(t, want, c.row(k), c.tolerance, "%s, row %d", c.name, k)
		}
		require.InDelta(t, c.all, all, c.tolerance, c.name)
	}
	planes := []int{333734, 65596, 66268, 4469, 19120, 24774, 54, 8, 0, 1013, 1014, 1008, 1009, 1007, 6470, 6399, 6379,
		1830, 35170, 35591, 1720, 1741}
	for c, want := range planes {
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
}

func sum[T uint8 | int8 | int16 | float32](a []T) float64 {
	s := 0.0
	for _, v := range a {
		s += float64(v)
	}
	return s
}

// TestGoldenFacts checks the identities between the columns of every row.
func TestGoldenFacts(t *testing.T) {
	s := golden(t)
	final, sides, noResult, nines := 0, 0, 0, []int{}
	modes := [8]int{}
	for i := range s.N {
		require.NoError(t, s.Check(i))
		g := s.targets(i)
		require.InDelta(t, 20*s.global(i)[5], g[tSelfKomi], 4e-6)
		scores, mean := s.scores(i), 0.0
		for k, v := range scores {
			mean += float64(v) / 100 * (float64(k-len(scores)/2) + 0.5)
		}
		if g[tFinalWeight] == 1 {
			final++
			require.InDelta(t, g[tFinalScore], sum(rowOf(s.points(i), 4, 361))/120+float64(g[tSelfKomi]+g[tBonus]), 0.11)
			require.InDelta(t, g[tFinalScore], mean, 0.005)
			require.Equal(t, g[tScore], g[tFinalScore])
		} else {
			require.Equal(t, int8(50), scores[420])
			require.Equal(t, int8(50), scores[421])
			if g[tPlainEnd] == 0 {
				sides++
				require.Equal(t, g[tRoot:tRoot+4], g[tWin:tWin+4])
			}
			if g[tNoResult] == 1 {
				noResult++
			}
		}
		require.Equal(t, g[tFinalWeight], g[tScoringWeight])
		for _, at := range []int{tWin, tLong, tMiddle, tShort, tRoot} {
			require.InDelta(t, 1, g[at]+g[at+1]+g[at+2], 2e-6)
		}
		require.InDelta(t, g[tTargetEntropy], entropy(s.policy(i)[:362]), 0.0024)
		size := s.Size(i)
		if size == board.Square(9) {
			nines = append(nines, i)
		}
		modes[int(g[tMode])]++
	}
	require.Equal(t, 885, final)
	require.Equal(t, 137, sides)
	require.Equal(t, 2, noResult)
	require.Equal(t, []int{193, 426, 500, 689, 725, 743, 775, 900, 905}, nines)
	require.Equal(t, [8]int{622, 23, 45, 29, 253, 19, 6, 27}, modes)
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

// TestGoldenTwoRows checks the rows that the README spells out.
func TestGoldenTwoRows(t *testing.T) {
	s := golden(t)
	require.Equal(t, []uint8{0, 0, 0, 128, 8, 128, 29, 17}, rowOf(s.binary(0), 1, 46)[:8])
	require.Equal(t, []uint8{11, 0, 4, 128, 0, 16, 0, 35}, rowOf(s.binary(193), 1, 46)[:8])
	for i, last := range map[int][]int{0: {77, 59, 23, 24, 58}, 193: {65, 4, 102, 101, 5}} {
		for k, p := range last {
			require.True(t, bit(rowOf(s.binary(i), 9+k, 46), p), "row %d plane %d", i, 9+k)
		}
	}
	require.Equal(t, int16(1376), s.policy(0)[25])
	require.Equal(t, int16(720), s.policy(193)[120])
	require.Equal(t, int8(100), s.scores(0)[423])
	require.Equal(t, int8(100), s.scores(193)[418])
	g := s.targets(193)
	require.Equal(t, []float32{0, 1, 0, -2.5}, g[:4])
	require.Equal(t, []float32{3.5, 18, 4, 1800, -1}, []float32{g[tSelfKomi], g[tTurn], g[tMode], g[tVisits], g[tBonus]})
	require.Equal(t, int16(-20331), s.qValues(193)[120])
}

// TestGoldenScoreCells rebuilds every score distribution from its score.
func TestGoldenScoreCells(t *testing.T) {
	s := golden(t)
	cells := make([]int8, s.Layout.ScoreCells())
	for i := range s.N {
		g := s.targets(i)
		scoreCells(cells, float64(g[tFinalScore]), g[tFinalWeight] == 1)
		require.Equal(t, s.scores(i), cells, "row %d, score %v", i, g[tFinalScore])
	}
}

// TestWriteAndReadBack writes the golden rows and reads them again.
func TestWriteAndReadBack(t *testing.T) {
	s := golden(t)
	s.Info = Info{Network: "test", Seed: 7, Games: 3}
	var buf bytes.Buffer
	require.NoError(t, s.Write(&buf))
	f, err := newFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	require.Equal(t, "test", f.Info.Network)
	back, err := f.Read(0, f.N, true)
	require.NoError(t, err)
	s.Info.Encoding = "v7"
	require.Equal(t, s, back)
	part, err := f.Read(100, 7, false)
	require.NoError(t, err)
	require.Equal(t, s.policy(103), part.policy(3))
	require.Equal(t, s.targets(106), part.targets(6))
}
