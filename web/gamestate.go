package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

func number(n int64) string {
	if n == 0 {
		n = 1 << 50 // KataGo's word for no limit
	}
	return strconv.FormatInt(n, 10)
}

func (g *game) state() *api.GameState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked()
}

func (g *game) clockStates(live bool) [2]api.ClockState {
	var all [2]api.ClockState
	for i := range all {
		running := live && !g.ran.IsZero() && int(g.board.ToMove()-board.Black) == i
		all[i] = clockState(g.clocks[i], time.Since(g.ran), running)
	}
	return all
}

// stateLocked says all there is to say of the game. The caller holds mu.
func (g *game) stateLocked() *api.GameState {
	size, moves := g.size(), g.board.Moves()
	st := &api.GameState{
		Game: g.head.ID, Rev: g.rev, Phase: g.phase, Size: g.head.Size, Rules: wire.RulesName(g.board.Rules()), Komi: g.head.Komi,
		Handicap: g.head.Handicap, Colour: g.head.Colour, Seat: g.head.Seat, Stones: wire.Stones(g.board), ToMove: wire.Letter(g.board.ToMove()),
		Moves: make([]string, len(moves)), First: "b", Clock: g.head.Clock, Clocks: g.clockStates(true), Paused: g.paused, Trouble: g.trouble, Restored: g.restored, Unsaved: g.owed.why,
		Captures: [2]int{g.board.Board().Captured(board.White), g.board.Board().Captured(board.Black)},
		CanUndo:  g.canUndo() > 0, CanRedo: g.canRedo(), Result: g.result, ByPlayer: g.byWord, Hints: g.hints, Undone: g.undos, Fit: g.fit,
	}
	for _, p := range g.setup {
		st.Setup = append(st.Setup, size.Vertex(p))
	}
	for i, m := range moves {
		st.Moves[i] = size.Vertex(m.Point)
	}
	if len(moves) > 0 {
		st.First = wire.Letter(moves[0].Color)
	} else if g.phase != phasePlace {
		st.First = st.ToMove
	}
	st.Thinking = g.thinks != nil && (g.phase == phasePlay || g.phase == phasePlace)
	if p := g.board.Board().KoPoint(); p >= 0 {
		st.Ko = size.Vertex(p)
	}
	st.Legal = g.legal()
	if g.phase == phaseCount || g.phase == phaseOver && g.dead != nil {
		st.Count = g.count()
	}
	return st
}

func (g *game) legal() string {
	area := g.size().Area()
	b := []byte(strings.Repeat("0", area))
	if g.phase == phasePlace || g.phase == phasePlay {
		for i, ok := range g.board.LegalMoves(nil)[:area] {
			if ok {
				b[i] = '1'
			}
		}
	}
	return string(b)
}

// count adds the board up with the stones that are marked dead.
func (g *game) count() *api.Count {
	rules, b, area := g.board.Rules(), g.board.Board(), g.size().Area()
	c := &api.Count{Judging: !g.isSure && g.phase == phaseCount, Dead: []string{}, Differs: []string{}, Method: "area"}
	var dead []board.Point
	for p := range board.Point(area) {
		if g.dead[p] && b.At(p) != board.Empty {
			dead = append(dead, p)
			c.Dead = append(c.Dead, g.size().Vertex(p))
		}
	}
	owner := g.board.OwnersWithDead(dead)
	text := make([]byte, area)
	sides := [3]*api.CountSide{nil, &c.Black, &c.White}
	for p, o := range owner {
		if text[p] = ".bw"[o]; o == board.Empty {
			continue
		}
		if b.At(board.Point(p)) == o && !g.dead[board.Point(p)] {
			sides[o].Stones++
		} else {
			sides[o].Territory++
		}
	}
	c.Owner = string(text)
	c.Black.Prisoners, c.White.Prisoners = b.Captured(board.White), b.Captured(board.Black)
	for _, p := range dead {
		sides[b.At(p).Opponent()].Prisoners++
	}
	white := float64(g.board.ScoreWithDead(dead))
	c.Black.Total = float64(c.Black.Stones + c.Black.Territory)
	c.White.Total = float64(c.White.Stones + c.White.Territory)
	if rules.Scoring == board.ScoringTerritory {
		c.Method = "territory"
		c.Black.Total = float64(c.Black.Territory + c.Black.Prisoners)
		c.White.Total = float64(c.White.Territory + c.White.Prisoners)
	}
	c.White.Komi = white - (c.White.Total - c.Black.Total) // komi, and what the rules give besides
	c.White.Total += c.White.Komi
	c.Score = -white
	g.compare(c)
	return c
}

