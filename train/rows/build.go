package rows

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn/features"
)

// Builder turns games into rows. One goroutine at a time.
type Builder struct {
	layout  Layout
	options features.Options
	scratch *features.Scratch
	game    board.Game
	spatial []float32
	global  []float32
	boards  []board.Color // stones before each turn, and at the end
}

// NewBuilder returns a builder of rows of that layout. Errors wrap ErrLayout.
func NewBuilder(l Layout) (*Builder, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	return &Builder{layout: l, scratch: features.NewScratch()}, nil
}

// Append adds the rows of a game to a set, each turn as often as its weight says; a fraction of a weight is a
// probability. It returns the number of rows added. After an error the set is unchanged.
func (b *Builder) Append(dst *Set, g *Game, rng *rand.Rand) (int, error) {
	if err := b.fits(dst, g.Start.Size()); err != nil {
		return 0, err
	}
	before := dst.N
	if err := b.append(dst, g, rng); err != nil {
		dst.resize(before)
		return 0, err
	}
	return dst.N - before, nil
}

// fits returns an error that wraps ErrLayout unless rows of a board of this size can be added to the set.
func (b *Builder) fits(dst *Set, size board.Size) error {
	if dst.Layout != b.layout {
		return fmt.Errorf("%w: the set is %v side %d, the builder %v side %d", ErrLayout,
			dst.Layout.Encoding, dst.Layout.Side, b.layout.Encoding, b.layout.Side)
	}
	if max(size.W, size.H) > b.layout.Side {
		return fmt.Errorf("%w: a game on %v does not fit arrays of side %d", ErrLayout, size, b.layout.Side)
	}
	return nil
}

func (b *Builder) append(dst *Set, g *Game, rng *rand.Rand) error {
	if err := b.replay(g); err != nil {
		return err
	}
	c := &gameFacts{Game: g, area: g.Start.Size().Area(), size: g.Start.Size(), ahead: g.lookAhead(g.Start.Size().Area()), rng: rng}
	c.finalBonus = b.game.BonusScore()
	b.finalMaps(c)
	c.extraBlack = g.Start.Board().Stones(board.Black)
	b.game.CopyFrom(g.Start)
	for t := range g.Turns {
		turn := &g.Turns[t]
		copies := int(turn.Weight)
		if rng.Float64() < turn.Weight-float64(copies) {
			copies++
		}
		if copies > 0 {
			first := dst.grow()
			b.row(dst, first, c, t, turn)
			for range copies - 1 {
				if err := dst.Append(dst, first); err != nil {
					return err
				}
			}
		}
		if err := b.game.PlayTolerant(b.game.ToMove(), turn.Move); err != nil {
			return err
		}
	}
	return nil
}

type gameFacts struct {
	*Game
	area       int
	size       board.Size
	ahead      []averages
	finalBonus float32
	untaxed    []board.Color // each point's final owner if there were no tax
	points     []float32     // how much each point counts for its owner
	extraBlack int
	rng        *rand.Rand
}

func (b *Builder) replay(g *Game) error {
	b.game.CopyFrom(g.Start)
	b.boards = b.boards[:0]
	b.recordStones()
	for t := range g.Turns {
		if err := b.game.PlayTolerant(b.game.ToMove(), g.Turns[t].Move); err != nil {
			return fmt.Errorf("move %d of the game: %w", t+1, err)
		}
		b.recordStones()
	}
	if g.End.Scored && len(g.End.Owners) != g.Start.Size().Area() {
		return fmt.Errorf("the end of the game has %d owners for %d points", len(g.End.Owners), g.Start.Size().Area())
	}
	return nil
}

func (b *Builder) recordStones() {
	for p := range b.game.Size().Area() {
		b.boards = append(b.boards, b.game.At(board.Point(p)))
	}
}

// row fills row i from turn t and its position, b.game.
func (b *Builder) row(dst *Set, i int, c *gameFacts, t int, turn *Turn) {
	g := dst.targets(i)
	b.encode(dst, i)
	b.policyTargets(dst, i, c, t, turn)
	b.valueTargets(g, c, t, turn)
	b.gameTargets(g, c, turn)
	b.pointTargets(dst, i, c, t)
	scoreCells(dst.scores(i), float64(g[TargetFinalScore]), g[TargetFinalWeight] > 0)
}

