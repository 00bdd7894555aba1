package review

import (
	"math"
	"slices"

	"kosumi/board"
)

// threatLeft finds a threat by the opponent that the better move answers and the mistake does not. The
// threat is what the opponent's best move would do after a pass.
func (k *mistake) threatLeft() (*found, error) {
	e, err := k.afterPass()
	if e == nil || len(e.Moves) == 0 || e.Moves[0].Move == "pass" {
		return nil, err
	}
	line := append([]string{"pass"}, e.Moves[0].Line...)
	end, _, lost := k.playLine(line)
	own, move := k.view(e.Ownership), e.Moves[0].Move
	list := k.threats(Threat, move, line, slices.DeleteFunc(k.clusters(lost), func(s []board.Point) bool {
		return mean(own, s) >= 0 || mean(k.diff, s) <= partFrom || mean(k.bestOwn, s) <= keptFrom
	}), Captured)
	weaker := make([]float64, len(own))
	for i := range own {
		weaker[i] = k.bestOwn[i] - own[i]
	}
	if f, ok := k.linked(Parted, k.mover, k.afterBest.Board(), end.Board(), weaker); ok {
		for _, t := range k.threats(Threat, move, line, [][]board.Point{f.at}, Parted) {
			t.Of.Others = f.Others
			list = append(list, t)
		}
	}
	for _, c := range []struct {
		of            ClaimKind
		better, worse float64
	}{{Dies, sureFrom, -sureFrom}, {Weak, 2 * likely, -2 * likely}} {
		var lost []board.Point
		for _, g := range k.groups(k.mover, func(chain []board.Point) bool {
			return k.better.least(chain) > c.better && mean(own, chain) < c.worse && mean(k.diff, chain) > partFrom
		}) {
			lost, list = append(lost, g...), k.outweighed(list, g)
		}
		list = append(list, k.threats(Threat, move, line, k.clusters(lost), c.of)...)
	}
	return heaviest(list), nil
}

// betterThreatens finds a threat made by the better move: what the mover's next move does if the
// opponent passes.
func (k *mistake) betterThreatens() (*found, error) {
	if k.best < 0 {
		return nil, nil
	}
	var err error
	if k.ignored, err = k.lookAfter(k.best, board.Pass); k.ignored == nil || len(k.ignored.Moves) == 0 || k.tenuki() < leastShare*k.loss {
		return nil, err
	}
	line := append([]string{k.bestV, "pass"}, k.ignored.Moves[0].Line...)
	_, taken, _ := k.playLine(line)
	own := k.view(k.ignored.Ownership)
	taken = slices.DeleteFunc(taken, func(p board.Point) bool { return k.own[p] > keptFrom || own[p] < keptFrom })
	list := k.threats(Threatens, k.bestV, line, k.clusters(taken), Captured)
	for _, c := range []struct {
		of            ClaimKind
		color         board.Color
		before, after float64
	}{{Dies, k.mover.Opponent(), keptFrom, sureFrom}, {Saves, k.mover, keptFrom, sureFrom}, {Weak, k.mover.Opponent(), -2 * likely, 2 * likely}} {
		var changed []board.Point
		for _, g := range k.groups(c.color, func(chain []board.Point) bool {
			return k.better.most(chain) < c.before && k.worse.most(chain) < c.before && mean(own, chain) > c.after
		}) {
			changed = append(changed, g...)
		}
		list = append(list, k.threats(Threatens, k.bestV, line, k.clusters(changed), c.of)...)
	}
	return heaviest(list), nil
}

// threats returns claims of the given kind, Threat or Threatens, for groups of stones near the move; of is
// what happens to them. Threats that account for too little of the loss, see [mistake.claim], are left out.
func (k *mistake) threats(kind ClaimKind, move string, line []string, stones [][]board.Point, of ClaimKind) (list []found) {
	after := AfterPass
	if kind == Threatens {
		after = AfterTenuki
	}
	for _, c := range stones {
		f, ok := k.claim(of, after, move, c, 1)
		if at, err := k.size.ParseVertex(move); err != nil || !k.near(c, at) || kind == Threat && !ok {
			continue
		}
		about := f.Claim
		f.Claim = Claim{Kind: kind, After: after, Move: move, Line: line[:min(len(line), lineLength)], Of: &about}
		f.score = max(f.score, float64(len(c)))
		list = append(list, f)
	}
	return list
}

