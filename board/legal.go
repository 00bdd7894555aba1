package board

import "errors"

// Reasons why a move is not legal.
var (
	ErrOccupied = errors.New("illegal move: the point is occupied")
	ErrSuicide  = errors.New("illegal move: suicide")
	ErrKo       = errors.New("illegal move: ko")
	ErrSuperko  = errors.New("illegal move: the position would repeat (superko)")
	ErrOffBoard = errors.New("illegal move: not on the board")
)

// Legal returns nil if c may play p, otherwise ErrOccupied, ErrSuicide, ErrKo,
// ErrSuperko or ErrOffBoard. A pass is always legal. c need not be the
// side to move; the simple ko point binds only the side to move. In the clean-up
// phases an occupied point may be legal, as a pass for ko.
func (g *position) Legal(c Color, p Point) error {
	if p == Pass {
		return nil
	}
	if !g.Size().Contains(p) {
		return ErrOffBoard
	}
	if g.phase > 0 && g.passForKo(c, p) != NoPoint {
		return nil
	}
	if g.board.cells[p].color != Empty {
		return ErrOccupied
	}
	if p == g.board.state.ko && c == g.toMove {
		return ErrKo
	}
	kind := g.board.placement(c, p)
	if kind == oneDies || kind == manyDie && !g.rules.Suicide {
		return ErrSuicide
	}
	if g.superkoBanned(c, p, kind) {
		return ErrSuperko
	}
	return nil
}

// LegalMoves sets for every policy index whether the side to move may play it,
// by all the checks of Legal. It returns dst, made longer if need be;
// its length is Area+1, and pass, the last, is always legal.
func (g *position) LegalMoves(dst []bool) []bool {
	area := g.board.geo.area
	if cap(dst) < area+1 {
		dst = make([]bool, area+1)
	}
	dst = dst[:area+1]
	dst[area] = true
	c, suicide, ko := g.toMove, g.rules.Suicide, g.board.state.ko
	for i := range area {
		p := Point(i)
		if g.phase > 0 {
			dst[i] = g.Legal(c, p) == nil
			continue
		}
		if g.board.cells[p].color != Empty || p == ko {
			dst[i] = false
			continue
		}
		kind := g.board.placement(c, p)
		dst[i] = (kind == lives || kind == manyDie && suicide) && !g.superkoBanned(c, p, kind)
	}
	return dst
}

// SuperkoBanned reports whether the side to move may not play p because of superko or, in the
// clean-up phases, because that side has taken the ko on p before in the same position. Points that
// are forbidden anyhow are not banned: occupied ones, the simple ko point, suicides.
func (g *position) SuperkoBanned(p Point) bool {
	if g.board.cells[p].color != Empty {
		return false
	}
	kind := g.board.placement(g.toMove, p)
	return (kind == lives || kind == manyDie && g.rules.Suicide) && g.superkoBanned(g.toMove, p, kind)
}

// superkoBanned is SuperkoBanned for a stone of c on an empty point. kind is the stone's effect,
// which must not be an illegal suicide.
func (g *position) superkoBanned(c Color, p Point, kind placement) bool {
	if g.phase > 0 {
		for _, k := range g.encore.captures {
			if k.at == p && k.player == c && k.stones == g.board.state.hash {
				return true
			}
		}
		return false
	}
	if g.rules.Ko == KoSimple || p == g.board.state.ko && c == g.toMove {
		return false
	}
	// A stone that lives can repeat a position only if a stone was removed from p before. A suicide
	// leaves no stone on p, so it can repeat a position wherever p is.
	if kind == lives && !g.board.vacated.has(p) {
		return false
	}
	key := g.board.hashAfter(c, p)
	if g.rules.Ko == KoSituational {
		key = key.xor(zobrist.toMove[c.Opponent()])
	}
	return g.ko.keys.has(key)
}