func (b *Builder) encode(dst *Set, i int) {
	e, size := b.layout.Encoding, b.game.Size()
	area := size.Area()
	b.spatial = resized(b.spatial, e.Planes()*area)
	b.global = resized(b.global, e.Globals())
	features.Encode(e, b.spatial, b.global, &b.game, b.options, b.scratch)
	copy(dst.global(i), b.global)
	for k, plane := range forms[e].constant {
		dst.global(i)[k] = b.spatial[plane*area]
		bits := b.spatial[plane*area : (plane+1)*area]
		clear(bits)
		if forms[e].mask[0] == plane {
			for p := range bits {
				bits[p] = 1
			}
		}
	}
	packed, nb := dst.binary(i), b.layout.PlaneBytes()
	for plane := range e.Planes() {
		row := packed[plane*nb : (plane+1)*nb]
		for p, v := range b.spatial[plane*area : (plane+1)*area] {
			if v != 0 {
				at := p/size.W*b.layout.Side + p%size.W
				row[at>>3] |= 0x80 >> (at & 7)
			}
		}
	}
}

func (b *Builder) policyTargets(dst *Set, i int, c *gameFacts, t int, turn *Turn) {
	g, n := dst.targets(i), b.layout.Area()+1
	own, reply := dst.policy(i)[:n], dst.policy(i)[n:]
	put := func(dst []int16, moves []MoveWeight) (weight float32) {
		for _, m := range moves {
			dst[b.layout.slot(int(m.Index), c.size)] = m.Weight
		}
		if len(moves) == 0 {
			fillOnes(dst)
		}
		return weightIf(len(moves) > 0)
	}
	var next []MoveWeight
	if t+1 < len(c.Turns) {
		next = c.Turns[t+1].Policy
	}
	g[TargetPolicyWeight], g[TargetReplyWeight] = put(own, turn.Policy), put(reply, next)
}

func fillOnes(a []int16) {
	for k := range a {
		a[k] = 1
	}
}

// valueTargets writes the result, the averages over later searches and the root's value, with their weights.
func (b *Builder) valueTargets(g []float32, c *gameFacts, t int, turn *Turn) {
	own := b.game.ToMove()
	put := func(at int, v Value) { g[at], g[at+1], g[at+2], g[at+3] = v.Win, v.Loss, v.NoResult, v.Score }
	put(TargetRoot, turn.Root.FromWhite(own))
	g[TargetNoTD], g[TargetNoValue] = weightIf(!turn.HasRoot), weightIf(!c.End.Known)
	end := c.End.value().FromWhite(own)
	if !c.End.Scored {
		end.Score = 0
	}
	put(TargetWin, end)
	for k, at := range []int{TargetLong, TargetMiddle, TargetShort} {
		put(at, c.ahead[t].values[k].FromWhite(own))
	}
	g[TargetArrival] = c.ahead[t].arrival
	if c.End.Scored {
		g[TargetFinalScore], g[TargetFinalWeight], g[TargetScoringWeight] = end.Score, 1, 1
		if c.LeadFromScore {
			g[TargetLead], g[TargetLeadWeight] = g[TargetShort+3], 1
		}
	}
	g[TargetFutureWeight], g[TargetPlainEnd] = weightIf(c.End.Known), weightIf(c.End.Known && !c.End.HitLimit)
	g[TargetBonus] = c.finalBonus - b.game.BonusScore()
	if own == board.Black {
		g[TargetBonus] *= -1
	}
}

