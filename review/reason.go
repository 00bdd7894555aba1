package review

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"kosumi/board"
)

// Kind is what sort of mistake a move was.
type Kind string

// The kinds of mistakes, in the order in which they are looked for.
const (
	MissedCapture Kind = "missed capture"
	MissedSave    Kind = "stones not saved"
	SelfAtari     Kind = "self-atari"
	Ladder        Kind = "ladder"
	GroupLost     Kind = "group lost"
	LetLive       Kind = "let live"
	Cut           Kind = "connection"
	GroupWeak     Kind = "group weakened"
	OwnTerritory  Kind = "own territory"
	Tenuki        Kind = "tenuki"
	TooSmall      Kind = "answered too small"
	Direction     Kind = "direction"
	Territory     Kind = "territory"
	EndgameKind   Kind = "endgame"
	Other         Kind = "other"
)

// mistake is a bad move that is to be explained. Ownership is the mover's, -1..1.
type mistake struct {
	size          board.Size
	mover         board.Color
	before        *board.Game
	afterBest     *board.Game // after the first plies of the better line
	afterPlayed   *board.Game // after the move and its punishment
	played, best  board.Point
	last          board.Point // the opponent's last move
	own           []float64   // before, at the root
	bestOwn, did  []float64   // after the better move, after the played one
	diff          []float64   // bestOwn - did
	loss, err     float64
	phase         Phase
	taken, punish []board.Point // stones the better line captures; own ones that the played line loses
	parts         []part
	partOf        []int  // part of each point, -1 for none
	bestV         string // the vertex of best
}

// explain fills kind, reason and points of a move that lost something.
func (r *run) explain(t int, m *Move) error {
	k, err := r.mistakeAt(t, m)
	if err != nil || k == nil {
		return err
	}
	kind, text, where := k.reason()
	if kind == "" {
		kind, text = Other, fmt.Sprintf("%s is %s better.", k.bestV, Points(m.Loss, m.Error))
		if m.Phase == Endgame {
			kind = EndgameKind
		}
	}
	m.Kind, m.Reason = kind, text+k.turned()
	for _, p := range where {
		m.Points = append(m.Points, k.size.Vertex(p))
	}
	return nil
}

// reason is the first one that fits, "" for none: what becomes of a few stones gives
// way to what becomes of a group at least twice as large.
func (k *mistake) reason() (Kind, string, []board.Point) {
	type rule func() (Kind, string, []board.Point)
	first := func(rules ...rule) (Kind, string, []board.Point) {
		for _, r := range rules {
			if kind, text, where := r(); kind != "" {
				return kind, text, where
			}
		}
		return "", "", nil
	}
	kind, text, where := first(k.missedCapture, k.missedSave, k.selfAtari, k.ladder, k.runsInLadder)
	if kind == "" || len(where) < 4 {
		if big, said, group := first(k.groupLost, k.letLive); big != "" && len(group) >= 2*len(where) {
			kind, text, where = big, said, group
		}
	}
	if kind != "" {
		return kind, text, where
	}
	return first(k.cut, k.groupWeak, k.ownTerritory, k.tenuki, k.tooSmall, k.direction, k.territory)
}

// lineLength is how many plies of a line are played out to see what it captures.
const lineLength = 8

// mistakeAt gathers what is known about a mistake; nil if there is no better move.
func (r *run) mistakeAt(t int, m *Move) (*mistake, error) {
	before, after := r.evals[t], r.evals[t+1]
	if len(before.Moves) == 0 || len(before.Moves[0].Line) == 0 || before.Moves[0].Move == m.Move {
		return nil, nil
	}
	game, err := r.game.Position(t)
	if err != nil {
		return nil, err
	}
	k := &mistake{size: game.Size(), mover: r.game.Moves[t].Color, before: game, played: r.game.Moves[t].Point,
		last: board.NoPoint, loss: m.Loss, err: m.Error, phase: m.Phase, bestV: before.Moves[0].Move}
	if k.best, err = k.size.ParseVertex(k.bestV); err != nil {
		return nil, err
	}
	if t > 0 {
		k.last = r.game.Moves[t-1].Point
	}
	k.own, k.bestOwn, k.did = k.view(before.Ownership), k.view(before.BestOwnership), k.view(after.Ownership)
	k.afterBest, k.taken, _ = k.playLine(before.Moves[0].Line)
	var answer []string
	if len(after.Moves) > 0 {
		answer = after.Moves[0].Line
	}
	k.afterPlayed, _, k.punish = k.playLine(append([]string{m.Move}, answer...))
	k.findParts()
	return k, nil
}

