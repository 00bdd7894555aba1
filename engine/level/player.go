package level

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/thinking"
)

// Player chooses moves at a level.
type Player struct {
	Dial float64 // the level's number, from Strongest to Weakest
	Seed uint64  // determines the errors of judgement in this game
}

// Choice is the result of [Player.Choose].
type Choice struct {
	Move    board.Point
	Loss    float64 // by how many points it is worse than the search's best move; NaN if unknown
	Refused int     // candidates that the screen kept out
}

// Choose draws a move from a finished search of the position. It passes if the search does, or if a
// pass would end the game and cost next to nothing. If there is no candidate, it returns a pass and
// false.
func (p *Player) Choose(g *board.Game, r *search.Result, rng *rand.Rand) (Choice, bool) {
	if r.Choose(0, nil) == board.Pass || passWins(g, r) {
		return Choice{Move: board.Pass, Loss: 0}, true
	}
	s := Situation{Game: g, Seed: p.Seed}
	var refused int
	s.Candidates, refused = p.candidates(g, r)
	if len(s.Candidates) == 0 {
		return Choice{Move: board.Pass, Loss: math.NaN(), Refused: refused}, false
	}
	limit := p.mostLost(g.Size())
	at := s.choose(max(0, p.Dial), rng)
	for range 3 {
		if !(s.Candidates[at].Loss > limit) || len(s.Candidates) == 1 {
			break
		}
		refused++
		s.Candidates = slices.Delete(s.Candidates, at, at+1)
		at = s.choose(max(0, p.Dial), rng)
	}
	c := s.Candidates[at]
	return Choice{Move: c.Move, Loss: c.Loss, Refused: refused}, true
}

// mostLost is the loss in points, by the search, above which [Player.Choose] discards a drawn move and
// draws again: 1 point on 9x9 up to dial 0, unlimited from dial 9.5.
func (p *Player) mostLost(size board.Size) float64 {
	if p.Dial >= 9.5 {
		return math.Inf(1)
	}
	return math.Pow(2, max(0, p.Dial)*0.7) * scale(size)
}

// passWins reports whether the opponent has just passed, and a pass in reply is at most a third of
// a point worse than the best move.
func passWins(g *board.Game, r *search.Result) bool {
	last := g.LastMove(0)
	if last.Point != board.Pass || last.Color == board.Empty {
		return false
	}
	pass := r.Move(board.Pass)
	if pass == nil || pass.Visits == 0 {
		return false
	}
	best := math.Inf(-1)
	for i := range r.Moves {
		if r.Moves[i].Visits > 0 {
			best = max(best, r.Moves[i].Lead)
		}
	}
	return pass.Lead >= best-0.34
}

// candidates lists the plausible moves that pass the filter, likeliest first, and counts the
// plausible moves that do not.
func (p *Player) candidates(g *board.Game, r *search.Result) (list []Candidate, refused int) {
	size := g.Size()
	loss := losses(r)
	area := float64(size.Area())
	// The minimum probability of a move that may be played is a multiple of 1/area, so that it means
	// the same on every board. It falls with the strength of a beginner's habits, to a tenth at dial 20.
	least, empty := 0.02*math.Pow(10, -beginner(p.Dial))/area, 1-float64(g.Board().Stones(board.Black)+g.Board().Stones(board.White))/area
	screen := newScreen(g)
	screen.decided = max(r.Root.Winrate, 1-r.Root.Winrate) > sure
	policy := r.Policy
	if r.Human != nil {
		policy = r.Human.Policy
	}
	for at := range board.Point(size.Area()) {
		prior := float64(policy[at])
		if prior < least || g.Legal(g.ToMove(), at) != nil {
			continue
		}
		l, seen := loss[at]
		if !seen {
			l = math.NaN()
		}
		if screen.refuses(at, prior, l, empty) {
			refused++
			continue
		}
		list = append(list, Candidate{Move: at, Prior: prior, Loss: l})
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Prior, a.Prior) })
	return list, refused
}

// losses returns by how many points each searched move is worse than the one that the search would
// play. A value is uncertain by 1/sqrt(visits) points on 9x9; if a move's value is less certain than the
// best one's, the difference adds to its loss, since the best of many rough estimates is mostly luck. For
// a network that predicts only winrates, one percent of winrate counts as half a point.
func losses(r *search.Result) map[board.Point]float64 {
	value := func(m *thinking.Move) float64 {
		if !r.Root.Raw.HasScore {
			return 50 * m.Winrate
		}
		return m.Lead
	}
	doubt := func(m *thinking.Move) float64 { return scale(r.Size) / math.Sqrt(float64(m.Visits)) }
	all := map[board.Point]float64{}
	best := r.Move(r.Choose(0, nil))
	if best == nil || best.Visits == 0 {
		return all
	}
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Visits > 0 {
			all[m.Move] = max(0, value(best)-value(m)+max(0, doubt(m)-doubt(best)))
		}
	}
	return all
}

// Searched returns settings for the search that a dial chooses from: every likely move gets its
// share of a search of fixed length, independent of clock, komi and opponent.
func Searched(p search.Params, dial float64) (search.Params, search.Limits) {
	p.Net.PlayoutDoublingAdvantage, p.Root.WideNoise, p.AntiMirror = 0, 0, false
	p.Human = p.Human.Alone()
	p.Root.Gumbel = search.Gumbel{Considered: Considered, VisitScale: 50, ValueScale: 1, Greedy: true}
	return p, search.Limits{Playouts: VisitsAt(dial)}
}
