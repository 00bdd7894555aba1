package rows

import (
	"fmt"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
)

// Columns of taught rows, which hold a teacher's numbers (see [Set.Teach]). KataGo's format leaves columns 70 to 79
// free, and its tools ignore them. In all other rows column 69 is TargetExcludeTerritory. In taught rows the targets
// that need the end of the game have weight 0, so KataGo's trainer learns only policy, value and lead from them.
const (
	TargetTaught       = 69 // taughtMark in a taught row
	TargetTaughtScore  = 70 // weight of TargetScore, the mean of the score
	TargetTaughtOwners = 71 // weight of the owners, stored x 120 in channel 0 of Points
	TargetTaughtStdev  = 72 // standard deviation of the score, points; 0: not known, as in the next two
	TargetTaughtValue  = 73 // error that the teacher expects of its win minus loss
	TargetTaughtPoints = 74 // error that the teacher expects of its score, points
	TargetTaughtLucky  = 75 // weight of the optimistic policy, which replaces the reply target
	lastFree           = 79
)

// taughtMark marks taught rows. No other program writes this number.
const taughtMark = 7101

// Scales of a teacher's numbers in the integers of the format.
const (
	taughtPolicyScale = 30000
	taughtOwnerScale  = 120
)

// Taught is the answer of a teacher, usually a stronger network, to a position. All numbers are
// for the side to move, all points in board order. Errors and times of 0 or less are unknown.
type Taught struct {
	Policy     []float32 // [A+1] probabilities, pass last; below 0 where illegal
	Optimistic []float32 // [A+1] the optimistic policy, like Policy; nil: not known
	Value      Value     // Score is the mean of the final score
	HasScore   bool      // Value.Score, Stdev and Lead are known

	Stdev   float32 // standard deviation of the final score, points
	Lead    float32 // points
	VarTime float32 // arrival time of the variance, turns
	// ErrWinLoss and ErrScore are the errors that the teacher expects of its win
	// minus loss, 0..2, and of its score, points; training uses their squares.
	ErrWinLoss, ErrScore float32

	Ownership []float32 // [A] in [-1,1]; nil: not known
}

// check returns an error that wraps ErrFormat unless the numbers can be stored in a row of that board size.
func (t *Taught) check(size board.Size) error {
	a := size.Area()
	if len(t.Policy) != a+1 || t.Optimistic != nil && len(t.Optimistic) != a+1 || t.Ownership != nil && len(t.Ownership) != a {
		return fmt.Errorf("%w: a teacher's answer of %d moves, %d of them optimistic, and %d owners on a %dx%d board", ErrFormat,
			len(t.Policy), len(t.Optimistic), len(t.Ownership), size.W, size.H)
	}
	v := &t.Value
	for _, x := range slices.Concat(t.Policy, t.Optimistic, t.Ownership,
		[]float32{v.Win, v.Loss, v.NoResult, v.Score, t.Stdev, t.Lead, t.VarTime, t.ErrWinLoss, t.ErrScore}) {
		if !(math.Abs(float64(x)) <= 1e6) {
			return fmt.Errorf("%w: the teacher says %v", ErrFormat, x)
		}
	}
	if min(v.Win, v.Loss, v.NoResult) < 0 || math.Abs(float64(v.Win+v.Loss+v.NoResult)-1) > 1e-3 {
		return fmt.Errorf("%w: the teacher's win, loss and no result are %v, %v and %v", ErrFormat, v.Win, v.Loss, v.NoResult)
	}
	for _, p := range [][]float32{t.Policy, t.Optimistic} {
		if p != nil && total(p) <= 0 {
			return fmt.Errorf("%w: the teacher wants no move at all", ErrFormat)
		}
	}
	return nil
}

// total adds up the positive numbers.
func total(p []float32) float64 {
	sum := 0.0
	for _, x := range p {
		sum += float64(max(0, x))
	}
	return sum
}

// Taught reports whether row i holds a teacher's numbers.
func (s *Set) Taught(i int) bool { return s.targets(i)[TargetTaught] == taughtMark }

