package review

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
)

// found is a claim with the points that it is about and what it accounts for, in points.
type found struct {
	Claim
	at    []board.Point
	worth float64
	score float64 // worth, weighted by how much the claim tells
}

// Conditions of claims. Ownership is the mover's, the mean over some stones.
const (
	sureFrom    = 0.84 // of stones that live; dead ones are below its negative
	lostBelow   = -0.5 // of captured stones' points
	lostBy      = 0.7  // by which the mistake changes the owner of captured stones
	keptFrom    = 0.3  // of stones that the other line keeps
	weakerBy    = 0.4  // by which a cut makes stones weaker
	riskierBy   = 0.3  // by which stones lose or gain that are neither dead nor alive
	leastShare  = 0.25 // of the loss that a claim accounts for
	leastPoints = 1.0  // that a claim accounts for
	answerNear  = 4    // greatest distance of an answer from the opponent's last move
	farFromLast = 7    // least distance of a move that is elsewhere
)

// claims returns one or two claims: what the mistake let happen, and what the better move
// does.
func (k *mistake) claims() ([]found, error) {
	let, do := heaviest(k.letHappen()), heaviest(k.betterDoes())
	var err error
	if let == nil && (do == nil || do.worth < 0.5*k.loss) {
		if let, err = k.threatLeft(); err != nil {
			return nil, err
		}
	}
	if let == nil {
		if let, err = k.ownValue(do == nil); err != nil {
			return nil, err
		}
	}
	concrete := let != nil && let.Concrete()
	switch {
	case concrete && (do == nil || do.worth < 0.8*let.worth || overlaps(do.at, let.at)):
		if do = k.answerTo(let); do == nil {
			return []found{*let}, nil
		}
	case do == nil:
		if do, err = k.betterThreatens(); err != nil {
			return nil, err
		}
	}
	if do == nil {
		do = k.quiet()
	}
	switch {
	case let == nil && do == nil:
		return []found{{Claim: k.betterMove(Worth)}}, nil
	case let == nil:
		return []found{*do}, nil
	case do == nil:
		return []found{*let}, nil
	case !concrete && do.Concrete():
		return []found{*do, *let}, nil // stones before points
	}
	return []found{*let, *do}, nil
}

// heaviest returns the claim that accounts for most, nil for none.
func heaviest(list []found) *found {
	if len(list) == 0 {
		return nil
	}
	f := slices.MaxFunc(list, func(a, b found) int { return cmp.Compare(a.score, b.score) })
	return &f
}

func overlaps(a, b []board.Point) bool {
	return slices.ContainsFunc(a, func(p board.Point) bool { return slices.Contains(b, p) })
}

// betterMove returns a claim about the better move, with the loss.
func (k *mistake) betterMove(kind ClaimKind) Claim {
	return Claim{Kind: kind, After: AfterBetter, Move: k.bestV, Number: Round(k.loss, 1)}
}

// claim returns a claim about stones, and reports whether it accounts for enough of the loss.
func (k *mistake) claim(kind ClaimKind, after Line, move string, stones []board.Point, weight float64) (found, bool) {
	if len(stones) == 0 || move == "" {
		return found{}, false
	}
	slices.Sort(stones)
	c := Claim{Kind: kind, After: after, Move: move, Stones: k.vertices(stones), Color: letter(k.colorAt(stones[0])), Number: Round(math.Min(k.worth(stones), k.loss), 1)}
	w := k.worth(stones)
	f := found{c, stones, w, w * weight * (1 + 0.12*math.Log2(float64(len(stones))))} // a group before a stone
	return f, w >= max(leastPoints, leastShare*k.loss)
}

// colorAt is the colour of a stone before the mistake; that of the mistake itself is the
// mover's.
func (k *mistake) colorAt(p board.Point) board.Color {
	if c := k.before.At(p); c != board.Empty {
		return c
	}
	return k.mover
}

func (k *mistake) vertices(points []board.Point) (list []string) {
	for _, p := range points {
		list = append(list, k.size.Vertex(p))
	}
	return list
}

