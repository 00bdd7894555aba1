package learn

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

// teach turns some rows of a batch into taught ones. For every second of these rows the teacher
// knows only policy and value.
func teach(b *rows.Batch, some ...int) {
	rng := rand.New(rand.NewPCG(3, 4))
	area := b.Size.Area()
	for k, i := range some {
		g := b.Globals[i*rows.Targets : (i+1)*rows.Targets]
		g[0], g[1], g[2] = 0.5, 0.375, 0.125
		g[3], g[rows.TargetNoTD], g[rows.TargetFinalWeight], g[rows.TargetReplyWeight], g[rows.TargetTaught] = 4.5, 1, 0, 0, 1
		g[rows.TargetLeadWeight], g[rows.TargetArrival] = 0, 0
		if k%2 == 1 {
			continue
		}
		g[rows.TargetLead], g[rows.TargetLeadWeight], g[rows.TargetArrival] = 3, 1, 40
		g[rows.TargetTaughtScore], g[rows.TargetTaughtOwners], g[rows.TargetTaughtLucky] = 1, 1, 1
		g[rows.TargetTaughtStdev], g[rows.TargetTaughtValue], g[rows.TargetTaughtPoints] = 9, 0.25, 2
		if b.Wants.Points {
			for p := range area {
				b.Points[i*rows.PointMaps*area+p] = 2*rng.Float32() - 1
			}
		}
	}
}

// TestTaughtLosses compares terms over ordinary and taught rows with a slow recomputation from the
// network's outputs.
func TestTaughtLosses(t *testing.T) {
	for _, name := range []string{"kb1c16", "synth-v17-nbt-transformer-spatial-rms", "synth-v8", "mini-b1c4"} {
		t.Run(name, func(t *testing.T) {
			l := open(t, Config{Model: network(t, name, 5), Batch: 6, Aux: true})
			size := board.Square(5)
			p, _, err := l.planner.forward(size, autodiff.NormsFrozen, 6)
			require.NoError(t, err)
			b := randomBatch(l, size, 6, 1)
			teach(b, 1, 2, 4)
			for i, weight := range []float32{0.5, 1, 2, 1, 0, 0} { // one row of each kind does not count
				b.Globals[i*rows.Targets+rows.TargetGlobalWeight] = weight
			}
			out := runDouble(t, onnxref.Double(p.model), inputsOf(t, p, b))
			got := nntest.Floats(t, out[outMeasures])
			s := newSlowTerms(t, &p.spec, b, out)
			compared := 0
			for i, m := range p.measured {
				sum, weight, known := s.of(m.name)
				if !known {
					continue
				}
				compared++
				require.InDelta(t, weight, got[len(p.measured)+i], 1e-9, m.name)
				require.InDelta(t, sum, got[i], 1e-6*max(1, math.Abs(sum)), m.name)
			}
			require.GreaterOrEqual(t, compared, map[bool]int{true: 6, false: 3}[p.spec.Kind == nn.KindKataGo])
			t.Log(compared, "terms")
		})
	}
}

// slowTerms computes terms row by row from raw outputs.
type slowTerms struct {
	spec   *nn.Spec
	b      *rows.Batch
	policy [][][]float64 // log probabilities by row and channel
	value  [][]float64
	score  [][]float64
	owner  [][]float64 // logits; nil if absent
}

func newSlowTerms(t *testing.T, spec *nn.Spec, b *rows.Batch, out map[string]*onnx.Tensor) *slowTerms {
	s := &slowTerms{spec: spec, b: b}
	byRole := map[nn.Role][]float64{}
	for _, o := range spec.Outputs {
		byRole[o.Role] = nntest.Floats(t, out[o.Name])
	}
	split := func(role nn.Role) (list [][]float64) {
		data := byRole[role]
		for i := range b.N {
			list = append(list, data[i*len(data)/b.N:(i+1)*len(data)/b.N])
		}
		return list
	}
	points, pass := split(nn.RolePolicy), split(nn.RolePass)
	area := b.Size.Area()
	for i := range b.N {
		channels := max(1, len(pass[i]))
		per := len(points[i]) / channels
		var row [][]float64
		for c := range channels {
			logits := append([]float64{}, points[i][c*per:(c+1)*per]...)
			if per == area {
				logits = append(logits, pass[i][c])
			}
			row = append(row, logSoftmax(logits))
		}
		s.policy = append(s.policy, row)
	}
	s.value = split(nn.RoleValue)
	if byRole[nn.RoleScoreValue] != nil {
		s.score = split(nn.RoleScoreValue)
	}
	if byRole[nn.RoleOwnership] != nil {
		s.owner = split(nn.RoleOwnership)
	}
	return s
}