// view turns Black's ownership into the mover's.
func (k *mistake) view(o Owners) []float64 {
	out := make([]float64, k.size.Area())
	sign := 0.01
	if k.mover == board.White {
		sign = -sign
	}
	for i := range o {
		out[i] = sign * float64(o[i])
	}
	return out
}

// playLine plays the first plies of a line, the mover first, and returns the stones
// of either side that were captured.
func (k *mistake) playLine(line []string) (g *board.Game, theirs, ours []board.Point) {
	g = &board.Game{}
	g.CopyFrom(k.before)
	color := k.mover
	for _, v := range line[:min(len(line), lineLength)] {
		p, err := k.size.ParseVertex(v)
		if err != nil {
			break
		}
		var old [board.MaxPoints]board.Color
		for i := range k.size.Area() {
			old[i] = g.At(board.Point(i))
		}
		if g.PlayTolerant(color, p) != nil {
			break
		}
		for i := range k.size.Area() {
			q := board.Point(i)
			if g.At(q) != board.Empty || old[i] == board.Empty || k.before.At(q) != old[i] {
				continue // only stones that stood there before
			}
			if old[i] == k.mover {
				ours = append(ours, q)
			} else {
				theirs = append(theirs, q)
			}
		}
		color = color.Opponent()
	}
	return g, theirs, ours
}

func (k *mistake) missedCapture() (Kind, string, []board.Point) {
	if len(k.taken) < 3 || k.loss < 3 || k.mean(k.diff, k.taken) < 0.5 || !k.explains(k.taken) {
		return "", "", nil
	}
	return MissedCapture, fmt.Sprintf("%s captures %s at %s; worth %s.", k.bestV, stones(len(k.taken)), k.at(k.taken), Points(k.worth(k.taken), k.err)), k.taken
}

func (k *mistake) missedSave() (Kind, string, []board.Point) {
	var lost []board.Point
	for _, p := range k.punish {
		if k.before.At(p) == k.mover && k.before.Board().Liberties(p) == 1 && k.afterBest.At(p) == k.mover {
			lost = append(lost, p)
		}
	}
	if len(lost) == 0 || !k.explains(lost) {
		return "", "", nil
	}
	return MissedSave, fmt.Sprintf("%s in atari at %s: %s saves %s.", stones(len(lost)), k.at(lost), k.bestV, them(len(lost))), lost
}

func (k *mistake) selfAtari() (Kind, string, []board.Point) {
	if k.played == board.Pass {
		return "", "", nil
	}
	var after board.Game
	after.CopyFrom(k.before)
	if after.PlayTolerant(k.mover, k.played) != nil || after.At(k.played) != k.mover || after.Board().Liberties(k.played) != 1 {
		return "", "", nil
	}
	chain := after.Board().Chain(nil, k.played)
	if k.afterPlayed.At(k.played) == k.mover || k.mean(k.did, chain) > 0 || !k.explains(chain) {
		return "", "", nil
	}
	return SelfAtari, fmt.Sprintf("Puts %s in atari, and loses %s.", stones(len(chain)), them(len(chain))), chain
}

func (k *mistake) ladder() (Kind, string, []board.Point) {
	played, best := k.caught(k.played), k.caught(k.best)
	var lost []board.Point
	inLadder := false
	for p, liberties := range played {
		if _, either := best[p]; !either && k.before.At(p) == k.mover {
			lost = append(lost, p)
			inLadder = inLadder || liberties > 1
		}
	}
	slices.Sort(lost)
	if len(lost) < 2 || k.mean(k.did, lost) > 0 || !k.explains(lost) {
		return "", "", nil
	}
	if !inLadder {
		return MissedSave, fmt.Sprintf("%s at %s can be taken after this; %s prevents it.", stones(len(lost)), k.at(lost), k.bestV), lost
	}
	return Ladder, fmt.Sprintf("%s at %s can be caught in a ladder after this; %s prevents it.", stones(len(lost)), k.at(lost), k.bestV), lost
}

