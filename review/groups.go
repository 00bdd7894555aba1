package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/life"
)

// Group is a group whose life or death is proved from some move on, whichever side moves first and
// however many ko threats there are. All its chains have the same verdict, proved from the same
// move on.
type Group struct {
	Color   string   `json:"color"`   // "b" or "w"
	Stones  []string `json:"stones"`  // at the end of the game or before their capture; the largest chain first
	Verdict string   `json:"verdict"` // alive, dead, seki
	// Since is the number of the move after which the verdict is proved. Taken is the number of the
	// move that captured the last chain, 0 if a chain is left.
	Since int `json:"since"`
	Taken int `json:"taken,omitempty"`
	// Assumed are the chains that are assumed alive in the proof for the position after move Since.
	Assumed []string `json:"assumed,omitempty"`
}

func (g *Group) text() string {
	text := fmt.Sprintf("%s's %s, %d stones: %s, settled since move %d, proved", map[string]string{"b": "Black", "w": "White"}[g.Color], g.Stones[0], len(g.Stones), g.Verdict, g.Since)
	if len(g.Assumed) > 0 {
		text += ", if these live: " + strings.Join(g.Assumed, " ")
	}
	return text + "."
}

// settledText describes the groups that are settled by a move, a line each.
func settledText(res *Result, number int) (text string) {
	for i := range res.Groups {
		if res.Groups[i].Since == number {
			text += "\n" + res.Groups[i].text()
		}
	}
	return text
}

// Only is a position in which it is proved that exactly one first move saves or kills a group.
type Only struct {
	Ply   int      `json:"ply"`
	Kills bool     `json:"kills,omitempty"`
	Group []string `json:"group"` // stones of the group
	Line  []string `json:"line"`  // the move and its continuation
	// Assumed are the chains that the proof assumes alive.
	Assumed []string `json:"assumed,omitempty"`
}

// Limits of the proofs.
const (
	nodesAVisit = 0.3   // all proofs together may search this many positions per visit and board point, about a tenth of the review's time
	groupNodes  = 40000 // positions that a question about a group may search, or a twelfth of those left if that is less
	leastNodes  = 8000  // minimum of that limit; no question at all is asked if fewer positions than this are left
	onlyNodes   = 40000 // maximum number of positions searched for a question about a mistake
	leastGroup  = 3     // minimum number of stones of a group
	sureOwner   = 90    // minimum ownership of a settled group, in percent
	lostOwner   = 60    // minimum change of ownership by a mistake that loses a group, in percent
)

// prover proves the life of groups in a reviewed game.
type prover struct {
	ctx  context.Context
	game *Game
	res  *Result
	left int64 // number of positions that may still be searched
	// alive are the chains that are proved so far to live to the end of the game. Later proofs assume
	// that they do, so no proof rests on a later one.
	alive []*settledChain
}

// prove adds Groups and Only to a result. They depend on the result and the game alone.
func prove(ctx context.Context, g *Game, res *Result) error {
	all := int64(nodesAVisit * float64(res.Visits) * float64(g.Record.Size.Area()))
	p := &prover{ctx: ctx, game: g, res: res, left: all / 2}
	err := p.onlies()
	if err == nil {
		for i, color := range []string{"b", "w"} {
			res.Players[i].sum(res.Moves, color)
		}
		p.left += all / 2
		err = p.groups()
	}
	if err != nil { // the groups are discarded: a resumed review proves all again
		res.Complete, res.Groups, res.Only = false, nil, nil
	}
	return err
}

// refused handles the error of a question. It ignores an invalid question. If the checker refuses
// a proof, that is a fault of the program and becomes a note; the review stays valid.
func (p *prover) refused(err error) {
	if !errors.Is(err, life.ErrQuestion) && p.ctx.Err() == nil {
		p.res.Notes = append(slices.Clip(p.res.Notes), "A group was left out: "+err.Error())
	}
}

// question returns the question about the chain of a stone in the position before a ply.
func (p *prover) question(ply int, stone board.Point) (*life.Question, error) {
	g, err := p.game.Position(ply)
	if err != nil {
		return nil, err
	}
	q := life.QuestionOf(g)
	q.Targets = []board.Point{stone}
	own := p.res.Positions[ply].Ownership
	if own == nil {
		q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
		return q, nil
	}
	q.Assumed = life.Enclosed(q, func(at board.Point) (least, most float64) {
		black := (1 + float64(own[at])/100) / 2
		return black, black
	})
	for _, c := range p.alive {
		if c.Since <= ply {
			q.Assumed = append(q.Assumed, q.Without([]board.Point{c.stone}, append(q.Assumed, stone))...)
		}
	}
	return q, nil
}

