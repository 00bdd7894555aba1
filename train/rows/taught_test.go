package rows

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
)

// lesson makes up a teacher's answer; every third move is illegal.
func lesson(size board.Size, seed uint64) *Taught {
	rng := rand.New(rand.NewPCG(seed, 2))
	policy := func() []float32 {
		p, sum := make([]float32, size.Area()+1), float32(0)
		for k := range p {
			p[k] = float32(math.Exp(2 * rng.NormFloat64()))
			if k%3 == 1 {
				p[k] = -1
			}
			sum += max(0, p[k])
		}
		for k := range p {
			if p[k] > 0 {
				p[k] /= sum
			}
		}
		return p
	}
	t := &Taught{Policy: policy(), Optimistic: policy(), Value: Value{Win: 0.6, Loss: 0.375, NoResult: 0.025, Score: 3.25},
		HasScore: true, Stdev: 7.5, Lead: 2.75, VarTime: 31, ErrWinLoss: 0.2, ErrScore: 1.5, Ownership: make([]float32, size.Area())}
	for p := range t.Ownership {
		t.Ownership[p] = 2*rng.Float32() - 1
	}
	return t
}

// taughtSet returns taught rows of the positions of a random game.
func taughtSet(t testing.TB, l Layout, size board.Size) *Set {
	t.Helper()
	b, err := NewBuilder(l)
	require.NoError(t, err)
	s := NewSet(l)
	g := randomGame(t, size, board.TrompTaylor(), 1)
	var now board.Game
	now.CopyFrom(g.Start)
	for k := range 6 {
		require.NoError(t, b.AppendTaught(s, &now, g.Hash, lesson(size, uint64(k))))
		require.NoError(t, now.Play(now.ToMove(), g.Turns[k].Move))
	}
	return s
}

// TestTaughtRows: the teacher's numbers survive a file, in every orientation, to the precision of
// the format's integers.
func TestTaughtRows(t *testing.T) {
	for _, c := range []struct {
		l    Layout
		size board.Size
	}{{Layout{features.V7, 9}, board.Square(9)}, {Layout{features.V7, 9}, board.Size{W: 5, H: 7}}, {Layout{features.Mini7, 5}, board.Square(5)}} {
		s := taughtSet(t, c.l, c.size)
		path := filepath.Join(t.TempDir(), "a.npz")
		require.NoError(t, s.WriteFile(path))
		read := rowsOf(t, path)
		require.Equal(t, s.Globals, read.Globals)
		var u unpacker
		var b Batch
		for i := range read.N {
			require.NoError(t, read.Check(i))
			require.True(t, read.Taught(i))
			for k := range c.size.Symmetries() {
				sym := board.Symmetry(k)
				b.prepare(read.Layout, c.size, 1, Wants{true, true})
				u.put(&b, 0, read, i, sym, 5)
				checkLesson(t, lesson(c.size, uint64(i)), &b, board.SymTable(c.size, sym))
			}
		}
	}
}

func checkLesson(t *testing.T, want *Taught, b *Batch, to []board.Point) {
	t.Helper()
	area := b.Size.Area()
	for k, p := range want.Policy[:area] {
		require.InDelta(t, max(0, p), b.Policy[to[k]], 2e-4)
		require.InDelta(t, max(0, want.Optimistic[k]), b.Reply[to[k]], 2e-4)
		require.InDelta(t, want.Ownership[k], b.Points[to[k]], 0.5/120+1e-6)
	}
	require.InDelta(t, max(0, want.Policy[area]), b.Policy[area], 2e-4)
	g := b.Globals
	require.Equal(t, []float32{0.6, 0.375, 0.025}, g[:3])
	for k, v := range map[int]float32{TargetScore: 3.25, TargetLead: 2.75, TargetArrival: 31, TargetLeadWeight: 1, TargetPolicyWeight: 1, TargetNoTD: 1, TargetGlobalWeight: 1,
		TargetTaught: 1, TargetTaughtScore: 1, TargetTaughtOwners: 1, TargetTaughtStdev: 7.5, TargetTaughtValue: 0.2, TargetTaughtPoints: 1.5, TargetTaughtLucky: 1,
		TargetFinalWeight: 0, TargetReplyWeight: 0, TargetFutureWeight: 0, TargetScoringWeight: 0, TargetNoValue: 0, TargetVersion: 3} {
		require.Equal(t, v, g[k], "global target %d", k)
	}
}