// letHappen returns what the mistake and its refutation do to stones.
func (k *mistake) letHappen() (list []found) {
	add := func(f found, ok bool) {
		if ok {
			list = append(list, f)
		}
	}
	reply := k.reply
	if reply == "pass" {
		reply = ""
	}
	for _, lost := range k.clusters(k.punish) {
		kept := true
		for _, p := range lost {
			kept = kept && (p == k.played || k.afterBest.At(p) == k.mover)
		}
		if kept && mean(k.did, lost) < lostBelow && (slices.Contains(lost, k.played) || mean(k.diff, lost) > lostBy) {
			add(k.claim(Captured, AfterPlayed, reply, lost, 1.5))
		}
	}
	for _, f := range k.hunted() {
		add(f, true)
	}
	sure := func(chain []board.Point) bool {
		return k.better.least(chain) > sureFrom && k.worse.most(chain) < -sureFrom
	}
	for _, group := range k.groups(k.mover, sure) {
		add(k.claim(Dies, AfterPlayed, reply, group, 1.3))
	}
	for _, group := range k.groups(k.mover.Opponent(), sure) {
		add(k.claim(Lives, AfterPlayed, reply, group, 1.3))
	}
	add(k.parted(reply))
	for color, kind := range map[board.Color]ClaimKind{k.mover: Weak, k.mover.Opponent(): Stronger} {
		changed := func(chain []board.Point) bool { c, _, _ := k.change(chain); return c > riskierBy }
		for _, group := range k.groups(color, changed) {
			f, ok := k.claim(kind, AfterPlayed, k.bestV, group, 0.9)
			_, best, did := k.change(group)
			if kind == Stronger {
				best, did = -best, -did
			}
			chance := func(own float64) float64 { return min(95, max(5, 10*math.Round(5+5*own))) }
			f.Number, f.Against = chance(did), chance(best)
			add(f, ok)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(a.Move+string(a.Kind), b.Move+string(b.Kind)) })
	return list
}

// hunted returns the mover's stones that can be caught in a ladder, or taken at once, after the mistake and not after
// the better move.
func (k *mistake) hunted() (list []found) {
	played, best := k.caught(k.played), k.caught(k.best)
	var lost []board.Point
	moves := map[board.Point]hunt{}
	for p, h := range played {
		if _, either := best[p]; !either && h.color == k.mover {
			lost = append(lost, p)
			moves[p] = h
		}
	}
	slices.Sort(lost)
	for _, c := range k.clusters(lost) {
		if mean(k.did, c) > lostBelow || mean(k.diff, c) < lostBy {
			continue
		}
		kind := Laddered
		if moves[c[0]].liberties == 1 {
			kind = Captured
		}
		if f, ok := k.claim(kind, AfterPlayed, k.size.Vertex(moves[c[0]].move), c, 1.4); ok {
			list = append(list, f)
		}
	}
	return list
}

// hunt is how a chain can be caught.
type hunt struct {
	color     board.Color
	liberties int
	move      board.Point // that begins it
}

// caught returns the stones that the opponent can catch after a move of the mover's, by a
// capture or in a ladder, and those of the opponent's that cannot escape though it is its turn.
func (k *mistake) caught(move board.Point) map[board.Point]hunt {
	var after board.Game
	after.CopyFrom(k.before)
	if after.PlayTolerant(k.mover, move) != nil {
		return nil
	}
	b := after.Board()
	out := map[board.Point]hunt{}
	add := func(head board.Point, h hunt) {
		h.color = b.At(head)
		for _, p := range b.Chain(nil, head) {
			out[p] = h
		}
	}
	for p := range board.Point(k.size.Area()) {
		if b.At(p) == k.mover && b.ChainHead(p) == p && b.Liberties(p) == 1 {
			if at := b.LibertyPoints(nil, p)[0]; after.Legal(k.mover.Opponent(), at) == nil {
				add(p, hunt{liberties: 1, move: at})
			}
		}
	}
	var scratch board.LadderScratch
	for _, l := range b.Ladders(&scratch) {
		switch {
		case l.Color == k.mover && l.Liberties == 2 && l.Count > 0:
			add(l.Head, hunt{liberties: 2, move: l.Working[0]})
		case l.Color != k.mover && l.Liberties == 1:
			add(l.Head, hunt{liberties: 1, move: move})
		}
	}
	return out
}

