package search

import (
	"math"

	"kosumi/board"
)

// Mirror Go: the opponent answers every move with the point opposite to it across the centre. The
// network takes the copies for good moves, and a search that expects the best answers does not
// foresee a copy after every move. Against such an opponent selection is biased towards the
// copies, so that moves are valued against them, and towards the centre, where the symmetry
// breaks (KataGo, cpp/search/searchmirror.cpp).

// mirror describes an opponent who copies moves.
type mirror struct {
	// player copies the moves of the side to move at the root. If it is Empty, nobody copies,
	// and the other fields have no meaning.
	player board.Color
	// advantage is the copying player's margin in points if all moves are copied to the end.
	advantage float64
	// asymmetry measures how much the stones around the centre differ from copies of each
	// other; 0: not at all.
	asymmetry float64
	center    board.Point // NoPoint if the board's width or height is even
}

// opposite returns the mirror image of a move; a pass is its own image.
func opposite(size board.Size, p board.Point) board.Point {
	if p < 0 {
		return p
	}
	return board.Point(size.Area()-1) - p
}

// copies reports whether the opponent of the side to move has been copying: at least 7 more
// than half of its moves are copies, nearly half of its recent ones are, and so is the last one.
func copies(g *board.Game) bool {
	const fade, recentShare = 0.75, 0.45
	var count, all, recent, recentAll float64
	moves, last := g.Moves(), false
	for i := 1; i < len(moves); i++ {
		if moves[i].Color == g.ToMove() {
			continue
		}
		last = moves[i].Point == opposite(g.Size(), moves[i-1].Point)
		if last {
			count++
			recent++
		}
		all++
		recent, recentAll = recent*fade, (recentAll+1)*fade
	}
	return last && count >= 7+0.5*all && recent >= recentShare*recentAll
}

// findMirror looks for an opponent who copies the moves of the side to move.
func findMirror(g *board.Game) mirror {
	if !copies(g) {
		return mirror{}
	}
	m := mirror{player: g.ToMove().Opponent(), center: board.NoPoint}
	size := g.Size()
	if size.W%2 == 1 && size.H%2 == 1 {
		m.center = size.Point(size.W/2, size.H/2)
	}
	m.advantage = float64(g.Rules().Komi) - blackExtra(g)
	if m.player == board.Black {
		m.advantage = -m.advantage
	}
	m.asymmetry = centerAsymmetry(g, m.player)
	return m
}

// blackExtra is Black's margin in points, without komi, if all stones are copies of each other.
func blackExtra(g *board.Game) float64 {
	extra := -float64(g.HandicapBonusScore())
	if g.Rules().Scoring != board.ScoringArea {
		return extra
	}
	stones, size := g.HandicapStones(), g.Size()
	extra += float64(max(0, stones-1))
	odd := size.W%2 == 1 && size.H%2 == 1
	if odd == (stones == 0 || stones%2 == 1) { // Black fills the last point
		extra++
	}
	return extra
}

// centerAsymmetry adds up differences on the 7x7 points around the centre: 1 for each stone that was not
// copied and, if there is one, 0.2 for each copy without its original. It returns the sum s or, from 1 on,
// s(1+s)/2. Smaller boards always count as asymmetric.
func centerAsymmetry(g *board.Game, player board.Color) float64 {
	const reach, never = 3, 1e10
	size := g.Size()
	if min(size.W, size.H) < 2*reach+1 {
		return never
	}
	missing, alone := 0.0, 0.0
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			p := size.Point(size.W/2+dx, size.H/2+dy)
			q := opposite(size, p)
			switch stone := g.At(p); {
			case p == q:
			case stone == player.Opponent() && g.At(q) != player:
				missing++
			case stone == player && g.At(q) == board.Empty:
				alone++
			}
		}
	}
	e := missing
	if missing > 0 {
		e += 0.2 * alone
	}
	if e >= 1 {
		e = 0.5 * e * (1 + e)
	}
	return e
}

// watchMirror examines the root's history before a search. The tree is dropped when the opponent
// begins or stops mirroring, since its averages were computed differently.
func (t *Tree) watchMirror() {
	var m mirror
	if t.p.AntiMirror {
		m = findMirror(&t.position.base)
	}
	if m.player != t.sh.mirror.player {
		t.Clear()
	}
	t.sh.mirror, t.nodes.keepWeights = m, m.player != board.Empty
}