func (b *Builder) gameTargets(g []float32, c *gameFacts, turn *Turn) {
	own := b.game.ToMove()
	sign := float32(1)
	if own == board.Black {
		sign = -1
	}
	g[TargetGlobalWeight] = cmp.Or(c.Weight, 1)
	g[TargetPolicySurprise], g[TargetPriorEntropy], g[TargetTargetEntropy] = turn.PolicySurprise, turn.PriorEntropy, turn.TargetEntropy
	g[TargetRawWinLoss], g[TargetRawScore], g[TargetRawEntropy] = sign*turn.RawWinLoss, sign*turn.RawScore, turn.RawEntropy
	g[TargetVisits] = float32(turn.Visits)
	for k := range 5 {
		g[TargetHistory+k] = 1
	}
	for k, bits := range hashPieces(c.Hash) {
		g[TargetHash+k] = bits
	}
	g[TargetSelfKomi] = b.game.SelfKomi(b.options.DrawWins())
	g[TargetArea] = weightIf(b.game.Rules().Scoring == board.ScoringArea || b.game.Phase() >= 2)
	g[TargetTurn] = float32(b.game.NumMoves())
	g[TargetHitLimit] = weightIf(c.End.HitLimit)
	g[TargetFirstTurn], g[TargetExtraBlack], g[TargetMode] = float32(c.FirstTurn), float32(c.extraBlack), float32(c.Mode)
	g[TargetInitialTurn] = float32(c.Start.NumMoves())
	g[TargetVersion] = 3
	modes := b.game.Options().AreaModes
	g[TargetPassAliveSuicide], g[TargetExcludeTerritory] = weightIf(modes.PassAliveUnderSuicide), weightIf(modes.ExcludeTerritoryAdjacentToAtari)
}

// hashPieces cuts 128 bits into numbers that are exact in float32, low bits first.
func hashPieces(h [2]uint64) [6]float32 {
	var out [6]float32
	for k, word := range h {
		out[3*k] = float32(word & (1<<22 - 1))
		out[3*k+1] = float32(word >> 22 & (1<<22 - 1))
		out[3*k+2] = float32(word >> 44)
	}
	return out
}

// pointTargets writes ownership, seki points, future boards and scoring.
func (b *Builder) pointTargets(dst *Set, i int, c *gameFacts, t int) {
	all, area := dst.points(i), b.layout.Area()
	own := b.game.ToMove()
	put := func(ch, p int, v int8) { all[ch*area+b.layout.slot(p, c.size)] = v }
	sign := func(x board.Color) int8 {
		switch x {
		case own:
			return 1
		case own.Opponent():
			return -1
		}
		return 0
	}
	later := func(ahead int) []board.Color {
		k := min(t+ahead, len(c.Turns))
		return b.boards[k*c.area : (k+1)*c.area]
	}
	if dst.targets(i)[TargetFutureWeight] > 0 {
		near, far := later(8), later(32)
		for p := range c.area {
			put(2, p, sign(near[p]))
			put(3, p, sign(far[p]))
		}
	}
	if !c.End.Scored {
		return
	}
	for p, owner := range c.End.Owners {
		put(0, p, sign(owner))
		if owner == board.Empty {
			put(1, p, sign(c.untaxed[p]))
		}
		v := 120 * float64(sign(owner)) * float64(c.points[p])
		whole := math.Floor(v)
		if c.rng.Float64() < v-whole {
			whole++
		}
		put(4, p, int8(whole))
	}
}

// finalMaps computes the owner that each point would have without tax, and how much the point counts for its
// owner: 1, or less in a taxed group.
func (b *Builder) finalMaps(c *gameFacts) {
	if !c.End.Scored {
		return
	}
	rules := b.game.Rules()
	suicide := rules.Suicide || b.game.Options().PassAliveUnderSuicide
	c.untaxed = b.game.Board().FullArea(nil, suicide)
	c.points = make([]float32, c.area)
	for p := range c.points {
		c.points[p] = 1
	}
	if rules.Tax == board.TaxAll {
		groups, _ := b.game.Board().IndependentLife(nil, board.KeepNothing, suicide)
		taxGroups(c.points, groups, b.game.Board())
	}
}

// taxGroups spreads the tax of two points over the points of each group. Groups in seki, whose
// points have no owner here, pay nothing.
func taxGroups(points []float32, owners []board.Color, on *board.Board) {
	seen := make([]bool, len(owners))
	var group []board.Point
	for p := range owners {
		if seen[p] || owners[p] == board.Empty {
			continue
		}
		seen[p] = true
		group = append(group[:0], board.Point(p))
		for k := 0; k < len(group); k++ {
			for _, q := range on.Neighbors(group[k]) {
				if !seen[q] && owners[q] == owners[p] {
					seen[q] = true
					group = append(group, q)
				}
			}
		}
		for _, q := range group {
			points[q] = float32(len(group)-2) / float32(len(group))
		}
	}
}