// parted finds two chains that the better line connects and the played one does not, the
// smaller of which is weaker for it.
func (k *mistake) parted(reply string) (best found, ok bool) {
	b, won, lost := k.before.Board(), k.afterBest.Board(), k.afterPlayed.Board()
	var heads []board.Point
	for p := range board.Point(k.size.Area()) {
		if b.At(p) == k.mover && b.ChainHead(p) == p && won.At(p) == k.mover && lost.At(p) == k.mover {
			heads = append(heads, p)
		}
	}
	for i, p := range heads {
		for _, q := range heads[i+1:] {
			if won.ChainHead(p) != won.ChainHead(q) || lost.ChainHead(p) == lost.ChainHead(q) {
				continue
			}
			small, large := b.Chain(nil, p), b.Chain(nil, q)
			if mean(k.diff, small) < mean(k.diff, large) {
				small, large = large, small
			}
			if c, _, _ := k.change(small); c < weakerBy {
				continue
			}
			if f, enough := k.claim(Parted, AfterPlayed, reply, small, 1.2); enough && (!ok || f.score > best.score) {
				f.Others = k.vertices(large)
				best, ok = f, true
			}
		}
	}
	return best, ok
}

// betterDoes returns what the better line does to the opponent's stones.
func (k *mistake) betterDoes() (list []found) {
	gain := func(stones []board.Point) bool {
		return mean(k.bestOwn, stones) > -lostBelow && mean(k.did, stones) < keptFrom
	}
	for _, c := range k.clusters(k.taken) {
		stand := !slices.ContainsFunc(c, func(p board.Point) bool { return k.afterPlayed.At(p) == k.mover })
		if f, ok := k.claim(Takes, AfterBetter, k.bestV, c, 1.4); ok && stand && gain(c) {
			list = append(list, f)
		}
	}
	best, played := k.caught(k.best), k.caught(k.played)
	var hunted []board.Point
	for p, h := range best {
		if _, either := played[p]; !either && h.color != k.mover {
			hunted = append(hunted, p)
		}
	}
	for _, c := range k.clusters(hunted) {
		if f, ok := k.claim(Hunts, AfterBetter, k.bestV, c, 1.2); ok && gain(c) {
			list = append(list, f)
		}
	}
	return list
}

// answerTo returns what the better move does about what the mistake let happen; nil if the
// claim says that itself.
func (k *mistake) answerTo(let *found) *found {
	f := *let
	f.Claim = k.betterMove(Saves)
	f.Color, f.Stones = let.Color, let.Stones
	if let.Of != nil {
		f.Color, f.Stones = let.Of.Color, let.Of.Stones
	}
	switch {
	case let.Kind == Weak || let.Kind == Stronger:
		return nil
	case let.Kind == Parted:
		f.Kind, f.Others = Connects, let.Others
	case let.Kind == Lives:
		f.Kind = Kills
	case k.better.least(let.at) < sureFrom || slices.Contains(let.at, k.played):
		f.Claim = k.betterMove(Worth)
	}
	return &f
}

// threatLeft finds a threat of the opponent's that the better move answers and the mistake
// does not: what the opponent's best move does after a pass.
func (k *mistake) threatLeft() (*found, error) {
	e, err := k.afterPass()
	if e == nil || len(e.Moves) == 0 || e.Moves[0].Move == "pass" {
		return nil, err
	}
	line := append([]string{"pass"}, e.Moves[0].Line...)
	_, _, lost := k.playLine(line)
	own, move := k.view(e.Ownership), e.Moves[0].Move
	list := k.threats(Threat, AfterPass, move, line, k.clusters(lost), Captured, func(s []board.Point) bool {
		return mean(own, s) < 0 && mean(k.diff, s) > partFrom && mean(k.bestOwn, s) > keptFrom
	})
	var dead []board.Point
	for _, g := range k.groups(k.mover, func(chain []board.Point) bool {
		return k.better.least(chain) > sureFrom && mean(k.diff, chain) > partFrom
	}) {
		if mean(own, g) < -sureFrom {
			dead = append(dead, g...)
		}
	}
	list = append(list, k.threats(Threat, AfterPass, move, line, k.clusters(dead), Dies, func([]board.Point) bool { return true })...)
	return heaviest(list), nil
}

