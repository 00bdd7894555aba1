package loop

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"kosumi/train/learn"
)

// gating is the stage that promotes or refuses a new network by a match with the current one.
type gating struct {
	*workspace
	trainer *trainer // makes a new learner after too many refused networks
}

// run opens the candidate, plays the match, records the result, and cleans up.
func (g *gating) run(ctx context.Context) error {
	s, c := g.state, g.stageConfig()
	began := time.Now()
	p, err := g.open(s.Candidate, &c, s.Seed+uint64(s.Games))
	if err != nil {
		return err
	}
	entry := Network{Name: s.Candidate, SHA256: p.sha256, Games: s.Games, Rows: s.Rows, Samples: s.Samples, Against: s.Current, Promoted: true}
	if c.Gate.Games > 0 && !g.bootstrapping() {
		if err := g.match(ctx, &c, p, &entry); err != nil {
			p.close()
			return err
		}
	}
	if n := p.server.Stats().Invalid + entry.invalid; n > 0 {
		entry.Promoted = false
		g.out.say("%s is refused: %d of its answers were no numbers", p.name, n)
	}
	spent := time.Since(began).Seconds()
	s.Seconds.Gate += spent
	g.record.Seconds.Gate += spent
	entry.Hours = s.Seconds.total() / 3600
	g.settle(p, entry)
	if err := g.cleanUp(&c); err != nil {
		return err
	}
	if n := s.refused(); n > 0 && n%mostRefused == 0 {
		return g.trainer.goBack(&c, fmt.Errorf("%w: %d networks in a row were refused", learn.ErrDiverged, n))
	}
	return nil
}

func (g *gating) match(ctx context.Context, c *Recipe, p *player, entry *Network) error {
	s := g.state
	var play play
	if m, ok := g.others.(Matches); ok {
		play = remote(m, g.model(s.Candidate), g.model(s.Current))
	} else if err := g.openCurrent(c, s.Seed); err != nil {
		return err
	} else {
		play = local(p.server, g.player.server)
	}
	var count matchCount
	began := time.Now()
	done := g.out.heartbeat(func() Progress { return matchProgress(&count, c, began) })
	r, err := playMatch(ctx, play, &c.Gate, c.Selfplay.Boards, s.Seed+uint64(s.Iteration), &count)
	done()
	if err == nil {
		g.judge(c, &r, entry)
	}
	return err
}

func matchProgress(count *matchCount, c *Recipe, began time.Time) Progress {
	moves := count.moves.Load()
	p := Progress{Stage: "gating match", Unit: "games", Done: count.games.Load(), Goal: int64(c.Gate.Games), Text: fmt.Sprintf("%d moves", moves)}
	if share := min(float64(moves)/float64(c.Gate.Games*c.Selfplay.Boards[0].Size().Area()), 0.99); share > 0 {
		p.Left = max(time.Second, time.Duration(float64(time.Since(began))*(1-share)/share))
	}
	return p
}

func (g *gating) judge(c *Recipe, r *matchResult, entry *Network) {
	entry.Score, entry.Played, entry.invalid = r.score(), r.games(), r.invalid
	entry.Promoted = entry.Score >= c.Gate.MinScore
	n := float64(r.games())
	points := (entry.Score*n + 0.5) / (n + 1) // one more game, a draw, keeps Elo finite
	entry.Elo = 400 * math.Log10(points/(1-points))
	if before := g.state.network(g.state.Current); before != nil { // Elo is relative to the first network, which has 0
		entry.Elo += before.Elo
	}
}

// settle adds the candidate to the state. A promoted candidate plays from now on.
func (g *gating) settle(p *player, entry Network) {
	s := g.state
	verdict := "plays from now on"
	if !entry.Promoted {
		verdict = "is refused"
	}
	match := "no match"
	if entry.Played > 0 {
		match = fmt.Sprintf("%.1f of %d against %s, chained Elo %.0f", entry.Score*float64(entry.Played), entry.Played, entry.Against, entry.Elo)
	}
	g.out.say("%s %s (%s); %.2f hours, %d games, %d rows, %d samples", entry.Name, verdict, match, entry.Hours, s.Games, s.Rows, s.Samples)
	old := p
	if entry.Promoted {
		old, g.player = g.player, p
	}
	old.close()
	s.settle(entry, g.record)
	g.record = Record{}
}

// cleanUp saves the state, then removes old networks and files of rows.
func (g *gating) cleanUp(c *Recipe) error {
	s := g.state
	var networks []string
	promoted := 0
	for i := len(s.Networks) - 1; i >= 0; i-- {
		n := &s.Networks[i]
		if n.Promoted {
			promoted++
		}
		milestone := c.Keep.Every > 0 && s.iterationOf(i)%c.Keep.Every == 0
		if n.Gone || n.Name == s.Base || n.Promoted && (promoted <= c.Keep.Networks || milestone) {
			continue
		}
		n.Gone = true
		networks = append(networks, n.Name)
	}
	s.thin(mostRecords)
	surplus := g.files.surplus(int(c.Keep.Rows * float64(max(g.windowRows(c), c.Window.MinRows))))
	for _, d := range surplus {
		for _, id := range d.IDs {
			s.dropped(id[0])
		}
	}
	if err := g.save(); err != nil {
		return err
	}
	for _, name := range networks {
		if err := os.RemoveAll(filepath.Join(g.dir, "models", name)); err != nil {
			return err
		}
	}
	return g.files.remove(surplus, s.Current)
}
