package review

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
)

// found is a claim, with the points that it is about and the loss that it accounts for.
type found struct {
	Claim
	at    []board.Point
	worth float64
	score float64 // worth, weighted by kind of claim and number of stones
}

// Conditions of claims. Ownership is the mean over a claim's stones, from the mover's view.
const (
	sureFrom    = 0.88 // minimum ownership of living stones; dead ones are below -sureFrom
	likely      = 0.2  // minimum ownership of stones that probably live
	lostBelow   = -0.3 // maximum ownership of captured stones' points
	lostBy      = 0.5  // minimum change of captured stones' ownership by the mistake
	keptFrom    = 0.3  // minimum ownership of stones that count as the mover's
	weakerBy    = 0.3  // minimum change of weakened stones' ownership
	loneFrom    = 0.5  // single stones, which networks misread most, must fall from this ownership to minus this
	leastShare  = 0.25 // minimum share of the mistake's loss that a claim accounts for
	leastPoints = 1.0  // minimum number of points that a claim accounts for
	answerNear  = 4    // maximum distance between an answer and the opponent's last move
	farFromLast = 7    // minimum distance between a move elsewhere and the opponent's last move
)

// claims returns one or two claims: what the mistake let happen, and what the better move does.
// Claims that name no stones are made only if no other claim holds.
func (k *mistake) claims() ([]found, error) {
	k.caughtPlayed, k.caughtBest = k.caught(k.played), k.caught(k.best)
	let, do := heaviest(k.letHappen()), heaviest(k.betterDoes())
	var err error
	if let == nil && (do == nil || do.worth < 0.5*k.loss) {
		if let, err = k.threatLeft(); err != nil {
			return nil, err
		}
	}
	if let != nil {
		if answer := k.answerTo(let); answer != nil {
			do = answer
		} else if do != nil && (do.worth < 0.8*let.worth || overlaps(do.at, let.at)) {
			do = nil
		}
	} else if do == nil {
		if do, err = k.betterThreatens(); err != nil {
			return nil, err
		}
	}
	var list []found
	for _, f := range []*found{let, do} {
		if f != nil {
			list = append(list, *f)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	return k.quiet()
}

// heaviest returns the claim with the highest score, nil if there is none.
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

// betterMove returns a claim about the better move.
func (k *mistake) betterMove(kind ClaimKind) Claim {
	return Claim{Kind: kind, After: AfterBetter, Move: k.bestV}
}

// claim returns a claim about stones, and reports whether it accounts for enough of the loss.
func (k *mistake) claim(kind ClaimKind, after Line, move string, stones []board.Point, weight float64) (found, bool) {
	if len(stones) == 0 || move == "" {
		return found{}, false
	}
	slices.Sort(stones)
	c := Claim{Kind: kind, After: after, Move: move, Stones: k.vertices(stones), Color: letter(k.colorAt(stones[0]))}
	w := k.worth(stones)
	f := found{c, stones, w, w * weight * (1 + 0.12*math.Log2(float64(len(stones))))} // groups weigh more than single stones
	return f, w >= max(leastPoints, leastShare*k.loss)
}

// colorAt returns the colour of a stone before the mistake; for the mistake's stone, the mover's
// colour.
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

// letHappen returns claims about what the mistake and its refutation do to stones.
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
			f, ok := k.claim(Captured, AfterPlayed, reply, lost, 1.5)
			answered, _, _ := k.playLine([]string{k.playedV, reply})
			f.Later = slices.ContainsFunc(lost, func(p board.Point) bool { return answered.At(p) != board.Empty })
			add(f, ok)
		}
	}
	list = append(list, k.hunted()...)
	for _, color := range []board.Color{k.mover, k.mover.Opponent()} {
		for _, c := range changes {
			for _, group := range k.groups(color, func(chain []board.Point) bool { return c.holds(k, chain) }) {
				if len(group) == 1 && (k.better.least(group) < loneFrom || k.worse.most(group) > -loneFrom) {
					continue
				}
				if color == k.mover && c.own != Weakens {
					list = k.outweighed(list, group)
				}
				if c.own != Dies && !k.near(group, k.best) {
					continue // the sentence compares with the better move
				}
				kind, move := c.own, k.bestV
				if color != k.mover {
					kind = c.theirs
				}
				if c.own == Dies {
					move = reply
				}
				add(k.claim(kind, AfterPlayed, move, group, c.weight))
			}
		}
	}
	won, lost := k.afterBest.Board(), k.afterPlayed.Board()
	add(k.linked(Parted, k.mover, won, lost, k.diff))
	add(k.linked(Joined, k.mover.Opponent(), lost, won, k.diff))
	add(k.brokenLadder())
	add(k.inAtari(Atari, AfterPlayed, k.next, reply))
	return list
}