// compare lists where the marking differs from the engine's.
func (g *game) compare(c *api.Count) {
	if !g.isSure {
		return
	}
	for p := range board.Point(g.size().Area()) {
		if judged := slices.Contains(g.judged, p); judged != g.dead[p] {
			if len(c.Differs) == 0 {
				c.Lives = !judged
			}
			c.Differs = append(c.Differs, g.size().Vertex(p))
		}
	}
}

// toggle marks the group of a stone dead, or alive again: all stones of its
// colour in the region that the other colour's living stones surround.
func (g *game) toggle(vertex string) error {
	p, err := g.size().ParseVertex(vertex)
	if err != nil || p == board.Pass || g.board.At(p) == board.Empty {
		return api.RefuseWith("illegal", "board", "there is no stone")
	}
	b, mine, to := g.board.Board(), g.board.At(p), !g.dead[p]
	group := []board.Point{p}
	seen := map[board.Point]bool{p: true}
	for i := 0; i < len(group); i++ {
		for _, q := range b.Neighbors(group[i]) {
			if !seen[q] && (b.At(q) != mine.Opponent() || to && g.dead[q]) {
				seen[q] = true
				group = append(group, q)
			}
		}
	}
	next := map[board.Point]bool{}
	for d := range g.dead {
		next[d] = true
	}
	for _, q := range group {
		if b.At(q) == mine {
			next[q] = to
		} else if to {
			delete(next, q) // what stood dead around it lives
		}
	}
	var dead []string
	for q := range board.Point(g.size().Area()) {
		if next[q] {
			dead = append(dead, g.size().Vertex(q))
		}
	}
	return g.commit(entry{K: "dead", Dead: dead})
}

// accept ends the game with the count as it is marked.
func (g *game) accept() error {
	if g.dead == nil {
		return api.Refuse("busy", "the count is not ready")
	}
	c := g.count()
	why := ""
	if len(c.Differs) > 0 {
		why = "player"
	}
	// The marking is kept even where nobody touched it: the engine might judge
	// otherwise another time.
	if err := g.commit(entry{K: "dead", Dead: c.Dead}); err != nil {
		return err
	}
	return g.commit(entry{K: "over", Result: sgf.ScoreResult(-c.Score), Why: why})
}

// Words of records: for the player, and for a count that the engine does not agree with.
const (
	playerName = "You"
	byWord     = "Counted by the player's word."
)

// Record returns the game as SGF.
func (g *game) Record() *sgf.Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.record().Tree()
}

func (g *game) isOver() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.phase == phaseOver
}

// record returns the game as SGF.
func (g *game) record() *sgf.Record {
	r := &sgf.Record{Size: g.size(), Komi: g.head.Komi, HasKomi: true, Rules: wire.RecordedRules(g.board.Rules(), ""), Handicap: len(g.setup),
		Application: "Kosumi", Date: g.head.Created.Format(time.DateOnly), Result: g.result, Steps: sgf.Steps(g.board.Moves(), nil)}
	you, engine := sgf.Player{Name: playerName}, sgf.Player{Name: "Kosumi", Rank: g.head.Seat.Level}
	if r.Black, r.White = you, engine; g.player() == board.White {
		r.Black, r.White = engine, you
	}
	if len(g.setup) > 0 {
		r.Setup = &sgf.Setup{Black: g.setup, ToMove: g.board.ToMove()}
		if len(g.setup) == g.head.Handicap {
			r.Setup.ToMove = board.White
		}
	}
	if g.byWord {
		r.Comment = byWord
	}
	return r
}

func (g *game) card() api.GameCard {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := api.GameCard{Game: g.head.ID, Size: g.head.Size, Move: g.board.NumMoves(), Colour: g.head.Colour, Seat: g.head.Seat, Stones: wire.Stones(g.board),
		Yours: g.phase == phasePlay && g.board.ToMove() == g.player(), Phase: g.phase, Result: g.result, Changed: g.changed.Unix()}
	if m := g.board.LastMove(0); m.Point != board.NoPoint {
		c.Last = g.size().Vertex(m.Point)
	}
	return c
}