func logSoftmax(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v)
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v - math.Log(sum)
	}
	return y
}

func cross(target []float32, logs []float64) float64 {
	sum := 0.0
	for i, p := range target {
		sum -= float64(p) * logs[i]
	}
	return sum
}

func slowEntropy(p []float32) float64 {
	sum := 0.0
	for _, x := range p {
		if x > 0 {
			sum -= float64(x) * math.Log(float64(x))
		}
	}
	return sum
}

func slowHuber(x, delta float64) float64 {
	if x = math.Abs(x); x <= delta {
		return x * x / 2
	}
	return delta * (x - delta/2)
}

func slowSoftplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

// of returns the weighted sum of a term over the rows and the sum of weights; known is false for
// terms that are the same for taught and ordinary rows.
func (s *slowTerms) of(name string) (sum, weight float64, known bool) {
	for i := range s.b.N {
		x, w, ok := s.row(name, i)
		if !ok {
			return 0, 0, false
		}
		if w *= float64(s.b.Globals[i*rows.Targets+rows.TargetGlobalWeight]); w != 0 {
			sum, weight = sum+w*x, weight+w
		}
	}
	return sum, weight, true
}

func (s *slowTerms) row(name string, i int) (x, w float64, known bool) {
	n := s.b.Size.Area() + 1
	target := s.b.Policy[i*n : (i+1)*n]
	g := func(k int) float64 { return float64(s.b.Globals[i*rows.Targets+k]) }
	taught := g(rows.TargetTaught) == 1
	values := []float32{float32(g(0)), float32(g(1)), float32(g(2))}
	switch name {
	case TermPolicy:
		return cross(target, s.policy[i][0]), g(rows.TargetPolicyWeight), true
	case MeasurePolicyEntropy:
		return slowEntropy(target), g(rows.TargetPolicyWeight), true
	case MeasureTaughtKL:
		return cross(target, s.policy[i][0]) - slowEntropy(target), g(rows.TargetPolicyWeight) * g(rows.TargetTaught), true
	case TermOptimistic:
		if !taught {
			return cross(target, s.policy[i][1]), s.optimism(i), true
		}
		if g(rows.TargetTaughtLucky) > 0 {
			target = s.b.Reply[i*n : (i+1)*n]
		}
		return cross(target, s.policy[i][1]), g(rows.TargetPolicyWeight), true
	case TermValue:
		if s.spec.Value != nn.ValueWDL {
			d := s.value[i][0] - (g(0) - g(1))
			return d * d, 1, true
		}
		return cross(values, logSoftmax(s.value[i])), 1, true
	case MeasureWinrateError:
		return math.Abs(s.winLoss(i)-(g(0)-g(1))) / 2, g(rows.TargetTaught), true
	case TermOwnership, MeasureOwnershipError:
		return s.owners(name, i, taught)
	}
	if s.spec.Kind != nn.KindKataGo || len(s.score) == 0 {
		return 0, 0, false
	}
	return s.scores(name, i, taught)
}

func (s *slowTerms) winLoss(i int) float64 {
	if s.spec.Value != nn.ValueWDL {
		return s.value[i][0]
	}
	p := logSoftmax(s.value[i])
	return math.Exp(p[0]) - math.Exp(p[1])
}

func (s *slowTerms) moments(i int) (mean, stdev float64) {
	m := &s.spec.KataGo.Multipliers
	return s.score[i][0] * m.ScoreMean, slowSoftplus(s.score[i][1]) * m.ScoreStdev
}

func (s *slowTerms) optimism(i int) float64 {
	g := s.b.Globals[i*rows.Targets:]
	mean, stdev := s.moments(i)
	win := float64(g[0]) + float64(g[2])/2
	z := (float64(g[3]) - mean) / math.Sqrt(stdev*stdev+0.25)
	return min(1, win*win+1/(1+math.Exp(-3*(z-1.5))))
}