// candidate is a chain that may be settled in the position before ply.
type candidate struct {
	stones []board.Point
	color  board.Color
	ply    int
	taken  int // number of the capturing move, 0: none
}

// groups finds the groups, captured or on the final board, whose life or death is proved, and for
// each the first move after which it is proved.
func (p *prover) groups() error {
	placed, list, err := p.candidates()
	if err != nil {
		return err
	}
	var chains []*settledChain
	for _, c := range list {
		oldest := slices.MinFunc(c.stones, func(a, b board.Point) int { return placed[a] - placed[b] })
		found, err := p.since(c, oldest, placed[oldest]+1)
		if err != nil {
			return err
		}
		if found == nil {
			continue
		}
		chains = append(chains, found)
		if found.Verdict == life.Alive && found.Taken == 0 {
			p.alive = append(p.alive, found)
		}
	}
	for len(chains) > 0 {
		var g *Group
		if g, chains, err = p.join(chains); err != nil {
			return err
		}
		p.res.Groups = append(p.res.Groups, *g)
	}
	slices.SortStableFunc(p.res.Groups, func(a, b Group) int { return a.Since - b.Since })
	return nil
}

// settledChain is a chain with a proved verdict. Its Group consists of this chain alone.
type settledChain struct {
	Group
	stone board.Point // a stone of the chain
}

// join returns the group of the first chain, and the chains that are not part of it.
func (p *prover) join(chains []*settledChain) (*Group, []*settledChain, error) {
	game, err := p.game.Position(chains[0].Since)
	if err != nil {
		return nil, nil, err
	}
	b := game.Board()
	joined, rest := chains[:1:1], slices.Clone(chains[1:])
	for i := 0; i < len(joined); i++ {
		rest = slices.DeleteFunc(rest, func(c *settledChain) bool {
			if !joined[i].belongs(c, b) {
				return false
			}
			joined = append(joined, c)
			return true
		})
	}
	joined, apart := grounded(joined)
	rest = append(rest, apart...)
	g := &joined[0].Group
	for _, c := range joined[1:] {
		g.Stones = append(g.Stones, c.Stones...)
		for _, a := range c.Assumed {
			if !slices.Contains(g.Assumed, a) {
				g.Assumed = append(g.Assumed, a)
			}
		}
		if g.Taken = max(g.Taken, c.Taken); c.Taken == 0 {
			g.Taken = 0
		}
	}
	g.Assumed = slices.DeleteFunc(g.Assumed, func(a string) bool { return slices.Contains(g.Stones, a) })
	return g, rest, nil
}

// grounded separates chains whose proofs rest on each other in a circle: if two chains each live
// only because the other lives, neither is proved. It returns the chains whose proofs rest on
// no circle, or the first chain alone if there are none, and then the rest.
func grounded(list []*settledChain) (in, apart []*settledChain) {
	open := slices.Clone(list)
	for again := true; again; {
		before := len(open)
		open = slices.DeleteFunc(slices.Clone(open), func(c *settledChain) bool {
			return !slices.ContainsFunc(open, func(d *settledChain) bool { return d != c && c.rests(d) })
		})
		again = len(open) < before
	}
	if len(open) == len(list) {
		return list[:1], list[1:]
	}
	for _, c := range list {
		if slices.Contains(open, c) {
			apart = append(apart, c)
		} else {
			in = append(in, c)
		}
	}
	return in, apart
}

// rests reports whether the proof of chain c requires another chain to be alive. The proof of a
// dead chain never does.
func (c *settledChain) rests(on *settledChain) bool {
	return c.Verdict != life.Dead && slices.ContainsFunc(c.Assumed, func(a string) bool { return slices.Contains(on.Stones, a) })
}

// belongs reports whether two chains are one group: they share a liberty on b, and have the same
// verdict since the same move.
func (c *settledChain) belongs(d *settledChain, b *board.Board) bool {
	if c.Color != d.Color || c.Verdict != d.Verdict || c.Since != d.Since {
		return false
	}
	theirs := b.LibertyPoints(nil, d.stone)
	return slices.ContainsFunc(b.LibertyPoints(nil, c.stone), func(p board.Point) bool { return slices.Contains(theirs, p) })
}

