package rows

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/sgf"
)

func parseOne(t testing.TB, text string) *sgf.Node {
	t.Helper()
	roots, err := sgf.Parse([]byte(text))
	require.NoError(t, err)
	return roots[0]
}

// wall is a 5x5 game in which both sides build a wall: 15 to 10 points.
const wall = ";B[ca];W[da];B[cb];W[db];B[cc];W[dc];B[cd];W[dd];B[ce];W[de]"

func TestRecordEnds(t *testing.T) {
	for name, c := range map[string]struct {
		text          string
		known, scored bool
		winner        board.Color
		score         float32
	}{
		"counted":              {"(;SZ[5]KM[0.5]RU[Chinese]RE[B+4.5]" + wall + ";B[];W[])", true, true, board.Black, -4.5},
		"draw":                 {"(;SZ[5]KM[5]RU[Chinese]RE[0]" + wall + ";B[];W[])", true, true, board.Empty, 0},
		"result disagrees":     {"(;SZ[5]KM[0.5]RU[Chinese]RE[W+3.5]" + wall + ";B[];W[])", true, false, board.White, 0},
		"resigned":             {"(;SZ[5]KM[0.5]RU[Chinese]RE[W+R]" + wall + ")", true, false, board.White, 0},
		"resigned after pass":  {"(;SZ[5]KM[0.5]RU[Chinese]RE[W+R]" + wall + ";B[];W[])", true, false, board.White, 0},
		"unknown and open":     {"(;SZ[5]KM[0.5]RU[Chinese]RE[?]" + wall + ";B[];W[])", false, false, board.Empty, 0},
		"unfinished":           {"(;SZ[5]KM[0.5]RU[Chinese]" + wall + ")", false, false, board.Empty, 0},
		"void":                 {"(;SZ[5]KM[0.5]RU[Chinese]RE[Void]" + wall + ")", true, false, board.Empty, 0},
		"settled territory":    {"(;SZ[5]KM[0.5]RU[Japanese]AB[ba][da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec][ad][cd][ed][ae][be][ce][de][ee];B[];W[])", true, false, board.White, 0},
		"territory is unclear": {"(;SZ[5]KM[0.5]RU[Japanese]RE[B+4.5]" + wall + ";B[];W[])", true, false, board.Black, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := FromRecord(parseOne(t, c.text))
			require.NoError(t, err)
			require.Equal(t, c.known, g.End.Known)
			require.Equal(t, c.scored, g.End.Scored)
			require.Equal(t, c.winner, g.End.Winner)
			require.Equal(t, name == "void", g.End.NoResult)
			if c.scored {
				require.Equal(t, c.score, g.End.Score)
			}
			checkRecordRows(t, g)
		})
	}
}

// checkRecordRows builds a record's rows and checks their weights.
func checkRecordRows(t *testing.T, g *Game) {
	t.Helper()
	s := built(t, Layout{features.V7, 5}, g)
	require.Equal(t, len(g.Turns), s.N)
	for i := range s.N {
		require.NoError(t, s.Check(i))
		row := s.targets(i)
		require.Equal(t, weightIf(!g.End.Known), row[TargetNoValue])
		require.Equal(t, weightIf(g.End.Scored), row[TargetFinalWeight])
		require.Equal(t, weightIf(g.End.Scored), row[TargetScoringWeight])
		require.Equal(t, float32(1), row[TargetNoTD])
		require.Equal(t, float32(1), row[TargetPolicyWeight])
		require.Equal(t, weightIf(i+1 < s.N), row[TargetReplyWeight])
		require.Equal(t, int16(1), s.policy(i)[g.Turns[i].Policy[0].Index])
		require.Equal(t, 1.0, sum(s.policy(i)[:26]))
	}
}

