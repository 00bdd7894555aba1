package review

import (
	"slices"

	"kosumi/board"
)

// hunted returns claims about the mover's stones that can be caught in a ladder, or captured at
// once, after the mistake but not after the better move.
func (k *mistake) hunted() (list []found) {
	for _, c := range k.onlyIn(k.caughtPlayed, k.caughtBest, k.mover) {
		if mean(k.did, c) > lostBelow || mean(k.diff, c) < lostBy {
			continue
		}
		kind, h := Laddered, k.caughtPlayed[c[0]]
		if h.liberties == 1 {
			kind = Captured
		}
		if f, ok := k.claim(kind, AfterPlayed, k.size.Vertex(h.move), c, 1.4); ok {
			if f.Move != k.reply || k.afterPlayed.At(c[0]) == k.mover {
				f.After, f.Line = "", k.chase(k.played, h.move, c[0])
			}
			list = append(list, f)
		}
	}
	return list
}

// chase returns the mover's move, the answer first, and the moves by which the chain on p is then caught, up
// to the capture or to the length of a line.
func (k *mistake) chase(move, first, p board.Point) []string {
	line := []board.Point{move}
	g, _, _ := k.playLine(k.vertices(line))
	for at := first; len(line) < maxLine && g.Play(g.ToMove(), at) == nil; {
		line = append(line, at)
		if g.At(p) == board.Empty {
			break
		}
		b := g.Board()
		if libs := b.LibertyPoints(nil, p); len(libs) == 1 { // the chain extends, or is captured
			at = libs[0]
			continue
		}
		var scratch board.LadderScratch
		all := b.Ladders(&scratch)
		i := slices.IndexFunc(all, func(l board.Ladder) bool { return l.Head == b.ChainHead(p) && l.Count > 0 })
		if i < 0 {
			break
		}
		at = all[i].Working[0]
	}
	return k.vertices(line)
}

// onlyIn returns the stones of a colour that are in the first map but not in the second, in
// clusters that are caught alike.
func (k *mistake) onlyIn(one, other map[board.Point]hunt, color board.Color) (list [][]board.Point) {
	alike := map[hunt][]board.Point{}
	for p, h := range one {
		if _, either := other[p]; !either && h.color == color {
			alike[h] = append(alike[h], p)
		}
	}
	for _, points := range alike {
		list = append(list, k.clusters(points)...)
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

// hunt is how a chain can be caught.
type hunt struct {
	color     board.Color
	liberties int
	move      board.Point // the move that begins the capture, or the last liberty of a chain that cannot escape
	head      board.Point // of a chain with two liberties: a ladder catches one chain
}

// caught returns the stones that the opponent can catch after a move by the mover, by a capture
// or in a ladder, and the opponent's stones that cannot escape although the opponent is to move.
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
			add(l.Head, hunt{liberties: 2, move: l.Working[0], head: l.Head})
		case l.Color != k.mover && l.Liberties == 1:
			add(l.Head, hunt{liberties: 1, move: b.LibertyPoints(nil, l.Head)[0]})
		}
	}
	return out
}

// inAtari returns the claim that a move puts stones of the other side in atari.
func (k *mistake) inAtari(kind ClaimKind, after Line, before *board.Game, v string) (best found, ok bool) {
	var g board.Game
	g.CopyFrom(before)
	color := g.ToMove()
	at, err := k.size.ParseVertex(v)
	if err != nil || at < 0 || g.PlayTolerant(color, at) != nil {
		return best, false
	}
	b := g.Board()
	for _, p := range b.Neighbors(at) {
		if b.At(p) != color.Opponent() || b.Liberties(p) != 1 {
			continue
		}
		if f, enough := k.claim(kind, after, v, b.Chain(nil, p), 0.6); enough && (!ok || f.score > best.score) {
			best, ok = f, true
		}
	}
	return best, ok
}

// brokenLadder returns the claim that the mistake starts a ladder that does not work, because of a
// chain in its way.
func (k *mistake) brokenLadder() (found, bool) {
	if k.played < 0 {
		return found{}, false
	}
	b := k.next.Board()
	for _, p := range b.Neighbors(k.played) {
		if b.At(p) != k.mover.Opponent() || b.Liberties(p) != 1 || k.size.Vertex(b.LibertyPoints(nil, p)[0]) != k.reply || laddered(b, p) {
			continue
		}
		chain := b.Chain(nil, p)
		for _, other := range chainsOf(k.next, func(q board.Point) bool { return b.At(q) == k.mover.Opponent() && b.ChainHead(q) != b.ChainHead(p) }) {
			var left []board.Move
			for q := range board.Point(k.size.Area()) {
				if b.At(q) != board.Empty && !slices.Contains(other, q) {
					left = append(left, board.Move{Color: b.At(q), Point: q})
				}
			}
			if k.near(other, k.played) || !laddered(board.PlaceStones(k.size, left), p) {
				continue
			}
			if f, ok := k.claim(Broken, AfterPlayed, k.bestV, chain, 1.4); ok {
				f.Others = k.vertices(other)
				return f, true
			}
		}
	}
	return found{}, false
}

// laddered reports whether a chain with one liberty cannot escape.
func laddered(b *board.Board, p board.Point) bool {
	var scratch board.LadderScratch
	return slices.ContainsFunc(b.Ladders(&scratch), func(l board.Ladder) bool { return l.Head == b.ChainHead(p) })
}
