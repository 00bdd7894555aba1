package sgf_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/sgf"
)

// FuzzRead: every input gives an error, or trees that writing and reading leave unchanged. Every
// tree gives an error, or a record that writing and reading leave unchanged and that can be
// replayed.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../testdata/sgf/*.sgf")
	require.NoError(f, err)
	for _, name := range files {
		text := []byte(testshared.Read(f, name))
		f.Add(text)
	}
	for _, text := range []string{
		"(;CA[GBK]C[\x81", "(;C[\\]])", "(;SZ[25]AB[aa:yy]AE[bb:xx];B[tt])", "(;B[aa]W[bb]AB[cc])",
		"(;RU[koSIMPLEscoreAREA])", "(;KM[375]HA[9]PL[w];;AE[aa])", "\xFF\xFE(\x00;\x00)\x00",
		"(;C[\x83\x5c];B[ee];W[cc])", "(;PB[\x1b$B%=%>\x1b(B]KM[6 1/2]", "(;SZ[9];B[aa;W[b\n(;SZ[9]HA[3];W[cc])", "(B[aa]C;W[resign])",
		"(;PB[\xb3\x5c\x5c\xa5\x5c\x5c])", "(;C[see ;B[dd] x];W[ee])",
	} {
		f.Add([]byte(text))
	}
	for seed := range uint64(len(scripts)) {
		text, _, _ := generatedRecord(f, seed)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		roots, err := sgf.Options{MaxElements: 1 << 16}.Parse(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		requireRoundTrip(t, roots)
		for _, root := range roots {
			fuzzRecord(t, root)
		}
	})
}

func fuzzRecord(t *testing.T, root *sgf.Node) {
	for _, note := range root.Notes() {
		require.NotContains(t, note, "\n")
	}
	r, err := sgf.RecordOf(root)
	if err != nil {
		return
	}
	again, err := sgf.RecordOf(r.Tree())
	require.NoError(t, err)
	require.Equal(t, r.Steps, again.Steps)
	require.Equal(t, r.Setup, again.Setup)
	require.Equal(t, r.HasKomi, again.HasKomi)
	require.Equal(t, r.Komi, again.Komi)
	require.Equal(t, r.Handicap, again.Handicap)
	rules, notes := r.RulesOr(board.Chinese())
	require.NoError(t, rules.Check())
	require.Zero(t, math.Mod(float64(rules.Komi), 0.5), "half points")
	require.LessOrEqual(t, len(notes), 2)
	if n, _, err := r.Playable(board.TrompTaylor()); err == nil {
		g, err := r.Game(board.TrompTaylor(), n)
		require.NoError(t, err)
		require.Equal(t, r.Size, g.Size())
	}
	r.AddPlaced(root)
	sgf.SplitMoves(root)
	split, err := sgf.RecordOf(root)
	require.NoError(t, err)
	require.Equal(t, r.Moves(), split.Moves())
}

// FuzzRoot: komi, handicap and rules in any form give an error, or a record that is unchanged by
// writing and reading and can be replayed.
func FuzzRoot(f *testing.F) {
	f.Add("6½", "2", "日本ルール")
	f.Add("1e3", "-1", "Chinese (OGS)")
	f.Add("375", "9", "koSIMPLEscoreAREA")
	f.Add("3 3/4子", "２", "Tromp/Taylor")
	f.Fuzz(func(t *testing.T, komi, handicap, rules string) {
		root := &sgf.Node{}
		root.SetText("KM", komi)
		root.SetText("HA", handicap)
		root.SetText("RU", rules)
		fuzzRecord(t, root)
	})
}

// bigGame returns a file of about size bytes: one long game with branches.
func bigGame(size int) []byte {
	var out bytes.Buffer
	out.WriteString("(;FF[4]GM[1]SZ[19]KM[7.5]")
	open := 1
	for i := 0; out.Len() < size; i++ {
		fmt.Fprintf(&out, ";%c[%c%c]", "BW"[i%2], 'a'+i%19, 'a'+i/19%19)
		if i%50 == 0 {
			fmt.Fprintf(&out, "C[move %d \\[with a comment\\]]", i)
		}
		if i%200 == 0 {
			out.WriteString("(;B[aa];W[bb])(;B[cc]")
			open++
		}
	}
	out.WriteString(strings.Repeat(")", open))
	return out.Bytes()
}

func TestLargeFile(t *testing.T) {
	text := bigGame(10 << 20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	roots, err := sgf.Parse(text)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	t.Logf("10 MiB read, %d MiB allocated", (after.TotalAlloc-before.TotalAlloc)>>20)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
	require.Len(t, roots, 1)
}

// TestHostileFiles reads files of a few megabytes made to be slow or large: quadratic work would
// take hours.
func TestHostileFiles(t *testing.T) {
	testshared.Long(t)
	tests := map[string]string{
		"bare nodes":            "(" + strings.Repeat(";", 4<<20) + ")",
		"empty values":          "(;C" + strings.Repeat("[]", 2<<20) + ")",
		"distinct properties":   "(;" + strings.Repeat("A[]B[]C[]D[]", 1<<18) + ")",
		"whole boards":          "(;SZ[25]AB" + strings.Repeat("[aa:yy]", 1<<19) + ")",
		"tiny trees":            strings.Repeat("(;)", 1<<20),
		"open trees":            strings.Repeat("(;C[\x81", 1<<20),
		"open values in trees":  strings.Repeat("(;C[\x81]", 1<<20),
		"parentheses":           strings.Repeat("(", 4<<20),
		"spaced parentheses":    strings.Repeat("(  ", 1<<20),
		"a long name":           "(;" + strings.Repeat("A", 4<<20) + "[])",
		"a value without end":   "(;C[" + strings.Repeat("\\]", 2<<20),
		"misaligned characters": strings.Repeat("(;C[\x81]\\]\x81])", 1<<18),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			roots, err := sgf.Parse([]byte(text))
			for _, root := range roots[:min(len(roots), 10)] {
				_, _ = sgf.RecordOf(root)
			}
			if err != nil {
				require.Less(t, len(err.Error()), 300)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	text := bigGame(1 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sgf.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
