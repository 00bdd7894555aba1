package sgf_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"kosumi/sgf"
)

// TestNoMoveIsLostToAName: all moves are read, whichever charset a record names and even if it names none.
func TestNoMoveIsLostToAName(t *testing.T) {
	big5, gbk, sjis := "\xa9P\xab\x54\xc0\xb5", "\xd6\xdc\xbf\xa1\xd1\xab", "\x97\xd1\x8a\xc7\x95\xe5"
	for name, c := range map[string]struct{ text, moves, black string }{
		"UTF-8 and an old Big5":               {"(;CA[big5]SZ[9]PB[周俊勳];B[ee];W[cc])", "b E5 w C7 ", "周俊勳"},
		"UTF-8 and an old GB2312":             {"(;CA[GB2312]SZ[9]PB[周俊勳];B[ee];W[cc])", "b E5 w C7 ", "周俊勳"},
		"UTF-8 and an old EUC-KR":             {"(;CA[EUC-KR]SZ[9]PB[조훈현];B[ee];W[cc])", "b E5 w C7 ", "조훈현"},
		"UTF-8 and an old Shift-JIS":          {"(;CA[Shift_JIS]SZ[9]PB[趙治勲];B[ee];W[cc])", "b E5 w C7 ", "趙治勲"},
		"UTF-8 and an old ISO-2022-JP":        {"(;CA[ISO-2022-JP]SZ[9]PB[趙治勲];B[ee];W[cc])", "b E5 w C7 ", "趙治勲"},
		"Shift-JIS without CA":                {"(;SZ[9]C[\x83\x5c];B[ee];W[cc])", "b E5 w C7 ", ""},
		"Shift-JIS, a bracket for a byte":     {"(;SZ[9]PB[\x83\x5d\x98\x41];B[ee];W[cc])", "b E5 w C7 ", "ゾ連"},
		"GB18030 of four bytes":               {"(;SZ[9]PB[" + gbk + "\x90\x30\x81\x36\x81\x5d];B[ee];W[cc])", "b E5 w C7 ", "*"},
		"GBK without CA, backslashes":         {"(;SZ[9]PB[" + gbk + "\x81\x5c\x82\x5d];B[ee];W[cc])", "b E5 w C7 ", "*"},
		"Big5 without CA":                     {"(;SZ[9]PB[\xb3\x5c\xa5\x5c\xbb\x5c];B[ee];W[cc])", "b E5 w C7 ", "許功蓋"},
		"Big5 by a writer that escapes bytes": {"(;SZ[9]PB[\xb3\x5c\x5c\xa5\x5c\x5c\xbb\x5c\x5c];B[ee];W[cc])", "b E5 w C7 ", "許功蓋"},
		"the same with CA":                    {"(;CA[Big5]SZ[9]PB[\xb3\x5c\x5c\xa5\x5c\x5c\xbb\x5c\x5c];B[ee];W[cc])", "b E5 w C7 ", "許功蓋"},
		"one character of it":                 {"(;CA[Big5]SZ[9]PB[\xb3\x5c\x5c];B[ee];W[cc])", "b E5 w C7 ", "許"},
		"Shift-JIS by such a writer":          {"(;SZ[9]PB[\x83\x5c\x5c\x98\x41\x83\x5c\x5d];B[ee];W[cc])", "b E5 w C7 ", "ソ連ゾ"},
		"Latin-1 before the bracket":          {"(;SZ[9]PB[Ren\xe9];B[ee];W[cc])", "b E5 w C7 ", "René"},
		"Latin-1 and an old GBK":              {"(;CA[GBK]SZ[9]PB[Ren\xe9]C[No\xebl];B[ee];W[cc])", "b E5 w C7 ", "René"},
		"Windows-1251":                        {"(;SZ[9]PB[\xc8\xe2\xe0\xed\xee\xe2];B[ee];W[cc])", "b E5 w C7 ", "Иванов"},
		"KOI8-R":                              {"(;SZ[9]PB[\xe9\xd7\xc1\xce\xcf\xd7];B[ee];W[cc])", "b E5 w C7 ", "Иванов"},
		"EUC-JP":                              {"(;SZ[9]PB[\xc9\xf0\xb5\xdc\xc0\xb5\xbc\xf9];B[ee];W[cc])", "b E5 w C7 ", "武宮正樹"},
		"EUC-KR":                              {"(;SZ[9]PB[\xc0\xcc\xbc\xbc\xb5\xb9];B[ee];W[cc])", "b E5 w C7 ", "이세돌"},
		"CP949":                               {"(;SZ[9]PB[\xc0\xcc\x8cc\xb5\xb9];B[ee];W[cc])", "b E5 w C7 ", "*"},
		"ISO-2022-JP":                         {"(;SZ[9]PB[\x1b$B%=%>\x1b(B];B[ee];W[cc])", "b E5 w C7 ", "ソゾ"},
		"ISO-2022-JP, brackets for bytes":     {"(;SZ[9]PB[\x1b$BIp5\\@5<y=]\x1b(B];B[ee];W[cc])", "b E5 w C7 ", "武宮正樹楯"},
		"a left-over UTF-8":                   {"(;CA[UTF-8]SZ[9]PB[" + gbk + "];B[ee];W[cc])", "b E5 w C7 ", "周俊勋"},
		"Big5 and an old GBK":                 {"(;CA[GBK]SZ[9]PB[" + big5 + "\xb3\x5c];B[ee];W[cc])", "b E5 w C7 ", "*"},
		"GBK names, UTF-8 comments":           {"(;CA[GBK]SZ[9]PB[" + gbk + "];B[ee]C[黒先];W[cc])", "b E5 w C7 ", "周俊勋"},
		"UTF-8 names, GBK comments":           {"(;SZ[9]PB[周俊勳];B[ee]C[" + gbk + "\x81\x5c];W[cc])", "b E5 w C7 ", "周俊勳"},
		"Shift-JIS, old names":                {"(;SZ[9]PB[" + sjis + "]PW[\x94\x5c\x97\xcd\x83\x5c];B[ee];W[cc])", "b E5 w C7 ", "林管募"},
		"cut off inside a character":          {"(;SZ[9]PB[周俊勳];B[ee];W[cc]C[\xe5\x91", "b E5 w C7 ", "周俊勳"},
		"UTF-16 without a mark":               {"(\x00;\x00S\x00Z\x00[\x009\x00]\x00P\x00B\x00[\x00hT]\x00;\x00B\x00[\x00e\x00e\x00]\x00;\x00W\x00[\x00c\x00c\x00]\x00)\x00", "b E5 w C7 ", "周"},
		"escapes behind characters":           {"(;SZ[9]PB[Ren\xe9\\]x];B[ee];W[cc])", "b E5 w C7 ", "René]x"},
		"GBK with escapes":                    {"(;CA[GBK]SZ[9]PB[" + gbk + "\\]\\\\];B[ee];W[cc])", "b E5 w C7 ", "周俊勋]\\"},
	} {
		if strings.HasPrefix(name, "UTF-16") {
			c.text = strings.Replace(c.text, "hT]\x00", "\x68\x54]\x00", 1)
		}
		root := parseOne(t, c.text)
		require.Equal(t, c.moves, moves(recordOf(t, root)), name)
		if c.black != "*" {
			require.Equal(t, c.black, root.Text("PB"), name)
		}
		requireRoundTrip(t, []*sgf.Node{root})
	}
}