// candidates returns the chains whose status is to be proved, the largest first. placed has for each point the last ply
// that put a stone there, -1 for set-up.
func (p *prover) candidates() (placed []int, list []candidate, err error) {
	plies := len(p.game.Moves)
	size := p.game.Record.Size
	placed = make([]int, size.Area())
	for i := range placed {
		placed[i] = -1
	}
	var before *board.Game
	for t := 0; t <= plies; t++ {
		now, err := p.game.Position(t)
		if err != nil {
			return nil, nil, err
		}
		if before != nil {
			for _, c := range chainsOf(before, func(at board.Point) bool { return now.At(at) == board.Empty }) {
				list = append(list, candidate{c, before.At(c[0]), t - 1, t})
			}
		}
		if t < plies {
			if m := p.game.Moves[t]; m.Point != board.Pass {
				placed[m.Point] = t
			}
		}
		before = now
	}
	for _, c := range chainsOf(before, func(at board.Point) bool { return before.At(at) != board.Empty }) {
		list = append(list, candidate{c, before.At(c[0]), plies, 0})
	}
	list = slices.DeleteFunc(list, func(c candidate) bool { return len(c.stones) < leastGroup || !p.sure(c) })
	slices.SortStableFunc(list, func(a, b candidate) int { return len(b.stones) - len(a.stones) })
	return placed, list, nil
}

// sure reports whether the review's ownership is clear about a group. Otherwise a proof is
// unlikely.
func (p *prover) sure(c candidate) bool {
	own := p.res.Positions[c.ply].Ownership
	if own == nil {
		return false
	}
	sum := 0
	for _, x := range c.stones {
		sum += int(own[x])
	}
	return max(sum, -sum) >= sureOwner*len(c.stones)
}

// chainsOf returns the chains with at least one stone for which counts returns true.
func chainsOf(g *board.Game, counts func(board.Point) bool) (list [][]board.Point) {
	seen := make([]bool, g.Size().Area())
	for i := range seen {
		at := board.Point(i)
		if seen[i] || g.At(at) == board.Empty || !counts(at) {
			continue
		}
		chain := g.Board().Chain(nil, at)
		for _, x := range chain {
			seen[x] = true
		}
		list = append(list, chain)
	}
	return list
}

// since finds by bisection the first position, not before lo, in which the chain of a stone is
// proved to have its final verdict; nil if the final verdict is not proved.
func (p *prover) since(c candidate, stone board.Point, lo int) (*settledChain, error) {
	last, err := p.settled(c.ply, stone)
	if last.Verdict == "" || c.taken > 0 && last.Verdict != life.Dead {
		return nil, err
	}
	size := p.game.Record.Size
	found := &settledChain{Group{Color: letter(c.color), Verdict: last.Verdict, Since: c.ply, Taken: c.taken, Assumed: last.Assumed}, stone}
	for _, x := range c.stones {
		found.Stones = append(found.Stones, size.Vertex(x))
	}
	for hi := c.ply; lo < hi; {
		mid := (lo + hi) / 2
		at, err := p.settled(mid, stone)
		if err != nil {
			return nil, err
		}
		then := &settledChain{Group: Group{Verdict: at.Verdict, Assumed: at.Assumed}}
		if at.Verdict != found.Verdict || then.rests(found) { // no proof yet, or one that rests on stones played later
			lo = mid + 1
			continue
		}
		hi = mid
		found.Since, found.Assumed = mid, at.Assumed
	}
	return found, nil
}

// settled returns the proved status of the chain of a stone in the position before a ply.
func (p *prover) settled(ply int, stone board.Point) (life.Status, error) {
	if p.left < leastNodes {
		return life.Status{}, p.ctx.Err()
	}
	q, err := p.question(ply, stone)
	if err != nil || q.Stones[stone] == board.Empty {
		return life.Status{}, err
	}
	out, err := life.Settled(p.ctx, q, min(groupNodes, max(leastNodes, p.left/12)))
	p.left -= out.Nodes
	if err != nil {
		p.refused(err)
		return life.Status{}, p.ctx.Err()
	}
	return out, p.ctx.Err()
}