// runsInLadder finds a chain that could be caught before the move and was made longer
// by it in vain.
func (k *mistake) runsInLadder() (Kind, string, []board.Point) {
	if k.played < 0 || k.best < 0 || k.distance(k.played, k.best) <= 2 || k.caught(k.played)[k.played] == 0 {
		return "", "", nil
	}
	var after board.Game
	after.CopyFrom(k.before)
	if after.PlayTolerant(k.mover, k.played) != nil || after.Board().Liberties(k.played) != 2 {
		return "", "", nil
	}
	chain, before := after.Board().Chain(nil, k.played), k.caught(board.Pass)
	if k.mean(k.did, chain) > 0 || !slices.ContainsFunc(chain, func(p board.Point) bool { return before[p] > 0 }) {
		return "", "", nil
	}
	return Ladder, fmt.Sprintf("Runs on in a ladder that does not work; %s is %s better.", k.bestV, Points(k.loss, k.err)), chain
}

// caught returns the mover's stones that the opponent can catch after a move, with
// their liberties: one of those in atari, two of those in a ladder.
func (k *mistake) caught(move board.Point) map[board.Point]int {
	var after board.Game
	after.CopyFrom(k.before)
	if after.PlayTolerant(k.mover, move) != nil {
		return nil
	}
	b := after.Board()
	out := map[board.Point]int{}
	add := func(head board.Point, liberties int) {
		for _, p := range b.Chain(nil, head) {
			out[p] = liberties
		}
	}
	for p := range board.Point(k.size.Area()) {
		if b.At(p) == k.mover && b.ChainHead(p) == p && b.Liberties(p) == 1 {
			add(p, 1)
		}
	}
	var scratch board.LadderScratch
	for _, l := range b.Ladders(&scratch) {
		if l.Color == k.mover && l.Liberties == 2 {
			add(l.Head, 2)
		}
	}
	return out
}

func (k *mistake) groupLost() (Kind, string, []board.Point) {
	group := k.chains(k.mover, 4, func(best, did float64) bool { return best > 0.3 && did < -0.3 || best-did >= 1 })
	if group == nil {
		return "", "", nil
	}
	return GroupLost, fmt.Sprintf("The group at %s (%s) can be killed after this; %s makes it live.", k.at(group), stones(len(group)), k.bestV), group
}

func (k *mistake) letLive() (Kind, string, []board.Point) {
	group := k.chains(k.mover.Opponent(), 4, func(best, did float64) bool { return best > 0.3 && did < -0.3 || best-did >= 1 })
	if group == nil {
		return "", "", nil
	}
	return LetLive, fmt.Sprintf("%s would have killed the group at %s (%s).", k.bestV, k.at(group), stones(len(group))), group
}

func (k *mistake) groupWeak() (Kind, string, []board.Point) {
	group := k.chains(k.mover, 4, func(best, did float64) bool { return best-did >= 0.4 })
	if group == nil {
		return "", "", nil
	}
	return GroupWeak, fmt.Sprintf("Leaves the group at %s weak; %s is %s better.", k.at(group), k.bestV, Points(k.loss, k.err)), group
}

// chains returns the stones of all chains of a colour of some size whose mean
// ownership changed as asked, if they explain the loss.
func (k *mistake) chains(color board.Color, least int, changed func(best, did float64) bool) []board.Point {
	b := k.before.Board()
	var group []board.Point
	for p := range board.Point(k.size.Area()) {
		if b.At(p) != color || b.ChainHead(p) != p {
			continue
		}
		chain := b.Chain(nil, p)
		if changed(k.mean(k.bestOwn, chain), k.mean(k.did, chain)) {
			group = append(group, chain...)
		}
	}
	if len(group) < least || !k.explains(group) || !k.near(group, k.best) {
		return nil
	}
	return group
}

// cut finds two chains that the better line connects and the played one does not.
func (k *mistake) cut() (Kind, string, []board.Point) {
	b, won, lost := k.before.Board(), k.afterBest.Board(), k.afterPlayed.Board()
	var heads []board.Point
	for p := range board.Point(k.size.Area()) {
		if b.At(p) == k.mover && b.ChainHead(p) == p && b.ChainSize(p) >= 2 && won.At(p) == k.mover && lost.At(p) == k.mover {
			heads = append(heads, p)
		}
	}
	for i, p := range heads {
		for _, q := range heads[i+1:] {
			if won.ChainHead(p) != won.ChainHead(q) || lost.ChainHead(p) == lost.ChainHead(q) {
				continue
			}
			both := b.Chain(b.Chain(nil, p), q)
			if k.mean(k.diff, both) > partFrom && k.explains(both) {
				return Cut, fmt.Sprintf("%s connects %s and %s; now %s can cut.", k.bestV, k.size.Vertex(p), k.size.Vertex(q), name(k.mover.Opponent())), both
			}
		}
	}
	return "", "", nil
}

