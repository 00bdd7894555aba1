package review

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"kosumi/board"
)

// Limits of a report.
const (
	bestListed = 12 // maximum number of listed moves of a position
	linesKept  = 3  // maximum number of a position's moves that are listed with a continuation

	worstReported = 20 // maximum number of listed mistakes of a game

	turningListed = 3    // maximum number of turning points of a game
	evenLead      = 0.75 // smallest lead that counts, in points: below it the game is even
)

// Sign returns 1 for Black ("b"), -1 for White ("w").
func Sign(color string) float64 {
	if color == "w" {
		return -1
	}
	return 1
}

// Opponent returns the other side of "b" or "w".
func Opponent(color string) string {
	if color == "w" {
		return "b"
	}
	return "w"
}

// Stones writes a position as X, O and dots from the top left.
func Stones(g *board.Game) string { return strings.ReplaceAll(g.Board().String(), "\n", "") }

// describe returns a position with e, the result of its search, which may be nil.
func describe(game *board.Game, e *Eval) Position {
	p := Position{Stones: Stones(game), ToMove: letter(game.ToMove())}
	if e != nil {
		p.Visits, p.Winrate, p.Lead, p.Stdev, p.Ownership = e.Visits, e.Winrate, e.Lead, e.Stdev, e.Ownership
	}
	return p
}

func letter(c board.Color) string {
	if c == board.White {
		return "w"
	}
	return "b"
}

func (g *Game) Info() Info {
	r := g.Record
	return Info{Width: r.Size.W, Height: r.Size.H, Komi: float64(g.Rules.Komi), Rules: g.Rules.JSON(), Handicap: r.Handicap,
		Black: r.Black.Name, White: r.White.Name, BlackRank: r.Black.Rank, WhiteRank: r.White.Rank,
		Result: r.Result, Date: r.Date, Event: r.Event}
}

// result builds the report from the searches so far. The judges, if any, search more positions to
// find the reasons of mistakes.
func (r *run) result(ctx context.Context, complete bool, judges []*Judge) (*Result, error) {
	g := r.game
	res := &Result{Version: Version, Game: g.Info(), Network: r.conf.Network, Visits: r.visits, First: r.conf.First,
		Complete: complete, Notes: g.Notes, Cut: g.Cut}
	for t := range r.evals {
		game, err := g.Position(t)
		if err != nil {
			return nil, err
		}
		res.Positions = append(res.Positions, describe(game, r.evals[t]))
	}
	at := r.hindsight()
	for t := range g.Moves {
		res.Moves = append(res.Moves, r.move(t, at))
	}
	if err := r.explainAll(ctx, res, judges); err != nil {
		return nil, err
	}
	r.sumUp(res)
	return res, nil
}

// move judges one ply, given the standings of all positions.
func (r *run) move(t int, at []standing) Move {
	played := r.game.Moves[t]
	size := r.game.Record.Size
	m := Move{Number: t + 1, Color: letter(played.Color), Move: size.Vertex(played.Point), Order: -1, Phase: phaseOf(t, size), Class: Best}
	before, after := r.evals[t], r.evals[t+1]
	if before != nil {
		m.Best = make([]Candidate, 0, min(bestListed, len(before.Moves)))
		for i, c := range before.Moves {
			if c.Move == m.Move {
				m.Prior = c.Prior
				if c.Visits > 0 {
					m.Order = i
				}
			} else if i >= bestListed {
				continue
			}
			if i >= linesKept {
				c.Line = nil
			}
			m.Best = append(m.Best, c)
		}
		m.random = randomLoss(before, Sign(m.Color))
	}
	s := r.swingBetween(t, at)
	if !s.ok {
		return m
	}
	m.Judged, m.Error = true, Round(s.err, 2)
	if m.Order != 0 { // the engine's first choice has no loss
		m.Loss = Round(max(0, s.loss), 2)
		m.WinrateLoss = Round(max(0, s.winrate), 4)
	}
	m.Class = ClassOf(m.Loss)
	m.Listed = m.Loss >= ClassBounds[1] && len(m.Best) > 0 && r.wanted(m.Color)
	m.Certain = ClassOf(m.Loss-s.err) == m.Class
	if len(after.Moves) > 0 {
		m.Refutation = after.Moves[0].Line
	}
	return m
}

// wanted reports whether a side's mistakes belong in the report.
func (r *run) wanted(color string) bool {
	if r.conf.Player == "" {
		return true
	}
	black, white := r.game.PlayerSides(r.conf.Player)
	return black == white || black == (color == "b")
}