// goesOn reports whether all answers on a path from the root are copies. It ignores the given
// number of moves at the path's end.
func goesOn(size board.Size, path []step, skip int) bool {
	for i := 1; i+skip < len(path); i += 2 {
		if path[i].move != opposite(size, path[i-1].move) {
			return false
		}
	}
	return true
}

// hard reports whether copying wins: the copying player has the centre and trails by half a point at most.
func (m *mirror) hard(b *board.Board) bool {
	return m.center != board.NoPoint && b.At(m.center) == m.player && m.advantage >= -0.5
}

// leans reports whether evaluations at the end of a path are shifted towards the owner of the
// centre, since the centre decides the game.
func (m *mirror) leans(b *board.Board, path []step) bool {
	const tolerated = 4
	return m.player != board.Empty && m.hard(b) && goesOn(b.Size(), path, tolerated)
}

// lean shifts win and loss towards the side that owns the centre, in the view of the side
// to move.
func (m *mirror) lean(win, loss, owner float32) (float32, float32) {
	scale := 0.7
	if m.asymmetry > 0 {
		scale = 0.3
	}
	sum := float64(win) + float64(loss)
	value := float64(win-loss) / (sum + 1e-10)
	value = min(max(value, -1+1e-15), 1-1e-15)
	w := sum * (0.5 + 0.5*math.Tanh(math.Atanh(value)+scale*float64(owner)))
	return float32(w), float32(sum - w)
}

// counter biases the selection of moves at one node of a descent.
type counter struct {
	mirror
	on   bool        // every answer on the way here was a copy
	game *board.Game // position at the node

	depth int
	ours  bool // the side to move at the root moves here
	tough bool // copying wins at this node, see mirror.hard
	held  bool // the copying player has the centre at the root
	last  board.Point
	// reply is the copy of the last move, or a pass if the copy is not legal; NoPoint if the
	// copying player does not move here, or after a pass.
	reply board.Point
	libs  float64 // liberties of the chain in the centre, if tough
}

// follow brings the counter and the slot's game to the current node of a descent. It must be
// called at each node before a move is selected.
func (c *counter) follow(sh *shared, s *slot) {
	if sh.mirror.player == board.Empty {
		return
	}
	c.on = goesOn(sh.size, s.path, 0) && s.catchUp(sh, len(s.path))
	if !c.on {
		return
	}
	c.mirror, c.game, c.depth = sh.mirror, &s.game, len(s.path)
	c.held = c.center != board.NoPoint && sh.position.base.At(c.center) == c.player
	c.readPosition()
}

// readPosition sets the fields that depend on the position.
func (c *counter) readPosition() {
	g := c.game
	b := g.Board()
	c.ours = g.ToMove() != c.player
	c.tough = c.hard(b)
	if c.tough {
		c.libs = float64(b.Liberties(c.center))
	}
	c.last, c.reply = g.LastMove(0).Point, board.NoPoint
	if !c.ours && c.last != board.Pass {
		c.reply = opposite(b.Size(), c.last)
		if g.Legal(g.ToMove(), c.reply) != nil {
			c.reply = board.Pass
		}
	}
}

// prior raises the prior of a move, less the deeper the node is in the tree. On the opponent's turn it
// raises the copy, on our turn moves in the centre and near the stone there.
func (c *counter) prior(p board.Point, prior float32) float32 {
	lift := c.lift(p)
	if lift == 0 {
		return prior
	}
	return prior + (1-prior)*float32(lift/(1+math.Sqrt(float64(c.depth))))
}

func (c *counter) lift(p board.Point) float64 {
	switch {
	case p == c.reply && c.tough:
		return 3
	case p == c.reply:
		return 1
	case !c.ours || p == board.Pass:
		return 0
	case c.around(p, 0):
		return 0.3
	case c.around(p, 1), c.held && c.attached(p):
		return 0.05
	case c.held && c.distance(p) <= 4:
		return 0.03
	}
	return 0
}

// around reports whether a point is within some lines of the centre; on an even side the centre
// lies between two lines.
func (c *counter) around(p board.Point, lines int) bool {
	size := c.game.Size()
	x, y := size.XY(p)
	return x >= (size.W-1)/2-lines && x <= size.W/2+lines && y >= (size.H-1)/2-lines && y <= size.H/2+lines
}

// distance returns the squared distance to the centre.
func (c *counter) distance(p board.Point) int {
	size := c.game.Size()
	x, y := size.XY(p)
	x, y = x-size.W/2, y-size.H/2
	return x*x + y*y
}