// TestNamedCharsets: the charset in CA, under each of its names, is used if the text fits it.
func TestNamedCharsets(t *testing.T) {
	for _, c := range []struct {
		enc   encoding.Encoding
		names string
		texts []string
	}{
		{simplifiedchinese.GBK, "gb18030 GB2312 gbk x-gbk cp936 CP936 936 windows-936 MS936 EUC-CN euccn GB_2312-80", []string{"柯洁", "古力", "李"}},
		{traditionalchinese.Big5, "big5 BIG5 big-5 big5-hkscs cp950 950 ms950 windows-950 x-windows-950 cn-big5", []string{"許", "功", "周俊勳"}},
		{korean.EUCKR, "euc-kr EUCKR euckr cp949 949 MS949 windows-949 x-windows-949 ks_c_5601-1987 KSC5601 KS-C-5601 uhc", []string{"박", "이세돌"}},
		{japanese.ShiftJIS, "Shift_JIS SHIFT-JIS sjis x-sjis Windows-31J cp932 CP932 932 MS932 ms_kanji ShiftJIS x-ms-cp932 csWindows31J", []string{"ソ", "表", "十段"}},
		{japanese.EUCJP, "euc-jp EUCJP x-euc-jp eucJP-ms cp51932 ujis", []string{"趙", "武宮正樹"}},
		{charmap.Windows1252, "windows-1252 cp1252 1252 latin1 Latin-1 iso-8859-1 ISO8859-1 windows1252", []string{"é", "Müller"}},
		{charmap.Windows1250, "windows-1250 cp1250 1250 win1250 Win-1250 windows1250", []string{"Dvořák", "Łukasz", "Černý"}},
		{charmap.ISO8859_2, "iso-8859-2 ISO8859-2 latin2 latin-2 iso_8859-2", []string{"Dvořák", "Łukasz", "Šimánek"}},
		{charmap.Windows1251, "windows-1251 cp1251 1251 win-1251 Windows1251", []string{"Я", "Иванов"}},
		{charmap.CodePage866, "ibm866 cp866 866 dos-866", []string{"Иванов"}},
		{charmap.Windows1253, "windows-1253 cp1253 1253", []string{"Γιώργος"}},
		{charmap.Windows1254, "windows-1254 iso-8859-9 latin5", []string{"Işık"}},
	} {
		for _, ca := range strings.Fields(c.names) {
			for _, text := range c.texts {
				out, err := c.enc.NewEncoder().String("(;CA[" + ca + "]SZ[9]PB[" + text + "];B[ee];W[cc])")
				require.NoError(t, err)
				root := parseOne(t, out)
				require.Equal(t, text, root.Text("PB"), ca)
				require.Equal(t, "b E5 w C7 ", moves(recordOf(t, root)), ca)
			}
		}
	}
}

