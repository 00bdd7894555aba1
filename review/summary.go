package review

import (
	"cmp"
	"slices"
)

// SummaryVersion is the version of the JSON form of [Summary].
const SummaryVersion = 1

// Summary sums up many games.
type Summary struct {
	Version int `json:"version"`
	// Player is the reviewed player; empty for everybody.
	Player string `json:"player,omitempty"`
	// Games are the reviewed games, by date, then in the order given.
	Games []GameSummary `json:"games"`
	// Refused are the files or games that were not reviewed.
	Refused []Refusal `json:"refused,omitempty"`
	// Sides are the player and the opponents, or Black and White.
	Sides []SideSummary `json:"sides"`
}

// GameSummary is one game of many.
type GameSummary struct {
	Info
	// Page, Record and Data are the files about the game, relative to the summary.
	Page   string `json:"page,omitempty"`
	Record string `json:"record,omitempty"`
	Data   string `json:"data,omitempty"`
	Moves  int    `json:"moves"`
	// Side is the player's side, "b" or "w"; "" for everybody.
	Side string `json:"side,omitempty"`
	// Players are Black and White.
	Players  [2]Totals `json:"players"`
	Complete bool      `json:"complete"`
	// Thrown is the side ("b" or "w") that had a winrate of 90 % or more but lost the game by the
	// record's result; "" if there is none.
	Thrown string `json:"thrown,omitempty"`
}

type Refusal struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// SideSummary sums up the moves of a side in many games.
type SideSummary struct {
	Name string `json:"name"`
	Totals
	ByPhase map[Phase]Totals  `json:"byPhase"`
	ByKind  map[Kind]Totals   `json:"byKind"`
	ByBoard map[string]Totals `json:"byBoard"`
}

// Collector builds a summary game by game.
type Collector struct {
	summary Summary
	sides   [2][]*Move
	boards  map[*Move]string // size of the board of each move
}

// NewCollector returns a collector for the games of a player, or of everybody.
func NewCollector(player string) *Collector {
	return &Collector{summary: Summary{Version: SummaryVersion, Player: player, Games: []GameSummary{}}, boards: map[*Move]string{}}
}

// Refuse notes a game that could not be reviewed.
func (c *Collector) Refuse(file, reason string) {
	c.summary.Refused = append(c.summary.Refused, Refusal{file, reason})
}

// Add adds a game. The names of its files may be empty.
func (c *Collector) Add(g *Game, res *Result, page, record, data string) {
	s := GameSummary{Info: res.Game, Page: page, Record: record, Data: data, Moves: len(res.Moves), Complete: res.Complete,
		Players: [2]Totals{res.Players[0].Totals, res.Players[1].Totals}}
	black, white := g.PlayerSides(c.summary.Player)
	swap := white && !black // so that the player is side 0
	if black != white {
		s.Side = "b"
		if swap {
			s.Side = "w"
		}
	}
	s.Thrown = thrown(res)
	c.summary.Games = append(c.summary.Games, s)
	size := g.Record.Size.String()
	for i := range res.Moves {
		m := &res.Moves[i]
		if !m.Judged {
			continue
		}
		side := 0
		if (m.Color == "w") != swap {
			side = 1
		}
		c.sides[side] = append(c.sides[side], m)
		c.boards[m] = size
	}
}

// thrown returns GameSummary.Thrown.
func thrown(res *Result) string {
	if len(res.Game.Result) < 2 || res.Game.Result[1] != '+' {
		return ""
	}
	best, worst := 0.0, 1.0
	for _, p := range res.Positions {
		if p.Visits > 0 {
			best, worst = max(best, p.Winrate), min(worst, p.Winrate)
		}
	}
	switch {
	case res.Game.Result[0] == 'W' && best >= 0.9:
		return "b"
	case res.Game.Result[0] == 'B' && worst <= 0.1:
		return "w"
	}
	return ""
}

// Summary returns the summary of the games so far.
func (c *Collector) Summary() *Summary {
	s := c.summary
	names := [2]string{"Black", "White"}
	if s.Player != "" {
		names = [2]string{s.Player, "Opponents"}
	}
	s.Sides = nil
	for i, moves := range c.sides {
		s.Sides = append(s.Sides, SideSummary{Name: names[i], Totals: totalsOf(moves), ByPhase: totalsBy(moves, phaseOfMove),
			ByKind: totalsBy(moves, kindOfMove), ByBoard: totalsBy(moves, func(m *Move) string { return c.boards[m] })})
	}
	s.Games = slices.Clone(s.Games)
	slices.SortStableFunc(s.Games, func(a, b GameSummary) int { return cmp.Compare(a.Date, b.Date) })
	return &s
}

func phaseOfMove(m *Move) Phase { return m.Phase }

func kindOfMove(m *Move) Kind { return m.Kind }

// totalsBy sums moves up by a key; moves with the zero key are left out.
func totalsBy[K comparable](moves []*Move, key func(*Move) K) map[K]Totals {
	var none K
	groups, totals := map[K][]*Move{}, map[K]Totals{}
	for _, m := range moves {
		if k := key(m); k != none {
			groups[k] = append(groups[k], m)
		}
	}
	for k, list := range groups {
		totals[k] = totalsOf(list)
	}
	return totals
}