// afterPass returns the evaluation after a pass in place of the mistake; nil if unknown.
func (k *mistake) afterPass() (e *Eval, err error) {
	if k.passed == nil {
		k.passed, err = k.lookAfter(board.Pass)
	}
	return k.passed, err
}

// tenuki returns how many points the mover's next move gains if the opponent passes after the
// better move. k.ignored must be known.
func (k *mistake) tenuki() float64 { return k.leadAt(k.ignored) - k.bestLead }

// quiet returns claims that name no stones: territory, values, sente, shape or direction.
func (k *mistake) quiet() (list []found, err error) {
	if big := k.bigPart(); big != nil {
		f := found{Claim: k.betterMove(Holds), at: big.points, worth: big.sum}
		f.Region, f.Area = Region(k.size, big.points), k.vertices(big.points)
		list = append(list, f)
	}
	values, err := k.values()
	if list = append(list, values...); err != nil || len(list) > 0 {
		return list[:min(2, len(list))], err
	}
	f := found{Claim: k.betterMove(Worth)}
	if f.at = k.emptyTriangle(); f.at != nil {
		f.Kind, f.Stones, f.Color, f.After = Shape, k.vertices(f.at), letter(k.mover), AfterPlayed
	} else if k.best >= 0 && k.played >= 0 && k.distance(k.best, k.played) >= k.size.W/3 {
		if to := Region(k.size, []board.Point{k.best}); to != Region(k.size, []board.Point{k.played}) {
			f.Kind, f.Region = Direct, to
		}
	}
	return []found{f}, nil
}

// values compares the mistake and the better move with a pass: how much each gains, and whether the
// opponent must answer, as far as that is certain.
func (k *mistake) values() (list []found, err error) {
	passed, err := k.afterPass()
	if passed == nil || k.played < 0 || k.best < 0 {
		return nil, err
	}
	wrong := 3 * math.Hypot(k.err, passed.spread()) // three standard errors
	value := k.lead - k.leadAt(passed)
	gain := value + k.leastLoss
	if value > -wrong && value+wrong < 0.5*gain {
		f := found{Claim: Claim{Kind: Small, After: AfterPass, Line: []string{"pass"}, Move: k.bestV}}
		switch {
		case k.own[k.played] > 0.9 && k.bestOwn[k.played] > 0.9 && value < 1:
			f.Kind = Inside
		case k.last >= 0 && k.distance(k.played, k.last) <= answerNear && k.distance(k.best, k.last) >= farFromLast:
			f.Kind = Unneeded
		}
		if len(passed.Moves) > 0 {
			f.Line = append(f.Line, passed.Moves[0].Line[:min(len(passed.Moves[0].Line), lineLength-1)]...)
		}
		list = append(list, f)
	}
	if k.ignored == nil || k.tenuki() < 1.5*gain+wrong {
		return list, nil
	}
	f := found{Claim: k.betterMove(Sente)}
	f.After, f.Line = AfterTenuki, []string{k.bestV, "pass"}
	if len(k.ignored.Moves) > 0 {
		f.Line = append(f.Line, k.ignored.Moves[0].Line[:min(len(k.ignored.Moves[0].Line), lineLength-2)]...)
	}
	list = append(list, f)
	e, err := k.lookAfter(k.played, board.Pass)
	if e != nil && k.leadAt(e)-k.lead < gain-wrong {
		f.Kind, f.After, f.Move, f.Line = Gote, AfterPlayed, k.playedV, nil
		list = append(list, f)
	}
	return list, err
}

// emptyTriangle returns the stones of an empty triangle that the mistake makes, nil for none.
func (k *mistake) emptyTriangle() []board.Point {
	if k.played < 0 {
		return nil
	}
	x, y := k.size.XY(k.played)
	for _, d := range [][2]int{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
		if x+d[0] < 0 || x+d[0] >= k.size.W || y+d[1] < 0 || y+d[1] >= k.size.H {
			continue
		}
		corner, empty := []board.Point{k.played}, 0
		for _, p := range []board.Point{k.size.Point(x+d[0], y), k.size.Point(x, y+d[1]), k.size.Point(x+d[0], y+d[1])} {
			switch k.before.At(p) {
			case k.mover:
				corner = append(corner, p)
			case board.Empty:
				empty++
			}
		}
		if len(corner) == 3 && empty == 1 {
			return corner
		}
	}
	return nil
}
