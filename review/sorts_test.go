package review_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/handout"
	"kosumi/review"
	"kosumi/sgf"
)

// someRecord returns a random record such as people have, valid or not.
func someRecord(rng *rand.Rand) []byte {
	one := func(words ...string) string { return words[rng.IntN(len(words))] }
	var b strings.Builder
	b.WriteString("(;" + one("FF[4]", "FF[3]", "") + one("GM[1]", "GM[1]", "GM[1]", "GM[1]", "GM[1]", "GM[1]", "", "", "GM[3]"))
	b.WriteString(one("SZ[5]", "SZ[7]", "SZ[9]", "SZ[9]", "SZ[5:7]", "SZ[7]", "SZ[9]", "SZ[5]", "SZ[6:4]", "SZ[13]", "SZ[13:9]", "SZ[19]", "SZ[25]", "SZ[1]", "SZ[99]", "SZ[x]", ""))
	b.WriteString(one("", "RU[Chinese]", "RU[Japanese]", "RU[AGA]", "RU[Mars]", "RU[]", "RU[NZ]"))
	b.WriteString(one("", "KM[7.5]", "KM[0]", "KM[375]", "KM[x]", "KM[-3.5]", "KM[1e300]", "KM[NaN]", "KM[6.75]"))
	b.WriteString(one("", "", "", "", "", "HA[2]AB[cc][dd]", "HA[2]AB[cc][dd]", "HA[9]", "HA[-1]", "AB[aa:cc]", "AB[aa]AW[aa]", "AB[zz]", "AW[bb]PL[W]", "AE[aa]"))
	b.WriteString(one("", "CA[UTF-8]PB[Jos\u00e9]", "CA[GB18030]PB[\xce\xe2\xc7\xe5\xd4\xb4]", "CA[Shift_JIS]PW[\x88\xe4\x8eR]", "CA[nowhere]PB[\xff]", "AP[foxwq]", "PB[]PW[x\\]y]"))
	b.WriteString(one("", "RE[B+3.5]", "RE[W+R]", "RE[?]", "RE[Void]"))
	last := 4 + rng.IntN(6)
	for i := range rng.IntN(12) {
		at := fmt.Sprintf("%c%c", 'a'+rng.IntN(last), 'a'+rng.IntN(last))
		if rng.IntN(12) == 0 {
			at = one("", "", "tt", "zz", "a", "C3")
		}
		color := string("BW"[(i+rng.IntN(8)/7)%2])
		b.WriteString(one("", " ", "\r\n") + ";" + color + "[" + at + "]" + one("", "", "", "", "C[so \\] so]", "", "", "", "", "", "", "BL[10]OB[x]", "AB[ee]", "BM[2]GB[1]", "("))
		if rng.IntN(9) == 0 {
			fmt.Fprintf(&b, "(;%s[cc])", color)
		}
	}
	b.WriteString(one(")", ")", ")", ")", ")", "", ")(;SZ[5];B[aa];W[bb])", "))", ")trailing"))
	text := b.String()
	switch rng.IntN(20) {
	case 0:
		return []byte(text[:rng.IntN(len(text)+1)])
	case 1:
		return []byte("\ufeff" + text)
	case 2:
		return []byte("From: a friend\n\n" + text)
	case 3: // UTF-16
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}
	return []byte(text)
}

// TestManyRecords: any record is either reviewed, with a report that can be written and read again,
// or refused with a one-line error.
func TestManyRecords(t *testing.T) {
	net, conf := review.Server(t), review.Defaults()
	conf.First, conf.Visits = 1, 1
	reviewed, refused := 0, 0
	for seed := range uint64(300) {
		text := someRecord(rand.New(rand.NewPCG(seed, 1)))
		refuse := func(err error) {
			require.NotContains(t, strings.TrimSpace(err.Error()), "\n", "%d: %q", seed, text)
			require.NotEmpty(t, err.Error())
			refused++
		}
		roots, err := sgf.Parse(text)
		if err != nil {
			refuse(err)
			continue
		}
		for _, root := range roots {
			g, err := review.Load(root, board.Chinese())
			if err != nil {
				require.ErrorIs(t, err, review.ErrGame)
				refuse(err)
				continue
			}
			result, err := review.Run(t.Context(), g, net, conf, nil, nil)
			require.NoError(t, err, "%d: %q", seed, text)
			require.True(t, result.Complete)
			require.Len(t, result.Moves, len(g.Moves))
			if handout.Built() == nil {
				require.NoError(t, review.WritePage(io.Discard, result))
			}
			out, err := sgf.Marshal(review.Annotated(g, result, "Kosumi:test"))
			require.NoError(t, err)
			again, err := sgf.Parse(out)
			require.NoError(t, err, "%d: %q", seed, out)
			same, err := review.Load(again[0], board.Chinese())
			require.NoError(t, err, "%d: %q", seed, out)
			require.Equal(t, g.Moves, same.Moves, "%d: %q", seed, out)
			reviewed++
		}
	}
	require.Greater(t, reviewed, 90)
	require.Greater(t, refused, 60)
	t.Logf("%d reviewed, %d refused", reviewed, refused)
}