// Teach replaces the targets of row i by a teacher's numbers. Inputs, row weight and the facts of the
// game stay. After an error, which wraps ErrFormat, the row is unchanged.
func (s *Set) Teach(i int, t *Taught) error {
	size, err := s.board(i)
	if err != nil {
		return err
	}
	if err := t.check(size); err != nil {
		return fmt.Errorf("row %d: %w", i, err)
	}
	g, l := s.targets(i), s.Layout
	for _, at := range []int{TargetWin, TargetLong, TargetMiddle, TargetShort, TargetRoot} {
		g[at], g[at+1], g[at+2], g[at+3] = t.Value.Win, t.Value.Loss, t.Value.NoResult, t.Value.Score
	}
	for _, at := range []int{TargetFinalScore, TargetFinalWeight, TargetReplyWeight, TargetFutureWeight, TargetScoringWeight, TargetNoValue, TargetPlainEnd,
		TargetPolicySurprise, TargetPriorEntropy, TargetTargetEntropy, TargetRawWinLoss, TargetRawScore, TargetRawEntropy, TargetVisits} {
		g[at] = 0
	}
	clear(g[TargetTaught : lastFree+1])
	g[TargetTaught], g[TargetPolicyWeight], g[TargetNoTD] = taughtMark, 1, 1
	known := weightIf(t.HasScore)
	g[TargetTaughtScore], g[TargetLeadWeight], g[TargetLead] = known, known, known*t.Lead
	g[TargetTaughtStdev] = known * max(0, t.Stdev)
	g[TargetArrival], g[TargetTaughtValue], g[TargetTaughtPoints] = max(0, t.VarTime), max(0, t.ErrWinLoss), max(0, t.ErrScore)
	g[TargetTaughtOwners], g[TargetTaughtLucky] = weightIf(t.Ownership != nil), weightIf(t.Optimistic != nil)

	policy, n := s.policy(i), l.Area()+1
	l.putPolicy(policy[:n], t.Policy, size)
	l.putPolicy(policy[n:], t.Optimistic, size)
	points := s.points(i)
	clear(points)
	for p, o := range t.Ownership {
		points[l.slot(p, size)] = int8(math.Round(taughtOwnerScale * float64(max(-1, min(1, o)))))
	}
	scoreCells(s.scores(i), 0, false)
	return nil
}

func weightIf(known bool) float32 {
	if known {
		return 1
	}
	return 0
}

// putPolicy writes the probabilities p as weights; if p is nil, all weights are 1.
func (l Layout) putPolicy(dst []int16, p []float32, size board.Size) {
	if p == nil {
		fillOnes(dst)
		return
	}
	clear(dst)
	scale := taughtPolicyScale / total(p)
	for k, x := range p {
		dst[l.slot(k, size)] = int16(math.Round(scale * float64(max(0, x))))
	}
}

func (l Layout) slot(index int, size board.Size) int {
	if index == size.Area() {
		return l.Area()
	}
	return index/size.W*l.Side + index%size.W
}

// AppendTaught adds a row for a position: its inputs, and the teacher's numbers as targets. The
// hash identifies the game: rows with the same hash are held back together. Errors wrap ErrLayout
// or ErrFormat; the set is unchanged then.
func (b *Builder) AppendTaught(dst *Set, g *board.Game, hash [2]uint64, t *Taught) error {
	if err := b.fits(dst, g.Size()); err != nil {
		return err
	}
	if err := t.check(g.Size()); err != nil {
		return err
	}
	b.game.CopyFrom(g)
	i := dst.grow()
	b.encode(dst, i)
	b.gameTargets(dst.targets(i), &gameFacts{Game: &Game{Start: g, Hash: hash}}, &Turn{})
	if err := dst.Teach(i, t); err != nil {
		dst.resize(i)
		return err
	}
	return nil
}

func (s *Set) checkTaught(i int) error {
	g := s.targets(i)
	for _, k := range []int{TargetFinalWeight, TargetFutureWeight, TargetScoringWeight} {
		if g[k] != 0 {
			return fmt.Errorf("%w: row %d is taught, but the weight in global target %d, which needs a game's end, is %v, not 0", ErrFormat, i, k, g[k])
		}
	}
	for _, k := range []int{TargetArrival, TargetTaughtScore, TargetTaughtOwners, TargetTaughtStdev, TargetTaughtValue, TargetTaughtPoints, TargetTaughtLucky} {
		if g[k] < 0 || g[k] > 1e6 {
			return fmt.Errorf("%w: row %d is taught, but its global target %d is %v; use 0 to a million", ErrFormat, i, k, g[k])
		}
	}
	if g[TargetTaughtLucky] > 0 && g[TargetReplyWeight] > 0 {
		return fmt.Errorf("%w: row %d is taught: policy channel 1 is either optimistic or a reply, and both have a weight", ErrFormat, i)
	}
	for k, o := range s.points(i)[:s.Layout.Area()] {
		if o < -taughtOwnerScale || o > taughtOwnerScale {
			return fmt.Errorf("%w: row %d is taught, but the owner of point %d is %d/120", ErrFormat, i, k, o)
		}
	}
	return nil
}

// tidyTaught prepares the columns of a row that KataGo's format leaves unused. A taught row gets 1 in
// TargetTaught and keeps the teacher's numbers. In other rows they are set to 0, whatever they hold.
func tidyTaught(g []float32) (taught bool) {
	if g[TargetTaught] == taughtMark {
		g[TargetTaught] = 1
		return true
	}
	clear(g[TargetTaught : lastFree+1])
	return false
}

// TaughtBy converts a network's answer and its optimistic policy, which may be nil. The
// result shares the answer's slices.
func TaughtBy(out *nn.Output, optimistic []float32, size board.Size) *Taught {
	n := size.Area() + 1
	t := &Taught{Policy: out.Policy[:n], Optimistic: optimistic, Value: Value{out.Win, out.Loss, out.NoResult, out.ScoreMean}, HasScore: out.HasScore,
		Stdev: out.ScoreStdev, Lead: out.Lead, VarTime: out.VarTimeLeft, ErrWinLoss: out.ErrWinLoss, ErrScore: out.ErrScore}
	if out.HasOwnership {
		t.Ownership = out.Ownership[:n-1]
	}
	return t
}