// script is a charset with sample texts.
type script struct {
	name   string // value of CA
	enc    encoding.Encoding
	words  []string
	others string // characters whose second byte is a bracket or a backslash
}

var (
	chineseWords  = strings.Fields("柯洁 古力 聂卫平 马晓春 常昊 周鹤洋 第三届中国围棋名人战 黑胜 白中盘胜 这步棋不好 应该先手打吃 天元 贴七目半")
	taiwanWords   = strings.Fields("周俊勳 林海峰 張栩 王立誠 王銘琬 許功蓋 圍棋 黑中盤勝 這手棋不好 應該先手打吃 第一屆名人戰")
	japaneseWords = strings.Fields("武宮正樹 小林光一 趙治勲 大竹英雄 第十期名人戦 黒番 白中押し勝ち ソ連選手 表示 能力 ゾーン この手は悪い ハネるべきだった")
	koreanWords   = strings.Fields("이세돌 조훈현 이창호 박정환 신진서 바둑 대국 백불계승 이수는나쁩니다 제일회명인전")
	latinWords    = strings.Fields("René Jürgen Müller Çelik Øyvind Åse José Peña Noël Mañana für Schönes Spiel à la maison")
	russianWords  = strings.Fields("Иванов Петров Шикшин Александр Динерштейн хороший ход чёрные выиграли партия Москва")

	scripts = []script{
		{"UTF-8", encoding.Nop, append(append(chineseWords, koreanWords...), latinWords...), "é"},
		{"UTF-8", unicode.UTF8BOM, japaneseWords, "ソ"},
		{"UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), japaneseWords, "孝崝"},
		{"GB18030", simplifiedchinese.GB18030, chineseWords, "乗俓僝怾郵"},
		{"GBK", simplifiedchinese.GBK, chineseWords, "乗俓僝怾郵"},
		{"Big5", traditionalchinese.Big5, taiwanWords, "許功蓋餐擺"},
		{"Shift_JIS", japanese.ShiftJIS, japaneseWords, "ソ能表十ゾ充"},
		{"EUC-JP", japanese.EUCJP, japaneseWords, "ソ"},
		{"ISO-2022-JP", japanese.ISO2022JP, japaneseWords, "準宮曽"},
		{"EUC-KR", korean.EUCKR, koreanWords, "똠"},
		{"ISO-8859-1", charmap.ISO8859_1, latinWords, "é"},
		{"windows-1252", charmap.Windows1252, append(latinWords, "“quoted”"), "é"},
		{"windows-1251", charmap.Windows1251, russianWords, "я"},
		{"KOI8-R", charmap.KOI8R, russianWords, "я"},
	}
)

// generatedRecord returns a file of random moves (want) with names and comments in the script s, which
// the seed chooses. CA is right, wrong or absent.
func generatedRecord(t testing.TB, seed uint64) (file []byte, want string, s *script) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 50))
	s = &scripts[seed%uint64(len(scripts))]
	text := func() string {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			b.WriteString(s.words[rng.IntN(len(s.words))])
			if others := []rune(s.others); rng.IntN(2) == 0 {
				b.WriteRune(others[rng.IntN(len(others))])
			}
			b.WriteString([]string{"", "", " ", " [5d\\] ", ": ", "\n"}[rng.IntN(6)])
		}
		return b.String()
	}
	var b strings.Builder
	b.WriteString("(;GM[1]FF[4]SZ[19]")
	ca := ""
	switch rng.IntN(3) {
	case 0:
		ca = "CA[" + s.name + "]"
	case 1:
		ca = "CA[" + scripts[rng.IntN(len(scripts))].name + "]"
	}
	names := fmt.Sprintf("PB[%s]PW[%s]", text(), text())
	if rng.IntN(2) == 0 {
		b.WriteString(ca + names)
	} else {
		b.WriteString(names + ca)
	}
	for i := range 5 + rng.IntN(60) {
		move := fmt.Sprintf("%c[%c%c]", "BW"[i%2], 'a'+rng.IntN(19), 'a'+rng.IntN(19))
		want += move
		b.WriteString(";" + move)
		if rng.IntN(6) == 0 {
			fmt.Fprintf(&b, "C[%s]", text())
		}
		if rng.IntN(9) == 0 {
			b.WriteString("BL[10]\r\n")
		}
	}
	b.WriteString(")\n")
	out, err := s.enc.NewEncoder().String(b.String())
	require.NoError(t, err, s.name)
	return []byte(out), want, s
}