// onlies asks the solver about the groups that the worst mistakes decide: the groups in their
// claims, and those whose owner changes.
func (p *prover) onlies() error {
	for _, t := range p.res.Mistakes {
		before, after := p.res.Positions[t].Ownership, p.res.Positions[t+1].Ownership
		if before == nil || after == nil || !p.res.Moves[t].Judged {
			continue
		}
		g, err := p.game.Position(t)
		if err != nil {
			return err
		}
		var claimed []string
		for _, c := range p.res.Moves[t].Claims {
			if c.about() {
				claimed = append(claimed, c.Stones...)
			}
		}
		changed := func(at board.Point) bool {
			return max(int(before[at])-int(after[at]), int(after[at])-int(before[at])) > lostOwner || slices.Contains(claimed, g.Size().Vertex(at))
		}
		list := chainsOf(g, changed)
		slices.SortStableFunc(list, func(a, b []board.Point) int { return len(b) - len(a) })
		for _, chain := range list {
			if at := g.Size().Vertex(chain[0]); len(chain) < leastGroup && !slices.Contains(claimed, at) {
				continue
			}
			if err := p.only(t, chain); err != nil {
				return err
			}
		}
	}
	return nil
}

// about reports whether a claim is about the life of its stones.
func (c *Claim) about() bool {
	return slices.Contains([]ClaimKind{Captured, Dies, Lives, Weak, Stronger, Weakens, Strengthens}, c.Kind)
}

// only looks for moves at a ply that save or kill a chain; if there is exactly one, it adds the
// position to the report's Only. It also adds proofs about the chain to the claims about the ply's
// move.
func (p *prover) only(t int, chain []board.Point) error {
	if p.left < leastNodes {
		return p.ctx.Err()
	}
	q, err := p.question(t, chain[0])
	if err != nil {
		return err
	}
	out, err := life.Ask(p.ctx, q, life.Options{Nodes: min(onlyNodes, p.left)})
	if err != nil {
		p.refused(err)
		return p.ctx.Err()
	}
	m, kills := &p.res.Moves[t], q.Stones[chain[0]] != p.game.Moves[t].Color
	p.left -= out.Attacks.Nodes + out.Defends.Nodes
	o := Only{Ply: t, Kills: kills, Assumed: out.Assumed}
	for _, x := range chain {
		o.Group = append(o.Group, q.Size.Vertex(x))
	}
	line := out.OnlyMove(kills)
	for _, x := range line {
		o.Line = append(o.Line, q.Size.Vertex(x))
	}
	if line != nil && !slices.ContainsFunc(p.res.Only, func(o Only) bool { return o.Ply == t }) {
		p.res.Only = append(p.res.Only, o)
	}
	if !m.Listed || len(m.Claims) == 0 || m.Claims[0].Proved || line != nil && o.Line[0] == m.Move {
		return p.ctx.Err()
	}
	saves := works(out, kills, m.Best[0].Move)
	if saves == m.Move || saves == "" && line == nil && !slices.ContainsFunc(m.Claims, func(c Claim) bool { return c.about() }) {
		return p.ctx.Err()
	}
	loses, err := p.loses(t+1, chain[0], kills, first(m.Refutation))
	if claimed := slices.ContainsFunc(m.Claims, func(c Claim) bool { return c.about() && slices.Contains(c.Stones, o.Group[0]) }); line != nil || saves+loses != "" && claimed {
		if line == nil {
			o.Line = []string{saves}
		}
		m.settle(kills, o.Group, o.Line, loses, line != nil)
	}
	return err
}

// loses returns a move of the side to move that is proved to kill a chain, or to save it if lives is
// true; "" if there is none. If prefer is such a move, it returns prefer.
func (p *prover) loses(ply int, stone board.Point, lives bool, prefer string) (string, error) {
	q, err := p.question(ply, stone)
	if err != nil || q.Stones[stone] == board.Empty || p.left < leastNodes {
		return "", err
	}
	g, err := p.game.Position(ply)
	if err != nil {
		return "", err
	}
	out, err := life.Ask(p.ctx, q, life.Options{Nodes: min(onlyNodes, p.left), First: g.ToMove()})
	if err != nil {
		p.refused(err)
		return "", p.ctx.Err()
	}
	for _, c := range []*life.Card{out.Attacks, out.Defends} {
		if c != nil {
			p.left -= c.Nodes
		}
	}
	return works(out, !lives, prefer), p.ctx.Err()
}

// works returns the first move of an answer that is proved to kill the target, or to save it if
// kills is false; "" if there is none. It returns the preferred move if that is proved.
func works(out *life.Answer, kills bool, prefer string) string {
	c, want := out.Defends, []string{life.Alive, life.Seki}
	if kills {
		c, want = out.Attacks, []string{life.Dead}
	}
	if c == nil || !c.Proved || !slices.Contains(want, c.Verdict) || len(c.Moves) == 0 || slices.Contains(c.Moves, "pass") {
		return "" // no proof, or no move is needed
	}
	if slices.Contains(c.Moves, prefer) {
		return prefer
	}
	return c.Moves[0]
}