func (s *slowTerms) owners(name string, i int, taught bool) (x, w float64, known bool) {
	if s.owner == nil {
		return 0, 0, false
	}
	area := s.b.Size.Area()
	for p, raw := range s.owner[i] {
		o := float64(s.b.Points[i*rows.PointMaps*area+p])
		if s.spec.Kind == nn.KindKataGo {
			raw = math.Tanh(raw)
		}
		if name == MeasureOwnershipError {
			x += math.Abs(raw-o) / float64(area)
		} else {
			x -= ((1+o)/2*math.Log((1+raw)/2) + (1-o)/2*math.Log((1-raw)/2)) / float64(area)
		}
	}
	w = float64(s.b.Globals[i*rows.Targets+rows.TargetTaughtOwners])
	if name == TermOwnership && !taught {
		w = 1
	}
	return x, w, true
}

// scores returns the terms of a KataGo network's score values.
func (s *slowTerms) scores(name string, i int, taught bool) (x, w float64, known bool) {
	g := func(k int) float64 { return float64(s.b.Globals[i*rows.Targets+k]) }
	mean, stdev := s.moments(i)
	m := &s.spec.KataGo.Multipliers
	// either returns the term for a target: the row's own or, in taught rows, the teacher's (weight 0 if unknown).
	either := func(says, own, teacher, delta float64) (float64, float64, bool) {
		if !taught {
			return slowHuber(says-own, delta), 1, true
		}
		w := 0.0
		if teacher > 0 {
			w = 1
		}
		return slowHuber(says-teacher, delta), w, true
	}
	square := func(x, mult float64) float64 {
		if s.spec.KataGo.Version >= 14 {
			y := slowSoftplus(x / 2)
			return y * y * mult
		}
		return slowSoftplus(x) * mult
	}
	lead := mean
	if len(s.score[i]) > 3 {
		lead = s.score[i][2] * m.Lead
	}
	switch name {
	case TermScoreMean:
		w := 1.0
		if taught {
			w = g(rows.TargetTaughtScore)
		}
		return slowHuber(mean-g(3), 12), w, true
	case TermScoreStdev:
		return either(stdev, math.Abs(mean-g(3))*math.Sqrt(math.Pi/2), g(rows.TargetTaughtStdev), 10)
	case TermLead:
		return slowHuber(lead-g(rows.TargetLead), 8), g(rows.TargetLeadWeight), true
	case MeasureLeadError:
		return math.Abs(lead - g(rows.TargetLead)), g(rows.TargetLeadWeight) * g(rows.TargetTaught), true
	case TermVarTime:
		return either(slowSoftplus(s.score[i][3])*m.VarTime-1e-5, g(rows.TargetArrival), g(rows.TargetArrival), 50)
	case TermValueError:
		d := s.winLoss(i) - (g(12) - g(13))
		return either(square(s.score[i][4], m.STValueError), d*d+1e-8, g(rows.TargetTaughtValue)*g(rows.TargetTaughtValue), 0.4)
	case TermScoreError:
		d := mean - g(15)
		return either(square(s.score[i][5], m.STScoreError), d*d+1e-4, g(rows.TargetTaughtPoints)*g(rows.TargetTaughtPoints), 100)
	}
	return 0, 0, false
}

