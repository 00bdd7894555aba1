package review

import (
	"cmp"
	"slices"
)

// SummaryVersion is the version of the JSON form of [Summary].
const SummaryVersion = 1

// Summary is about many games.
type Summary struct {
	Version int `json:"version"`
	// Player is whom it is about; empty for everybody.
	Player string `json:"player,omitempty"`
	// Games are those that were reviewed, by date, then in the order given.
	Games []GameSummary `json:"games"`
	// Refused are the files or games that could not be reviewed, and why.
	Refused []Refusal `json:"refused,omitempty"`
	// Sides sums up: the player and those who met him, or Black and White.
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
	// Side is "b" or "w" where the summary is about a player, else "".
	Side string `json:"side,omitempty"`
	// Players are Black and White.
	Players  [2]Totals `json:"players"`
	Complete bool      `json:"complete"`
	// Thrown reports whether a side that stood at 90 % or more did not win, where the
	// record names a winner.
	Thrown string `json:"thrown,omitempty"`
}

// Refusal is a game that was not reviewed.
type Refusal struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// SideSummary sums up the moves of one side of many games.
type SideSummary struct {
	Name string `json:"name"`
	Totals
	ByPhase map[Phase]Totals  `json:"byPhase"`
	ByKind  map[Kind]Totals   `json:"byKind"`
	ByBoard map[string]Totals `json:"byBoard"`
}

// Collector makes a summary of games as they are reviewed.
type Collector struct {
	summary Summary
	sides   [2][]*Move
	boards  [2]map[string][]*Move
}

// NewCollector returns a collector for the games of a player, or of everybody.
func NewCollector(player string) *Collector {
	c := &Collector{summary: Summary{Version: SummaryVersion, Player: player, Games: []GameSummary{}}}
	for i := range c.boards {
		c.boards[i] = map[string][]*Move{}
	}
	return c
}

// Refuse notes a game that could not be reviewed.
func (c *Collector) Refuse(file, reason string) {
	c.summary.Refused = append(c.summary.Refused, Refusal{file, reason})
}

// Add takes a game in. The names of its files may be empty.
func (c *Collector) Add(g *Game, res *Result, page, record, data string) {
	s := GameSummary{Info: res.Game, Page: page, Record: record, Data: data, Moves: len(res.Moves), Complete: res.Complete,
		Players: [2]Totals{res.Players[0].Totals, res.Players[1].Totals}}
	black, white := g.PlayerSides(c.summary.Player)
	swap := white && !black // the player is side 0
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
		c.boards[side][size] = append(c.boards[side][size], m)
	}
}

// thrown names the side that stood at 90 % or more and did not win.
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

// Summary returns what was collected so far.
func (c *Collector) Summary() *Summary {
	s := c.summary
	names := [2]string{"Black", "White"}
	if s.Player != "" {
		names = [2]string{s.Player, "Opponents"}
	}
	s.Sides = nil
	for i, moves := range c.sides {
		side := SideSummary{Name: names[i], Totals: totalsOf(moves), ByPhase: map[Phase]Totals{}, ByKind: map[Kind]Totals{}, ByBoard: map[string]Totals{}}
		phases, kinds := group(moves)
		for k, list := range phases {
			side.ByPhase[k] = totalsOf(list)
		}
		for k, list := range kinds {
			side.ByKind[k] = totalsOf(list)
		}
		for k, list := range c.boards[i] {
			side.ByBoard[k] = totalsOf(list)
		}
		s.Sides = append(s.Sides, side)
	}
	s.Games = slices.Clone(s.Games)
	slices.SortStableFunc(s.Games, func(a, b GameSummary) int { return cmp.Compare(a.Date, b.Date) })
	return &s
}

// group sorts moves by phase and by kind of mistake.
func group(moves []*Move) (phases map[Phase][]*Move, kinds map[Kind][]*Move) {
	phases, kinds = map[Phase][]*Move{}, map[Kind][]*Move{}
	for _, m := range moves {
		phases[m.Phase] = append(phases[m.Phase], m)
		if m.Kind != "" {
			kinds[m.Kind] = append(kinds[m.Kind], m)
		}
	}
	return phases, kinds
}
