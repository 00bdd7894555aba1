package engine

import (
	"context"
	"log/slog"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// judge assesses a game: dead stones, ownership, score, lead, and whether to pass. It keeps its
// verdict on the last position. No other search may run while it works.
type judge struct {
	cfg     *Config
	net     nn.Network
	log     *slog.Logger
	thinker *thinker

	judged    judgement     // of the last position judged
	estimated estimated     // the last estimate
	leads     *search.Leads // corrects leads that users see; nil: they see the network's
}

// forget clears the remembered verdicts. With Config.ScoreByLead, leads are shown as the network
// gives them.
func (j *judge) forget() {
	j.judged, j.estimated, j.leads = judgement{}, estimated{}, nil
	if !j.cfg.ScoreByLead {
		j.leads = search.NewLeads(j.net)
	}
}

// showLeads corrects the leads of a search's result if the limits leave time for the evaluations.
func (j *judge) showLeads(ctx context.Context, game *board.Game, found *search.Result, l search.Limits) {
	const most, share = 24, 20 // the evaluations, at most 24, may take a twentieth of the move's time
	if l.Time == 0 || most*found.Stats.Elapsed/time.Duration(max(found.Stats.Evaluations, 1)) < l.Time/share {
		j.leads.Show(ctx, j.log, game, found)
	}
}

func (j *judge) score(ctx context.Context, g *board.Game) (float64, error) {
	if j.cfg.ScoreByLead && !j.counted(g) {
		return j.lead(ctx, g)
	}
	if !g.Ended() {
		c, settled, err := j.settled(ctx, g, search.Limits{Visits: estimateVisits})
		if settled || err != nil {
			return c.score, err
		}
		t, err := j.estimate(ctx, g, search.Limits{Visits: estimateVisits})
		if err != nil {
			return 0, err
		}
		if t.Low != t.High || t.Lead != 0 { // the network predicts the score
			return toResult(t.Lead, t.Winrate, g.Rules()), nil
		}
	}
	c, err := j.count(ctx, g)
	return c.score, err
}

// Number of open points up to which [closed] takes a position as finished: 1/mostOpen of
// the board, but at least leastOpen.
const (
	mostOpen  = 10
	leastOpen = 6
)

// counted reports whether all stones of the ended game count as alive. They do if its rules do not let
// the players agree on dead stones, if it had clean-up phases, or if it ended without a result.
func (j *judge) counted(g *board.Game) bool {
	rules := g.Rules()
	if g.NoResult() && !j.cfg.ScoreByLead {
		return true
	}
	return g.Finished() && !(rules.Scoring == board.ScoringArea && rules.FriendlyPassOk)
}

// count is the result of counting the position on the board.
type count struct {
	dead   []board.Point
	owners []board.Color // owner of each point
	score  float64       // White's points minus Black's
}

// count counts the position, after removing the stones judged dead unless all count as alive.
// Dead stones, owners and score all come from here.
func (j *judge) count(ctx context.Context, g *board.Game) (count, error) {
	if !j.counted(g) {
		found, err := j.verdict(ctx, g)
		if err != nil {
			return count{}, err
		}
		dead := found.dead
		g = j.asTrained(g)
		return count{dead, g.OwnersWithDead(dead), float64(g.ScoreWithDead(dead))}, nil
	}
	g = j.asTrained(g)
	c := count{owners: g.Owners(nil)}
	if g.NoResult() {
		return c, nil
	}
	c.score = float64(g.Score())
	for p, owner := range c.owners {
		if color := g.At(board.Point(p)); color != board.Empty && color != owner {
			c.dead = append(c.dead, board.Point(p))
		}
	}
	return c, nil
}

// asTrained returns the game with the area rules that searches use: those of the network's
// training, or the configured ones.
func (j *judge) asTrained(g *board.Game) *board.Game {
	o := g.Options()
	if o.AreaModes = j.cfg.Search.Pass.Areas.Over(j.net.Describe().Areas); o == g.Options() {
		return g
	}
	c := g.Clone()
	c.ContinueWith(o)
	return c
}

func (j *judge) status(ctx context.Context, g *board.Game) ([]thinking.Status, error) {
	c, err := j.count(ctx, g)
	if err != nil {
		return nil, err
	}
	status := make([]thinking.Status, g.Size().Area())
	if !j.cfg.ScoreByLead { // KataGo takes stones in seki for alive
		v, err := j.verdict(ctx, g) // a stone that is dead but counts as alive puts nothing into seki
		if err != nil {
			return nil, err
		}
		if closed(g, g.OwnersWithDead(v.dead)) {
			for _, p := range g.InSeki(v.dead) {
				status[p] = thinking.Seki
			}
		}
	}
	for _, p := range c.dead {
		status[p] = thinking.Dead
	}
	points := [...]thinking.Status{board.Empty: thinking.Dame, board.Black: thinking.BlackTerritory, board.White: thinking.WhiteTerritory}
	for p, owner := range c.owners {
		if g.At(board.Point(p)) == board.Empty {
			status[p] = points[owner]
		}
	}
	return status, nil
}
