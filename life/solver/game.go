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

// Special values of a move or a ban; other values are points of the area.
const (
	Pass   int16 = -1
	NoBan  int16 = -1 // no point is banned
	NoMove int16 = -2
)

// The threats of a side are a number up to MostThreats, Endless, or a value that [Game.Purse] returns. Any is used
// only in claims, where it stands for every finite number.
const (
	MostThreats = 31
	Any         = 254
	Endless     = 255
)

// Position is one state of the game. To create the start, set Ban (NoBan if there is none), call
// [Game.Place] for each stone, then [Game.Aim].
type Position struct {
	Stones [2]Set // stones of each side
	hash   uint64 // hash of the stones
	Ban    int16  // point that the side to move may not retake without a threat
	Mover  Side
	left   uint8    // bit set of the target chains that are not captured
	Threat [2]uint8 // threats of each side
}

// Game is the constant part of a question. Set its fields On and Fixed before the first search.
type Game struct {
	area
	Fixed   Set // stones that are alive by assumption
	suicide bool
	all     bool
	Targets []int16 // one stone of each target chain
	zobrist [2][maxPoints]uint64
	keys    [maxPoints + 1]uint64 // Zobrist keys of bans
	purses  []purse
	// Overspent reports that there were too many purses.
	Overspent bool
	benson    benson
	// space and eyes describe the target in the last examined state: the number of points where it may still get eyes
	// (0 if nothing encloses it), and the number of eyes that it has, at most 2.
	space, eyes int
}

// Empty returns the points without a stone.
func (g *Game) Empty(p *Position) Set { return g.On.minus(p.Stones[0]).minus(p.Stones[1]) }

// Chain returns the chain on q.
func (g *Game) Chain(p *Position, c Side, q int16) Set {
	seed := Single(q)
	return g.flood(&seed, &p.Stones[c])
}

// immortal reports whether a chain contains a stone that is alive by assumption.
func (g *Game) immortal(chain *Set) bool { return chain.Meets(&g.Fixed) }

// NewGame returns a game on a box of w times h points with an empty area; nil if the box is too
// large. If the argument suicide is true, suicide of two stones or more is legal; if the argument all
// is true, the attacker must capture all target chains.
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

// MostTargets is the maximum number of target chains of a game.
const MostTargets = 8

// Aim makes the defender's chains on the given points the targets. It returns false if there are
// more than MostTargets.
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

// Move plays m, a pass or a move on an empty point, and reports whether it is a suicide. A suicide
// that the rules forbid is illegal and leaves the position unchanged. A move on the banned point
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