func TestRecordsThatCannotBeUsed(t *testing.T) {
	for text, want := range map[string]string{
		"(;SZ[9];B[aa];W[aa])":            "move 2",
		"(;SZ[9];B[aa];W[bb];W[cc])":      "twice in a row",
		"(;SZ[99];B[aa])":                 "size",
		"(;GM[2]SZ[9];B[aa])":             "it is not a game of Go (GM[2])",
		"(;SZ[9];B[aa];AB[bb];W[cc])":     "set up",
		"(;SZ[9]AB[aa][ba]AW[ab];B[zz])":  "point",
		"(;SZ[3]AB[aa:cc];W[])":           "liberty",
		"(;SZ[9]AB[aa]AW[aa];W[bb];B[a])": "point",
	} {
		_, err := FromRecord(parseOne(t, text))
		require.ErrorIs(t, err, ErrRecord, text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestMutatedRecords changes bytes of game records: each of 500 makes rows or is refused, without
// a panic.
func TestMutatedRecords(t *testing.T) {
	good := []byte("(;SZ[5]KM[0.5]RU[Chinese]RE[B+4.5]AB[aa]" + strings.Repeat(wall[:12], 1) + wall[12:] + ";B[];W[])")
	rng := rand.New(rand.NewPCG(3, 3))
	dir := t.TempDir()
	for k := range 500 {
		path := filepath.Join(dir, "x.sgf")
		require.NoError(t, os.WriteFile(path, mutated(good, rng), 0o644))
		sets, err := readRecords(part{path, 0, 1}, features.V7)
		if err != nil {
			require.ErrorContains(t, err, path, "mutation %d", k)
		}
		for _, s := range sets {
			for i := range s.N {
				require.NoError(t, s.Check(i))
			}
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte("(;SZ[5]KM[0.5]RU[Chinese]RE[B+4.5]" + wall + ";B[];W[])"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		roots, err := sgf.Parse(data)
		if err != nil {
			return
		}
		if g, err := FromRecord(roots[0]); err == nil && len(g.Turns) < 200 {
			_ = appendRecord(map[int]*Set{}, g, features.V7)
		}
	})
}

// TestRecordsAndRowsMix: a stream delivers the rows of game records and npz files in one folder.
func TestRecordsAndRowsMix(t *testing.T) {
	dir := fillFolder(t, 2, 2, Layout{features.V7, 9}, board.Square(5))
	one := "(;SZ[5]KM[0.5]RU[Chinese]RE[B+4.5]" + wall + ";B[];W[])"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many.sgfs"), []byte(strings.Repeat(one+"\n", 30)), 0o644))
	f := open(t, options(16), dir)
	hot, soft := 0, 0
	var b Batch
	for f.Passes() < 2 {
		require.NoError(t, f.Next(&b))
		require.Equal(t, board.Square(5), b.Size)
		for k := range b.N {
			most := float32(0)
			for _, p := range b.Policy[k*26 : (k+1)*26] {
				most = max(most, p)
			}
			if most == 1 {
				hot++
			} else {
				soft++
			}
		}
	}
	require.Empty(t, f.skipped)
	require.InDelta(t, 30*12, hot, 40)
	require.Positive(t, soft)
}

// TestOtherEncodings writes and reads rows of every encoding and compares batches with the encoder's
// output, those of V7 with each length of the history.
func TestOtherEncodings(t *testing.T) {
	for _, e := range []features.Encoding{features.Mini7, features.Seed22, features.V7, features.AGZ17, features.AGZ17Split} {
		t.Run(e.String(), func(t *testing.T) {
			l := Layout{e, 7}
			g := randomGame(t, board.Square(5), board.TrompTaylor(), 4)
			data := asBytes(built(t, l, g))
			f, err := newFile(bytes.NewReader(data), int64(len(data)))
			require.NoError(t, err)
			require.Equal(t, l, f.Layout)
			back, err := f.Read(0, f.N)
			require.NoError(t, err)
			checkPlanes(t, g, back)
		})
	}
}

func checkPlanes(t *testing.T, g *Game, s *Set) {
	t.Helper()
	e := s.Layout.Encoding
	var now board.Game
	now.CopyFrom(g.Start)
	scratch := features.NewScratch()
	planes, globals := make([]float32, e.Planes()*25), make([]float32, e.Globals())
	var u unpacker
	var b Batch
	for i, turn := range g.Turns {
		b.prepare(s.Layout, s.Size(i), 1, Wants{})
		for history := range historyMoves + 1 { // the whole history last
			if history == historyMoves || e == features.V7 {
				features.Encode(e, planes, globals, &now, features.Options{MaxHistory: history, HistoryHidden: history == 0}, scratch)
				u.put(&b, 0, s, i, 0, history)
				require.Equal(t, planes, b.Spatial, "turn %d, %d moves shown", i, history)
				require.ElementsMatch(t, globals[:min(5, len(globals))], b.Global[:min(5, len(globals))])
			}
		}
		require.ElementsMatch(t, globals, b.Global)
		for sym := range board.Symmetry(8) {
			u.put(&b, 0, s, i, sym, historyMoves)
			for p, to := range board.SymTable(board.Square(5), sym) {
				for c := range e.Planes() {
					require.Equal(t, planes[c*25+p], b.Spatial[c*25+int(to)])
				}
			}
		}
		require.NoError(t, now.Play(now.ToMove(), turn.Move))
	}
}

// TestSplit checks that each game is on one side of the split, and that both sides together are
// all games.
func TestSplit(t *testing.T) {
	dir := fillFolder(t, 4, 10, Layout{features.V7, 5}, board.Square(5))
	count := func(s Split) (rows int) {
		o := options(1)
		o.Symmetries, o.HistoryDropout, o.Split = false, false, s
		f := open(t, o, dir)
		var b Batch
		for {
			require.NoError(t, f.Next(&b))
			if f.Passes() > 1 {
				return rows
			}
			rows++
		}
	}
	all := count(Split{})
	train, held := count(Split{Share: 0.3}), count(Split{Share: 0.3, Held: true})
	require.Equal(t, all, train+held)
	require.InDelta(t, 0.3, float64(held)/float64(all), 0.25)
	require.Positive(t, held)
}

// TestSameGame: a game is the same with other names and dates and in another orientation, so its
// rows are all on one side of a split. A different move makes a different game.
func TestSameGame(t *testing.T) {
	hash := func(text string) [2]uint64 {
		g, err := FromRecord(parseOne(t, text))
		require.NoError(t, err)
		return g.Hash
	}
	const game = "(;GM[1]SZ[9]KM[7]RE[B+R]PB[a]DT[2020-01-01];B[ec];W[fg];B[];W[cc])"
	for name, same := range map[string]string{
		"names and dates": "(;GM[1]SZ[9]KM[6.5]RE[W+2]PB[b]PW[c]DT[2021-02-02];B[ec];W[fg];B[];W[cc])",
		"mirrored":        "(;GM[1]SZ[9]KM[7]RE[B+R];B[ec];W[dg];B[];W[gc])",
		"turned":          "(;GM[1]SZ[9]KM[7]RE[B+R];B[ce];W[gf];B[];W[cc])",
	} {
		require.Equal(t, hash(game), hash(same), name)
	}
	for name, other := range map[string]string{
		"a move":          "(;GM[1]SZ[9]KM[7]RE[B+R];B[ec];W[fg];B[];W[cd])",
		"a move more":     "(;GM[1]SZ[9]KM[7]RE[B+R];B[ec];W[fg];B[];W[cc];B[gg])",
		"another board":   "(;GM[1]SZ[13]KM[7]RE[B+R];B[ec];W[fg];B[];W[cc])",
		"stones at first": "(;GM[1]SZ[9]KM[7]RE[B+R]AB[aa];B[ec];W[fg];B[];W[cc])",
	} {
		require.NotEqual(t, hash(game), hash(other), name)
	}
}