// outweighed drops captures of stones where the mover also loses a group more than twice as large, in the same region.
func (k *mistake) outweighed(list []found, group []board.Point) []found {
	return slices.DeleteFunc(list, func(f found) bool {
		return (f.Kind == Captured || f.Of != nil && f.Of.Kind == Captured) && 2*len(f.at) < len(group) && k.partOf[f.at[0]] == k.partOf[group[0]]
	})
}

// changes has the ways in which a mistake changes the fate of stones, the most certain first: own
// is the claim about the mover's stones, theirs about the opponent's.
var changes = []struct {
	own, theirs ClaimKind
	weight      float64
	holds       func(k *mistake, chain []board.Point) bool
}{
	{Dies, Lives, 1.3, func(k *mistake, c []board.Point) bool {
		return k.better.least(c) > sureFrom && k.worse.most(c) < -sureFrom
	}},
	{Weak, Stronger, 0.9, func(k *mistake, c []board.Point) bool {
		return k.better.least(c) > likely && k.worse.most(c) < -likely
	}},
	{Weakens, Strengthens, 0.5, func(k *mistake, c []board.Point) bool {
		return k.change(c) > weakerBy && mean(k.bestOwn, c) > -2*likely && mean(k.did, c) < 2*likely
	}},
}

// linked returns the claim about two chains of a colour that are connected on the first board and
// separate on the second. Its Stones are the chain whose points lose more ownership on average;
// lost has the loss of each point.
func (k *mistake) linked(kind ClaimKind, color board.Color, one, two *board.Board, lost []float64) (best found, ok bool) {
	b := k.before.Board()
	var heads []board.Point
	for p := range board.Point(k.size.Area()) {
		if b.At(p) == color && b.ChainHead(p) == p && one.At(p) == color && two.At(p) == color {
			heads = append(heads, p)
		}
	}
	for i, p := range heads {
		for _, q := range heads[i+1:] {
			if one.ChainHead(p) != one.ChainHead(q) || two.ChainHead(p) == two.ChainHead(q) {
				continue
			}
			if slices.ContainsFunc(two.LibertyPoints(nil, p), func(l board.Point) bool { return slices.Contains(two.LibertyPoints(nil, q), l) }) {
				continue
			}
			small, large := b.Chain(nil, p), b.Chain(nil, q)
			if !k.near(small, k.best) && !k.near(large, k.best) {
				continue
			}
			if mean(lost, small) < mean(lost, large) {
				small, large = large, small
			}
			weight := 1.2
			if mean(lost, small) < weakerBy {
				weight = 0.6
			}
			if f, enough := k.claim(kind, AfterPlayed, k.bestV, small, weight); enough && k.change(small) > partFrom && (!ok || f.score > best.score) {
				f.Others = k.vertices(large)
				best, ok = f, true
			}
		}
	}
	return best, ok
}

// betterDoes returns claims about what the better line does to the opponent's stones.
func (k *mistake) betterDoes() (list []found) {
	gain := func(stones []board.Point) bool {
		return mean(k.bestOwn, stones) > -lostBelow && mean(k.did, stones) < keptFrom
	}
	for _, c := range k.clusters(k.taken) {
		stand := !slices.ContainsFunc(c, func(p board.Point) bool { return k.afterPlayed.At(p) == k.mover })
		if f, ok := k.claim(Takes, AfterBetter, k.bestV, c, 1.4); ok && stand && gain(c) && k.near(c, k.best) {
			list = append(list, f)
		}
	}
	for _, c := range k.onlyIn(k.caughtBest, k.caughtPlayed, k.mover.Opponent()) {
		if f, ok := k.claim(Hunts, AfterBetter, k.bestV, c, 1.2); ok && gain(c) && k.near(c, k.best) {
			if k.afterBest.At(c[0]) != board.Empty {
				f.After, f.Line = "", k.chase(k.best, k.caughtBest[c[0]].move, c[0])
			}
			list = append(list, f)
		}
	}
	if f, ok := k.inAtari(Attacks, AfterBetter, k.before, k.bestV); ok {
		list = append(list, f)
	}
	return list
}

// answers maps claims about the mistake to the claims about the better move that they imply.
var answers = map[ClaimKind]ClaimKind{Dies: Saves, Lives: Kills, Parted: Connects, Joined: Cuts}

// answerTo returns the claim about the better move that a claim about the mistake implies; nil if there is none,
// or if the better move is far from the stones, or is no part of the connection.
func (k *mistake) answerTo(let *found) *found {
	f := *let
	kind, implied := answers[let.Kind]
	if !implied || !k.near(let.at, k.best) || kind == Connects && k.afterBest.Board().ChainHead(k.best) != k.afterBest.Board().ChainHead(let.at[0]) {
		return nil
	}
	f.Claim = k.betterMove(kind)
	f.Color, f.Stones, f.Others = let.Color, let.Stones, let.Others
	return &f
}
