package board_test

import (
	"fmt"
	"slices"

	"kosumi/board"
)

// refGame implements the rules on a refBoard word by word; its superko keys are whole positions.
type refGame struct {
	rules   board.Rules
	b       refBoard
	toMove  board.Color
	ko      board.Point
	phase   int
	prevent bool

	koKeys   []string
	passKeys [3][]string
	passes   int
	turns    int
	bonus    float32
	button   bool
	blocked  map[board.Point]bool
	captures []string
	second   string
	prisoner [3]int

	finished, pastPhaseEnd, noResult bool
}

func newRefGame(s board.Size, r board.Rules, prevent bool) *refGame {
	g := &refGame{rules: r, b: newRefBoard(s), toMove: board.Black, ko: board.NoPoint, prevent: prevent, button: r.Button}
	g.blocked = map[board.Point]bool{}
	g.koKeys = []string{g.key(g.b, g.toMove)}
	return g
}

func (g *refGame) key(b refBoard, side board.Color) string {
	k := b.colors
	for p := range board.Point(b.size.Area()) {
		if g.blocked[p] {
			k += " " + b.size.Vertex(p)
		}
	}
	if g.phase > 0 || g.rules.Ko == board.KoSimple || g.rules.Ko == board.KoSituational {
		k += " " + side.String()
	}
	return k
}

func count(list []string, s string) int {
	n := 0
	for _, t := range list {
		if s == t {
			n++
		}
	}
	return n
}

// koCapture returns the single stone that c's move on p would capture in ko, if any.
func (g *refGame) koCapture(c board.Color, p board.Point) board.Point {
	found := board.NoPoint
	for _, q := range g.b.neighbors(p) {
		if g.b.at(q) != sign(c.Opponent()) {
			return board.NoPoint
		}
		if g.b.liberties(q) == 1 {
			if found != board.NoPoint || len(g.b.chain(q)) > 1 {
				return board.NoPoint
			}
			found = q
		}
	}
	return found
}

// passForKo returns the stone that a pass-for-ko move unblocks.
func (g *refGame) passForKo(c board.Color, p board.Point) board.Point {
	if g.phase == 0 || p == board.Pass {
		return board.NoPoint
	}
	if g.b.at(p) == refEmpty {
		if q := g.koCapture(c, p); q != board.NoPoint && g.blocked[q] {
			return q
		}
		return board.NoPoint
	}
	if g.b.at(p) == sign(c.Opponent()) && g.blocked[p] && len(g.b.chain(p)) == 1 && g.b.liberties(p) == 1 {
		return p
	}
	return board.NoPoint
}

// legal returns the reason why the side to move may not play p, or nil if it may.
func (g *refGame) legal(p board.Point) error {
	_, err := g.judge(p)
	return err
}

// judge returns an error if the side to move may not play p, and whether superko bans p.
func (g *refGame) judge(p board.Point) (banned bool, err error) {
	c := g.toMove
	if p == board.Pass {
		return false, nil
	}
	passForKo := g.passForKo(c, p) != board.NoPoint
	if g.b.at(p) != refEmpty {
		if passForKo {
			return false, nil
		}
		return false, board.ErrOccupied
	}
	m := g.b.play(c, p)
	suicide := m.suicided == 1 || m.suicided > 1 && !g.rules.Suicide
	switch {
	case suicide || p == g.ko:
	case g.phase > 0:
		banned = slices.Contains(g.captures, fmt.Sprint(g.b.colors, p, c))
	case g.rules.Ko != board.KoSimple:
		banned = slices.Contains(g.koKeys, g.key(m.after, c.Opponent()))
	}
	switch {
	case passForKo:
		return banned, nil
	case p == g.ko:
		return banned, board.ErrKo
	case suicide:
		return banned, board.ErrSuicide
	case banned:
		return banned, board.ErrSuperko
	}
	return false, nil
}

// pointFor is the value of a colour's point from White's view.
func pointFor(c board.Color) float32 {
	if c == board.White {
		return 1
	}
	return -1
}

