package solver

// Side is one of the two players of a question.
type Side uint8

const (
	Attacker Side = iota
	Defender
)

// Other is the opponent.
func (s Side) Other() Side { return s ^ 1 }

func (s Side) String() string { return [...]string{"attacker", "defender"}[s] }

// Moves are points of the area, or these.
const (
	Pass   int16 = -1
	NoBan  int16 = -1 // no point is banned
	NoMove int16 = -2
)

// Threats are a number up to MostThreats, endless, or a purse of [Game.Purse]. Any stands
// in claims for all numbers.
const (
	MostThreats = 31
	Any         = 254
	Endless     = 255
)

// Position is one state of the game. One to start with has no ban, and its stones by
// [Game.Place] and [Game.Aim].
type Position struct {
	Stones [2]Set // by side
	hash   uint64 // of the stones
	Ban    int16  // the point that the mover may not retake without a threat
	Mover  Side
	left   uint8    // the target chains not yet taken, a bit each
	Threat [2]uint8 // threats of either side
}

// Game is what never changes in a question. Its points On, and Fixed, are added before the
// first search.
type Game struct {
	area
	Fixed   Set // stones that are alive by assumption
	suicide bool
	all     bool
	Targets []int16 // a stone of each target chain
	zobrist [2][maxPoints]uint64
	keys    [maxPoints + 1]uint64 // of bans
	purses  []purse
	// Overspent says that there were too many purses.
	Overspent bool
	benson    benson
	// Of the state looked at last: points where the target may still get eyes, 0 if nothing
	// encloses it, and how many regions are an eye already, 2 for more.
	space, eyes int
}

// Empty returns the points without a stone.
func (g *Game) Empty(p *Position) Set { return g.On.minus(p.Stones[0]).minus(p.Stones[1]) }

// Chain returns the chain on q.
func (g *Game) Chain(p *Position, c Side, q int16) Set {
	seed := Single(q)
	return g.flood(&seed, &p.Stones[c])
}

// immortal reports whether a chain holds a stone that is alive by assumption.
func (g *Game) immortal(chain *Set) bool { return chain.Meets(&g.Fixed) }

// NewGame returns a game on an area of w times h points, none of which is there yet; nil
// where that is too large. suicide says that suicide of two stones or more is legal, all
// that the attacker has to take all target chains.
func NewGame(w, h int, suicide, all bool) *Game {
	if (w+1)*h > maxPoints {
		return nil
	}
	g := &Game{suicide: suicide, all: all}
	g.w, g.right, g.down, g.sx, g.sy = w, 1, uint(w+1), 1, w+1
	g.points = (w + 1) * h
	g.used = (g.points + 63) / 64
	seed := uint64(0x6c696665)
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		return mix(seed)
	}
	for s := range g.zobrist {
		for p := range g.zobrist[s] {
			g.zobrist[s][p] = next()
		}
	}
	for p := range g.keys {
		g.keys[p] = next()
	}
	return g
}

// Place puts a stone on an empty point of the start.
func (g *Game) Place(p *Position, s Side, at int16) {
	p.Stones[s].Add(at)
	p.hash ^= g.zobrist[s][at]
}

// MostTargets is how many target chains a game has at most.
const MostTargets = 8

// Aim makes the defender's chains on some points of the start the targets, and reports
// whether they are at most MostTargets.
func (g *Game) Aim(p *Position, at []int16) bool {
	var known Set
	for _, t := range at {
		if !known.Has(t) {
			known = known.Or(g.Chain(p, Defender, t))
			g.Targets = append(g.Targets, t)
		}
	}
	if len(g.Targets) > MostTargets {
		return false
	}
	p.left = 1<<len(g.Targets) - 1
	return true
}

// Move plays m, a pass or a move on an empty point, and reports whether it is suicide;
// where the rules forbid it, it is not legal, and the position stays. A move on the ban
// costs a threat, which the mover must have.
func (g *Game) Move(p *Position, m int16) (suicide, legal bool) {
	if m < 0 {
		g.play(p, m, nil)
		return false, true
	}
	if g.small() {
		return g.move1(p, m)
	}
	e, legal := g.effectOf(p, m)
	if legal {
		g.play(p, m, &e)
	}
	return !e.suicide.empty(), legal
}