// attached reports whether a point is next to the chain in the centre.
func (c *counter) attached(p board.Point) bool {
	b := c.game.Board()
	if b.At(c.center) == board.Empty {
		return false
	}
	head := b.ChainHead(c.center)
	for _, q := range b.Neighbors(p) {
		if b.At(q) == b.At(c.center) && b.ChainHead(q) == head {
			return true
		}
	}
	return false
}

// forcedUtility is added to moves that must be searched whatever their value, until they have
// their share of the weight.
const forcedUtility = 100

// bonus returns what selection adds to a move's utility, from the view of its player. In that view,
// gain is the move's utility minus the node's, and worth is the node's. weight is the move's weight,
// and total is the sum of the weights of all moves.
func (c *counter) bonus(p board.Point, gain, worth, weight, total float64) float64 {
	open := max(0.3, 1-0.7*worth*worth) // less in decided games
	switch {
	case p == c.reply:
		return c.replyBonus(p, open, weight, total)
	case c.ours && p != board.Pass && c.center != board.NoPoint:
		return c.centerBonus(p, gain, open, weight, total)
	}
	return 0
}

// replyBonus is the bonus of the copy on the opponent's turn.
func (c *counter) replyBonus(p board.Point, open, weight, total float64) float64 {
	var dump, bias float64
	switch {
	case c.tough:
		dump, bias = 0.20, 0.75
		if p != board.Pass {
			near := 1 / (0.75 + 0.5*math.Sqrt(float64(c.distance(p))))
			dump = max(dump, near/max(1, c.asymmetry))
		}
	case c.advantage >= 5:
		dump, bias = 0.15, 0.50
	case c.advantage >= -5:
		dump, bias = 0.10+c.advantage, 0.30+4*c.advantage
	default:
		dump, bias = 0.05, 0.10
	}
	if p == board.Pass {
		dump *= 0.35 / max(1, math.Sqrt(c.asymmetry))
	}
	dump /= max(1, c.asymmetry)
	bias /= max(1, c.asymmetry)
	bonus := 0.0
	if weight < dump*total {
		bonus += forcedUtility
	}
	if weight < bias*total {
		bonus += 0.18 * open
	}
	if weight < 0.5*bias*total {
		bonus += 0.36 * open
	}
	return bonus
}

// centerBonus directs visits to moves that may beat an opponent who mirrors: the centre itself and, if
// the opponent has a stone there, moves next to that stone and near it.
func (c *counter) centerBonus(p board.Point, gain, open, weight, total float64) float64 {
	var bonus, dump float64
	if c.tough {
		if c.attached(p) {
			bonus = 0.75 / (1 + c.libs) / max(1, c.asymmetry) * open
			dump = 0.10 / c.libs
		}
		switch d := c.distance(p); {
		case d <= 2:
			dump = max(dump, 0.010)
		case d <= 4:
			dump = max(dump, 0.005)
		}
	}
	if p == c.center {
		dump = 0.12
		if c.depth == 0 {
			dump = 0.06
		}
	}
	const dear = 0.03 // if the move's loss times its share of forced visits exceeds this, the share is reduced
	if loss := -gain - bonus; loss*dump > dear {
		dump = 0.5 * (dump + dear/loss)
	}
	if weight < dump*c.wandering()*total {
		bonus += forcedUtility
	}
	return bonus
}

// wandering is a factor on the share of forced visits: the nearer the last move was to the centre,
// the smaller.
func (c *counter) wandering() float64 {
	f := 1.0
	if c.last < 0 {
		return f
	}
	d := c.distance(c.last)
	if d <= 16 {
		f *= 0.900
	}
	if d <= 5 {
		f *= 0.825
	}
	if d <= 2 {
		f *= 0.750
	}
	return f
}

// next returns the place, among a node's priors, of the best move without an
// edge, with its lifted prior.
func (c *counter) next(ns *nodes, n *node) (k int, prior float64, ok bool) {
	best, at := float32(-1), board.NoPoint
	size := c.game.Size()
	for i := int(n.edgeCount); i < int(n.priorCount); i++ {
		p, raw := ns.a.priorAt(n, i)
		if q := c.prior(p, raw); q > best || q == best && size.Index(p) < size.Index(at) {
			k, best, at = i, q, p
		}
	}
	return k, float64(best), best >= 0
}
