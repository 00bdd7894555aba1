package level

import (
	"slices"

	"kosumi/board"
)

// screen rejects moves that no person makes, whatever the rank.
type screen struct {
	game    *board.Game
	alive   []board.Color // owners of pass-alive areas
	decided bool          // one side is sure to win
	work    *board.Board
}

func newScreen(g *board.Game) *screen {
	return &screen{game: g, alive: g.Board().PassAlive(nil, g.Rules().Suicide), work: board.NewBoard(g.Size())}
}

// Bounds of the screen.
const (
	bigChain  = 5    // number of stones that no rank gives away for nothing
	opening   = 0.88 // share of empty points above which unlikely moves on the edge are refused
	edgePrior = 0.05 // probability from which an edge move is not screened
	sure      = 0.98 // winrate of a side that has practically won
)

// refuses reports whether no rank plays p: it fills an eye or settled area; it gives away a big chain
// without a capture and is not the search's best move; or it is an unlikely move on the edge, played in
// the opening or with no stone around it. In a decided game even the search's best move may not give away a
// big chain, since all moves are equally good then. loss is NaN if unknown, empty the share of empty points.
func (s *screen) refuses(p board.Point, prior, loss, empty float64) bool {
	us, b := s.game.ToMove(), s.game.Board()
	if s.alive[p] != board.Empty && !inAtari(b, us.Opponent(), p) {
		return true
	}
	if FillsEye(b, us, p) {
		return true
	}
	if Suicidal(b, s.work, us, p) && (loss != 0 || s.decided) {
		return true
	}
	return s.game.Size().Line(p) == 1 && prior < edgePrior && (empty > opening || s.alone(p))
}

// alone reports whether a point and the eight points around it are empty.
func (s *screen) alone(p board.Point) bool {
	size := s.game.Size()
	x, y := size.XY(p)
	for v := max(0, y-1); v <= min(size.H-1, y+1); v++ {
		for u := max(0, x-1); u <= min(size.W-1, x+1); u++ {
			if s.game.At(size.Point(u, v)) != board.Empty {
				return false
			}
		}
	}
	return true
}

// inAtari reports whether a neighbour of p is a chain of colour c with one liberty.
func inAtari(b *board.Board, c board.Color, p board.Point) bool {
	return slices.ContainsFunc(b.Neighbors(p), func(q board.Point) bool { return b.At(q) == c && b.Liberties(q) == 1 })
}

// Suicidal reports whether a move puts its player's chain of five stones or more into atari, or
// removes it, without a capture. work is a board to try it on.
func Suicidal(b, work *board.Board, us board.Color, p board.Point) bool {
	own := 0
	for _, q := range b.Neighbors(p) {
		if b.At(q) == us {
			own = max(own, b.ChainSize(q))
		}
	}
	if own < bigChain-1 {
		return false
	}
	work.CopyFrom(b)
	if work.Play(us, p) > 0 {
		return false
	}
	return work.At(p) != us || work.Liberties(p) == 1 && work.ChainSize(p) >= bigChain
}

// FillsEye reports whether a move fills an eye of its player while no chain around the eye is in
// atari. Filling an eye may be right to save a chain in atari.
func FillsEye(b *board.Board, us board.Color, p board.Point) bool {
	return b.IsEye(p, us) && !inAtari(b, us, p)
}

// LargeLoss reports whether a loss is known and more than ten points. The ladder counts such losses;
// package review divides moves into finer classes.
func LargeLoss(loss float64) bool { return loss > 10 }