// PlayerSides reports for each side whether the name of its player contains name, ignoring case.
// If neither does, the name "black" or "white" selects that side.
func (g *Game) PlayerSides(name string) (black, white bool) {
	name = strings.ToLower(name)
	has := func(s string) bool { return name != "" && strings.Contains(strings.ToLower(s), name) }
	black, white = has(g.Record.Black.Name), has(g.Record.White.Name)
	if !black && !white {
		black, white = name == "black", name == "white"
	}
	return black, white
}

// sumUp fills in the parts of the report about the whole game.
func (r *run) sumUp(res *Result) {
	info := &res.Game
	res.Players = [2]Player{{Name: info.Black, Rank: info.BlackRank}, {Name: info.White, Rank: info.WhiteRank}}
	for i, color := range []string{"b", "w"} {
		res.Players[i].sum(res.Moves, color)
	}
	res.Mistakes = worst(res.Moves, worstReported, func(m *Move) float64 { return m.Loss })
	res.Turning = turningOf(res)
	res.Summary = summaryOf(res)
}

// turningOf returns up to turningListed plies at which the game turned, in the order of play. Of the moves that
// cost 10 % of winrate or more it takes first the one that changed the leader for good, then those that cost most.
// It takes a move that did not change the leader only after all moves of the same side that lost more points.
func turningOf(res *Result) []int {
	ahead := func(t int) int { // 1 Black, -1 White, 0 neither
		if lead := res.Positions[t].Lead; math.Abs(lead) >= evenLead {
			return int(math.Copysign(1, lead))
		}
		return 0
	}
	last := len(res.Moves) - 1
	for last >= 0 && ahead(last) == ahead(len(res.Moves)) {
		last--
	}
	plies := worst(res.Moves, len(res.Moves), func(m *Move) float64 {
		switch {
		case m.WinrateLoss < 0.1:
			return 0
		case m.Number == last+1:
			return 1
		}
		return m.WinrateLoss
	})
	mistakes := worst(res.Moves, len(res.Moves), func(m *Move) float64 { return m.Loss })
	turning := []int{}
	for len(turning) < turningListed {
		i := slices.IndexFunc(plies, func(t int) bool {
			m := &res.Moves[t]
			return ahead(t) != ahead(t+1) || !slices.ContainsFunc(mistakes, func(o int) bool {
				return res.Moves[o].Color == m.Color && res.Moves[o].Loss > m.Loss && !slices.Contains(turning, o)
			})
		})
		if i < 0 {
			break
		}
		turning, plies = append(turning, plies[i]), slices.Delete(plies, i, i+1)
	}
	slices.Sort(turning)
	return turning
}

func (p *Player) sum(moves []Move, color string) {
	var all []*Move
	for i := range moves {
		if m := &moves[i]; m.Color == color && m.Judged {
			all = append(all, m)
		}
	}
	p.Totals = totalsOf(all)
	p.ByPhase, p.ByKind = totalsBy(all, phaseOfMove), totalsBy(all, kindOfMove)
}

// leaderOf returns the side that is ahead, its lead rounded to tenths and its winrate. The
// lead decides; if it rounds to 0, the winrate does. The arguments are Black's.
func leaderOf(lead, winrate float64) (who string, points, chance float64) {
	if lead = Round(lead, 1); lead > 0 || lead == 0 && winrate >= 0.5 {
		return "Black", lead, winrate
	}
	return "White", 0 - lead, 1 - winrate
}

// summaryOf describes the course of the game in one or two sentences.
func summaryOf(res *Result) string {
	end := res.Positions[len(res.Positions)-1]
	if end.Visits == 0 {
		return "Not reviewed yet."
	}
	leader, lead, sure := leaderOf(end.Lead, end.Winrate)
	text := fmt.Sprintf("At the end the network sees %s ahead by %.1f points (%.0f %%)", leader, lead, 100*sure)
	if sure < 0.5 || lead == 0 {
		text = fmt.Sprintf("At the end the network sees an even game (%s %.0f %%)", leader, 100*sure)
	}
	if res.Game.Result != "" {
		text += "; the record says " + res.Game.Result
	}
	text += "."
	if sure < 0.9 {
		return text
	}
	// Find the last position in which the loser's winrate was still above 1/3.
	for t := len(res.Positions) - 1; t >= 0; t-- {
		p := res.Positions[t]
		chance := p.Winrate
		if leader == "White" {
			chance = 1 - p.Winrate
		}
		if p.Visits > 0 && chance < 2.0/3 {
			return text + fmt.Sprintf(" %s has been clearly ahead from move %d on.", leader, t+1)
		}
	}
	return text + fmt.Sprintf(" %s was ahead all along.", leader)
}

// Points formats a number of points with its error.
func Points(x, err float64) string {
	text := fmt.Sprintf("%.1f points", x)
	if x >= 3 {
		text = fmt.Sprintf("%.0f points", math.Round(x))
	}
	if err > 1 {
		text = "about " + text
	}
	return text
}