// betterThreatens finds a threat that the better move makes: what the mover's next one does
// if the opponent passes.
func (k *mistake) betterThreatens() (*found, error) {
	if k.best < 0 {
		return nil, nil
	}
	var err error
	if k.ignored, err = k.lookAfter(k.best, board.Pass); err != nil || k.ignored == nil || len(k.ignored.Moves) == 0 {
		return nil, err
	}
	line := append([]string{k.bestV, "pass"}, k.ignored.Moves[0].Line...)
	_, taken, _ := k.playLine(line)
	own := k.view(k.ignored.Ownership)
	taken = slices.DeleteFunc(taken, func(p board.Point) bool { return k.own[p] > keptFrom || own[p] < keptFrom })
	list := k.threats(Threatens, AfterTenuki, k.bestV, line, k.clusters(taken), Captured, nil)
	var dead []board.Point
	for _, g := range k.groups(k.mover.Opponent(), func(chain []board.Point) bool {
		return k.better.most(chain) < keptFrom && k.worse.most(chain) < keptFrom
	}) {
		if mean(own, g) > sureFrom {
			dead = append(dead, g...)
		}
	}
	list = append(list, k.threats(Threatens, AfterTenuki, k.bestV, line, k.clusters(dead), Dies, nil)...)
	f := heaviest(list)
	if f != nil {
		f.Number = Round(k.loss, 1)
	}
	return f, nil
}

// threats returns claims of a kind about what would happen to stones. fits nil stands for
// threats that account for no loss themselves.
func (k *mistake) threats(kind ClaimKind, after Line, move string, line []string, stones [][]board.Point, of ClaimKind, fits func([]board.Point) bool) (list []found) {
	for _, c := range stones {
		f, ok := k.claim(of, after, move, c, 1)
		if fits != nil && (!ok || !fits(c)) || len(c) == 0 {
			continue
		}
		about := f.Claim
		f.Claim = Claim{Kind: kind, After: after, Move: move, Line: line[:min(len(line), lineLength)], Number: about.Number, Of: &about}
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

// ownValue returns what the mistake gained against a pass, and what the better move gains;
// nil if that is unknown.
func (k *mistake) ownValue(alone bool) (*found, error) {
	e, err := k.afterPass()
	if e == nil || k.played < 0 || k.best < 0 {
		return nil, err
	}
	value := k.lead - k.leadAt(e)
	if value < -1 || value > 2*k.loss && !alone { // the search after the pass misread something; or it is not small
		return nil, nil
	}
	value = max(0, value)
	f := &found{Claim: Claim{Kind: Small, After: AfterPass, Line: []string{"pass"}, Move: k.bestV, Number: Round(value, 1), Against: Round(value+k.loss, 1)}}
	switch {
	case k.own[k.played] > 0.9 && k.bestOwn[k.played] > 0.9 && value < 1:
		f.Kind = Inside
	case k.last >= 0 && k.distance(k.played, k.last) <= answerNear && k.distance(k.best, k.last) >= farFromLast && value <= 0.25*f.Against:
		f.Kind = Unneeded
	}
	if len(e.Moves) > 0 {
		f.Line = append(f.Line, e.Moves[0].Line[:min(len(e.Moves[0].Line), lineLength-1)]...)
	}
	return f, nil
}

// quiet returns a claim that names no stones: sente, territory or direction, nil for none.
func (k *mistake) quiet() *found {
	if big := k.bigPart(); big != nil {
		f := &found{Claim: k.betterMove(Gains), at: big.points, worth: big.sum}
		f.Number, f.Region = Round(big.sum, 1), k.region(big.points)
		f.Area = k.vertices(big.points)
		return f
	}
	if k.ignored != nil {
		if cost := k.leadAt(k.ignored) - k.bestLead; cost > 1.5*k.loss {
			f := &found{Claim: k.betterMove(Sente)}
			f.Number, f.After = Round(cost, 1), AfterTenuki
			return f
		}
	}
	if k.phase == Opening && k.best >= 0 && k.played >= 0 && k.distance(k.best, k.played) >= k.size.W/3 && !k.inContact(k.played) {
		if to := k.region([]board.Point{k.best}); to != k.region([]board.Point{k.played}) {
			f := &found{Claim: k.betterMove(Direct)}
			f.Region = to
			return f
		}
	}
	return nil
}