// TestTeachRows: rows of games are taught in place. Numbers that a teacher does not know have no
// weight. The facts of the row's game, and all other rows, stay unchanged.
func TestTeachRows(t *testing.T) {
	l := Layout{features.V7, 9}
	g := randomGame(t, board.Square(9), board.TrompTaylor(), 1)
	s, before := built(t, l, g), built(t, l, g)
	little := &Taught{Policy: lesson(board.Square(9), 1).Policy, Value: Value{Win: 0.25, Loss: 0.75}, VarTime: -1, ErrWinLoss: -1, ErrScore: -1}
	require.NoError(t, s.Teach(3, little))
	require.NoError(t, s.Check(3))
	for i := range s.N {
		if i == 3 {
			continue
		}
		require.Equal(t, before.targets(i), s.targets(i))
		require.Equal(t, before.policy(i), s.policy(i))
		require.Equal(t, before.points(i), s.points(i))
		require.False(t, s.Taught(i))
	}
	now, was := s.targets(3), before.targets(3)
	require.Equal(t, before.binary(3), s.binary(3))
	require.Equal(t, was[TargetHash:TargetMode+1], now[TargetHash:TargetMode+1])
	for _, k := range []int{TargetTaughtScore, TargetTaughtOwners, TargetTaughtStdev, TargetTaughtValue, TargetTaughtPoints, TargetTaughtLucky, TargetLeadWeight, TargetLead, TargetArrival, TargetFinalWeight} {
		require.Zero(t, now[k], "global target %d", k)
	}
	require.NotZero(t, was[TargetFinalWeight])
}

// TestFreeColumns: numbers that other programs write into unused columns of ordinary rows do not
// reach the learner.
func TestFreeColumns(t *testing.T) {
	s := built(t, Layout{features.V7, 5}, randomGame(t, board.Square(5), board.TrompTaylor(), 1))
	var u unpacker
	var plain, other Batch
	for at, batch := range map[int]*Batch{0: &plain, 1: &other} {
		for k := TargetTaught; k <= lastFree; k++ {
			s.targets(0)[k] = float32(at)
		}
		require.NoError(t, s.Check(0))
		batch.prepare(s.Layout, board.Square(5), 1, Wants{true, true})
		u.put(batch, 0, s, 0, 0, 5)
	}
	require.Equal(t, plain, other)
}

// TestBadLessons: answers that cannot be stored, and inconsistent taught rows, are refused; the
// row stays unchanged.
func TestBadLessons(t *testing.T) {
	size := board.Square(5)
	s := taughtSet(t, Layout{features.V7, 5}, size)
	nan := float32(math.NaN())
	for want, spoil := range map[string]func(l *Taught){
		"25 moves":         func(l *Taught) { l.Policy = l.Policy[:25] },
		"3 of them optimi": func(l *Taught) { l.Optimistic = l.Optimistic[:3] },
		"24 owners":        func(l *Taught) { l.Ownership = l.Ownership[:24] },
		"says NaN":         func(l *Taught) { l.Ownership[7] = nan },
		"says +Inf":        func(l *Taught) { l.ErrScore = float32(math.Inf(1)) },
		"0.9, 0.375":       func(l *Taught) { l.Value.Win = 0.9 },
		"wants no move":    func(l *Taught) { clear(l.Policy) },
	} {
		bad := lesson(size, 9)
		spoil(bad)
		globals, n := bytes.Clone(asBytes(s)), s.N
		err := s.Teach(2, bad)
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, want)
		b, err := NewBuilder(s.Layout)
		require.NoError(t, err)
		game, err := board.NewGame(size, board.TrompTaylor())
		require.NoError(t, err)
		require.ErrorContains(t, b.AppendTaught(s, game, [2]uint64{}, bad), want)
		require.Equal(t, n, s.N)
		require.Equal(t, globals, asBytes(s))
	}
	for want, spoil := range map[string]func(s *Set){
		"in global target 27": func(s *Set) { s.targets(1)[TargetFinalWeight] = 1 },
		"global target 72 is": func(s *Set) { s.targets(1)[TargetTaughtStdev] = -1 },
		"global target 22 is": func(s *Set) { s.targets(1)[TargetArrival] = -1 },
		"optimistic or a":     func(s *Set) { s.targets(1)[TargetReplyWeight] = 1 },
		"channel 1 is empty":  func(s *Set) { clear(s.policy(1)[26:]) },
		"point 4 is -128/120": func(s *Set) { s.points(1)[4] = -128 },
	} {
		s := taughtSet(t, Layout{features.V7, 5}, size)
		spoil(s)
		require.ErrorContains(t, s.Check(1), want)
		require.NoError(t, s.Check(0))
	}
}

func asBytes(s *Set) []byte {
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}