func (g *refGame) play(c board.Color, p board.Point) {
	if g.finished || g.pastPhaseEnd {
		g.turns = min(g.turns, 1)
	}
	g.finished, g.pastPhaseEnd, g.noResult = false, false, false
	repeated := false
	switch {
	case p != board.Pass:
		g.passes = 0
	case g.button:
		g.button = false
		g.bonus += pointFor(c) / 2
		g.passes = 0
		g.passKeys = [3][]string{}
		g.koKeys = nil
	default:
		clearing := g.phase > 0 || g.rules.Ko == board.KoSimple || g.rules.Ko == board.KoSpight
		if clearing {
			g.koKeys = nil
		}
		k := g.key(g.b, c)
		if g.phase > 0 || g.rules.Ko != board.KoSpight {
			g.passes++
		} else {
			g.passes = 0
		}
		repeated = clearing && slices.Contains(g.passKeys[c], k)
		g.passKeys[c] = append(g.passKeys[c], k)
	}
	passForKo := g.stone(c, p)
	g.toMove = c.Opponent()
	key := g.key(g.b, g.toMove)
	g.koKeys = append(g.koKeys, key)
	g.turns++
	if g.rules.Scoring == board.ScoringTerritory && g.phase <= 1 && p != board.Pass && !passForKo {
		g.bonus += pointFor(c.Opponent())
	}
	if g.passes >= 2 || repeated {
		g.endPhase()
	}
	if p != board.Pass && (g.phase > 0 || g.rules.Ko == board.KoSimple) && count(g.koKeys, key) >= 3 {
		g.noResult, g.finished = true, true
	}
}

// stone places a stone and applies its effects.
func (g *refGame) stone(c board.Color, p board.Point) (passForKo bool) {
	g.ko = board.NoPoint
	if p == board.Pass {
		return false
	}
	if q := g.passForKo(c, p); q != board.NoPoint {
		delete(g.blocked, q)
		return true
	}
	before := g.b
	m := g.b.play(c, p)
	g.b, g.ko = m.after, m.ko
	g.prisoner[c.Opponent()] += m.captured
	g.prisoner[c] += m.suicided
	if g.phase == 0 {
		return false
	}
	if g.ko != board.NoPoint {
		g.blocked[p] = true
		g.captures = append(g.captures, fmt.Sprint(before.colors, p, c))
		g.ko = board.NoPoint
	}
	for q := range g.blocked {
		if g.b.at(q) == refEmpty {
			delete(g.blocked, q)
		}
	}
	return false
}

func (g *refGame) endPhase() {
	switch {
	case g.rules.Scoring == board.ScoringArea || g.phase == 2:
		g.finished = true
	case g.prevent:
		g.pastPhaseEnd = true
		g.turns = min(g.turns, 1)
	default:
		g.phase++
		g.turns, g.passes = 0, 0
		if g.phase == 2 {
			g.second = g.b.colors
		}
		g.passKeys = [3][]string{}
		g.blocked = map[board.Point]bool{}
		g.captures = nil
		g.koKeys = []string{g.key(g.b, g.toMove)}
	}
}

// passWouldEndPhase reports whether a pass would end the phase.
func (g *refGame) passWouldEndPhase() bool {
	x := *g
	x.passKeys[g.toMove] = slices.Clone(g.passKeys[g.toMove])
	x.prevent = true
	x.play(g.toMove, board.Pass)
	return x.finished || x.pastPhaseEnd
}

// owners returns who owns each point and the score without komi, White's minus
// Black's.
func (g *refGame) owners(m board.AreaModes) ([]byte, int) {
	sui := g.rules.Suicide || m.PassAliveUnderSuicide
	var marks []byte
	groups := 0
	switch area := g.rules.Scoring == board.ScoringArea; {
	case area && g.rules.Tax == board.TaxNone:
		marks = g.b.fullArea(sui)
	case area:
		marks, groups = g.b.independentLife(board.KeepStones, sui)
	default:
		keep := board.KeepNothing
		if g.rules.Tax == board.TaxNone {
			keep = board.KeepTerritory
			if m.ExcludeTerritoryAdjacentToAtari {
				keep = board.KeepSafeTerritory
			}
		}
		marks, groups = g.b.independentLife(keep, sui)
		for p := range marks {
			if marks[p] == refEmpty && (g.phase < 2 || g.second[p] == g.b.colors[p]) {
				marks[p] = g.b.colors[p]
			}
		}
	}
	score := 0
	for _, c := range marks {
		if c == 'O' {
			score++
		} else if c == 'X' {
			score--
		}
	}
	if g.rules.Tax == board.TaxAll {
		score -= 2 * groups
	}
	return marks, score
}

// scoreOf converts White's points minus Black's on the board to the score.
func (g *refGame) scoreOf(n int) float32 {
	s := float32(n) + g.bonus + g.rules.Komi
	if g.button {
		s += pointFor(g.toMove) / 2
	}
	return s
}