// written returns the moves of a main line as the file has them.
func written(root *sgf.Node) string {
	var out strings.Builder
	for n := range root.MainLine() {
		for _, id := range []string{"B", "W"} {
			for _, v := range n.Values(id) {
				out.WriteString(id + "[" + v + "]")
			}
		}
	}
	return out.String()
}

// TestGeneratedRecords: in every charset, with a right, wrong or missing CA, the moves read are
// the moves written.
func TestGeneratedRecords(t *testing.T) {
	read := map[string]int{}
	for seed := range uint64(2000) {
		file, want, s := generatedRecord(t, seed)
		root := parseOne(t, string(file))
		require.Equal(t, want, written(root), "record %d, %s: %q", seed, s.name, file)
		require.Empty(t, root.Notes(), "record %d", seed)
		again, err := sgf.Marshal(root)
		require.NoError(t, err)
		require.True(t, equal(root, parseOne(t, string(again))), "record %d, %s: %q", seed, s.name, again)
		read[s.name]++
	}
	require.Len(t, read, 13)
}

// TestGuessedNames: if the record does not give its charset, at least nine of ten names are read
// correctly.
func TestGuessedNames(t *testing.T) {
	for _, s := range scripts {
		right, all := 0, 0
		for i, a := range s.words {
			name := a + " " + s.words[(i+1)%len(s.words)]
			out, err := s.enc.NewEncoder().String("(;SZ[9]PB[" + name + "];B[ee])")
			require.NoError(t, err)
			all++
			if parseOne(t, out).Text("PB") == name {
				right++
			} else {
				t.Logf("%s: %q was read as %q", s.name, name, parseOne(t, out).Text("PB"))
			}
		}
		require.GreaterOrEqual(t, right*10, all*9, "%s: %d of %d", s.name, right, all)
	}
}

// TestMixedCollection reads games in different charsets from one file.
func TestMixedCollection(t *testing.T) {
	var file bytes.Buffer
	var wants []string
	for seed := range uint64(200) {
		one, want, s := generatedRecord(t, seed)
		if s.name != "UTF-16" {
			file.Write(one)
			wants = append(wants, want)
		}
	}
	roots, err := sgf.Parse(file.Bytes())
	require.NoError(t, err)
	require.Len(t, roots, len(wants))
	for i, root := range roots {
		require.Equal(t, wants[i], written(root), "game %d", i)
	}
}