// TestTeacherAsStudent: if a network's own answers are written to a row file and read back, the
// losses show no distance between the network and these answers.
func TestTeacherAsStudent(t *testing.T) {
	networks := []string{filepath.Join(testshared.Checkout(t), "models", "kosumi-zero.bin.gz")}
	g170, ok := testshared.Beyond(t, "models/katago/g170-b6c96-s175395328-d26788732.bin.gz")
	if ok {
		networks = append(networks, g170)
	}
	for _, path := range networks {
		r := askItself(t, path)
		require.EqualValues(t, 1, termOf(t, &r, MeasurePolicyTop1).Mean)
		requireNear(t, r, map[string]float64{MeasureTaughtKL: 0.02, MeasureWinrateError: 1e-3, MeasureLeadError: 0.02, MeasureOwnershipError: 0.005,
			TermScoreMean: 1e-3, TermScoreStdev: 1e-3, TermLead: 1e-3})
		if time, _ := r.Term(TermVarTime); path == g170 {
			require.Zero(t, time.Weight, "version 8 knows no time")
		}
	}
	// A network with random weights expects some games to have no result, even if the rules exclude
	// that. The evaluation sets this chance to 0, the loss does not.
	requireNear(t, askItself(t, network(t, "synth-v17-nbt-transformer-spatial-rms", 9)), map[string]float64{
		MeasureOwnershipError: 0.005, TermScoreStdev: 1e-3, TermVarTime: 1e-3, TermValueError: 1e-4, TermScoreError: 1e-3})
}

// requireNear requires that all 16 rows count and that the mean of each term is 0 up to the given error.
func requireNear(t *testing.T, r Result, terms map[string]float64) {
	t.Helper()
	for name, most := range terms {
		term := termOf(t, &r, name)
		t.Logf("%s %.5f, weight %v", name, term.Mean, term.Weight)
		require.EqualValues(t, 16, term.Weight, name)
		require.InDelta(t, 0, term.Mean, most, name)
	}
}

// askItself measures a network on 16 positions that it labelled itself.
func askItself(t *testing.T, path string) Result {
	m, err := model.Open(path, model.Config{})
	require.NoError(t, err)
	defer m.Close()
	server := nntest.Server(t, m, nn.ServerConfig{MaxBatch: 1})
	layout := rows.Layout{Encoding: features.V7, Side: 9}
	set := rows.NewSet(layout)
	builder, err := rows.NewBuilder(layout)
	require.NoError(t, err)
	g := learntest.RandomGame(t, board.Square(9), 3)
	var now board.Game
	now.CopyFrom(g.Start)
	for _, turn := range g.Turns[:16] {
		var out nn.Output
		require.NoError(t, server.Evaluate(t.Context(), &nn.Query{Game: &now, NeedOwnership: true}, &out))
		require.NoError(t, builder.AppendTaught(set, &now, g.Hash, rows.TaughtBy(&out, nil, now.Size())))
		require.NoError(t, now.Play(now.ToMove(), turn.Move))
	}
	dir := t.TempDir()
	require.NoError(t, set.WriteFile(filepath.Join(dir, "a.npz")))
	l := open(t, Config{Model: path, Batch: 16})
	s, err := rows.OpenFolder(rows.Options{Batch: 16, Wants: l.Wants(), Encoding: l.Encoding()}, dir)
	require.NoError(t, err)
	defer s.Close()
	var b rows.Batch
	require.NoError(t, s.Next(&b))
	return evaluated(t, l, &b, false)
}

// TestTaughtRowsTeach: a network learns a teacher's answers, uncertainty included, and the
// measures show the remaining distance. A version 8 network becomes one of version 15, which learns
// the optimistic policy and the errors too.
func TestTaughtRowsTeach(t *testing.T) {
	for _, name := range []string{"kb2c32", "synth-v8"} {
		l := open(t, Config{Model: network(t, name, 5), Batch: 8, Method: autodiff.Adam, Rate: 2e-3})
		b := randomBatch(l, board.Square(5), 8, 1)
		teach(b, 0, 1, 2, 3, 4, 5, 6, 7)
		first := evaluated(t, l, b, false)
		for range 80 {
			r := stepped(t, l, b)
			require.False(t, r.Skipped)
		}
		last := evaluated(t, l, b, false)
		for term, most := range map[string]float64{MeasureTaughtKL: 0.6, MeasureWinrateError: 0.6, MeasureLeadError: 0.6, MeasureOwnershipError: 0.6,
			TermOptimistic: 0.95, TermValueError: 0.95, TermScoreError: 0.95} {
			was, is := termOf(t, &first, term), termOf(t, &last, term)
			t.Logf("%s: %s %.3f -> %.3f", name, term, was.Mean, is.Mean)
			require.Positive(t, is.Weight, term)
			require.Less(t, is.Mean, most*was.Mean, "%s: %s", name, term)
			require.NotEmpty(t, Explained(term))
		}
	}
}