func (k *mistake) ownTerritory() (Kind, string, []board.Point) {
	if k.played < 0 || k.own[k.played] <= 0.9 || k.bestOwn[k.played] <= 0.9 {
		return "", "", nil
	}
	said := "Inside one's own territory"
	if _, dead, _ := k.playLine([]string{k.size.Vertex(k.played)}); len(dead) > 0 {
		said = "Takes what is dead anyway"
	}
	return OwnTerritory, fmt.Sprintf("%s; %s is %s better.", said, k.bestV, Points(k.loss, k.err)), nil
}

func (k *mistake) tenuki() (Kind, string, []board.Point) {
	if k.last < 0 || k.best < 0 || k.played >= 0 && k.distance(k.played, k.last) < 7 || k.distance(k.best, k.last) > 4 {
		return "", "", nil
	}
	return Tenuki, fmt.Sprintf("Away too early: the answer at %s is worth %s more.", k.bestV, Points(k.loss, k.err)), nil
}

func (k *mistake) tooSmall() (Kind, string, []board.Point) {
	if k.last < 0 || k.best < 0 || k.played < 0 || k.distance(k.played, k.last) > 4 || k.distance(k.best, k.last) < 7 {
		return "", "", nil
	}
	return TooSmall, fmt.Sprintf("No need to answer; %s is bigger by %s.", k.bestV, Points(k.loss, k.err)), nil
}

func (k *mistake) direction() (Kind, string, []board.Point) {
	if k.phase != Opening || k.best < 0 || k.played < 0 || k.distance(k.best, k.played) < k.size.W/3 || k.inContact(k.played) {
		return "", "", nil
	}
	from, to := k.region([]board.Point{k.played}), k.region([]board.Point{k.best})
	if from == to {
		return "", "", nil
	}
	return Direction, fmt.Sprintf("The bigger place is the %s: %s is %s better.", to, k.bestV, Points(k.loss, k.err)), nil
}

func (k *mistake) territory() (Kind, string, []board.Point) {
	if len(k.parts) == 0 {
		return "", "", nil
	}
	big := slices.MaxFunc(k.parts, func(a, b part) int { return cmp.Compare(a.sum, b.sum) })
	if big.sum < 0.6*k.loss || !k.near(big.points, k.best) && !k.near(big.points, k.played) {
		return "", "", nil
	}
	return Territory, fmt.Sprintf("%s gains %s in the %s.", k.bestV, Points(math.Min(big.sum, k.loss), k.err), k.region(big.points)), big.points
}

// inContact reports whether a move touches a stone of the opponent's: then it belongs to
// a fight.
func (k *mistake) inContact(move board.Point) bool {
	b := k.before.Board()
	return slices.ContainsFunc(b.Neighbors(move), func(q board.Point) bool { return b.At(q) == k.mover.Opponent() })
}

// mean is the mean of a map over some points.
func (k *mistake) mean(of []float64, points []board.Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += of[p]
	}
	return sum / float64(max(1, len(points)))
}

func (k *mistake) distance(p, q board.Point) int {
	px, py := k.size.XY(p)
	qx, qy := k.size.XY(q)
	return max(px-qx, qx-px) + max(py-qy, qy-py)
}

// near reports whether a move lies in or beside some points.
func (k *mistake) near(points []board.Point, move board.Point) bool {
	return move >= 0 && slices.ContainsFunc(points, func(p board.Point) bool { return k.distance(p, move) <= 3 })
}

// at names a group by one of its stones.
func (k *mistake) at(points []board.Point) string { return k.size.Vertex(slices.Min(points)) }

// region names the part of the board that some points lie in.
func (k *mistake) region(points []board.Point) string {
	x, y := 0.0, 0.0
	for _, p := range points {
		px, py := k.size.XY(p)
		x, y = x+float64(px)+0.5, y+float64(py)+0.5
	}
	x, y = x/float64(len(points))/float64(k.size.W), y/float64(len(points))/float64(k.size.H)
	third := func(v float64, low, high string) string {
		switch {
		case v < 1.0/3:
			return low
		case v > 2.0/3:
			return high
		}
		return ""
	}
	column, row := third(x, "left", "right"), third(y, "upper", "lower")
	switch {
	case column != "" && row != "":
		return row + " " + column + " corner"
	case column != "":
		return column + " side"
	case row != "":
		return row + " side"
	}
	return "centre"
}

func stones(n int) string {
	if n == 1 {
		return "1 stone"
	}
	return fmt.Sprintf("%d stones", n)
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func name(c board.Color) string {
	if c == board.Black {
		return "Black"
	}
	return "White"
}
