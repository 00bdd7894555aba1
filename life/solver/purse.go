package solver

import "slices"

// purse holds the ko threats left to a side. The field again is how many of them may be spent on points on which a
// threat was spent before.
type purse struct {
	left, again uint8
	spent       []int16 // points on which a threat was spent so far, sorted
}

// firstPurse is the value of the first purse in [Position.Threat].
const firstPurse = MostThreats + 1

// Purse returns the value of [Position.Threat] that stands for n ko threats. The argument again is how many of them
// may be spent on points on which a threat was spent before. If a search needs too many purses, it sets
// [Game.Overspent], and its results are invalid.
func (g *Game) Purse(n, again uint8) uint8 { return g.purse(purse{n, again, nil}) }

// purse returns the value that stands for a purse in [Position.Threat].
func (g *Game) purse(x purse) uint8 {
	if x.left == 0 {
		return 0
	}
	i := slices.IndexFunc(g.purses, func(y purse) bool {
		return x.left == y.left && x.again == y.again && slices.Equal(x.spent, y.spent)
	})
	if i < 0 {
		if i = len(g.purses); firstPurse+i == Any {
			g.Overspent = true
			return 0
		}
		g.purses = append(g.purses, x)
	}
	return uint8(firstPurse + i)
}

// spend returns the threats left after one is spent to retake m; ok is false if none may be spent on m.
func (g *Game) spend(threats uint8, m int16) (left uint8, ok bool) {
	switch {
	case threats == 0 || threats == Endless:
		return threats, threats != 0
	case threats < firstPurse:
		return threats - 1, true
	}
	x := g.purses[threats-firstPurse]
	if x.left--; slices.Contains(x.spent, m) {
		if x.again == 0 {
			return 0, false
		}
		x.again--
	} else {
		x.spent = slices.Clone(x.spent)
		at, _ := slices.BinarySearch(x.spent, m)
		x.spent = slices.Insert(x.spent, at, m)
	}
	return g.purse(x), true
}

// Parts returns the number of threats, and how many of them may be spent on points in purse.spent; -1: all.
func (g *Game) Parts(threats uint8) (n, again int) {
	if threats >= firstPurse && threats < Any {
		x := g.purses[threats-firstPurse]
		return int(x.left), int(x.again)
	}
	return int(threats), -1
}

// pays reports whether the mover may retake the banned point.
func (g *Game) pays(p *Position) bool {
	_, ok := g.spend(p.Threat[p.Mover], p.Ban)
	return ok
}
