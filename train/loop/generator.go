package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/fresh"
	"kosumi/train/selfplay"
)

// budget bounds the games of one run of a loop.
type budget struct {
	games int64 // 0: no bound
	then  int64 // number of games in the loop when the run began
}

// left returns the games that remain; 0 also without a bound.
func (b *budget) left(games int64) int64 { return max(0, b.games-(games-b.then)) }

// enough reports whether the run has played all its games.
func (b *budget) enough(games int64) bool { return b.games > 0 && b.left(games) == 0 }

// generator is the stage of self-play: on this machine, in one session for all iterations, or on
// other machines over an exchange.
type generator struct {
	*workspace
	budget  budget
	intake  *intake
	session *selfplay.Session // nil until games are played here
	writer  *selfplay.Writer

	offered bool           // work was offered to an exchange
	work    Work           // last work offered
	by      map[string]int // games of this stage by network; nil without an exchange
}

// run plays until the iteration's goal is reached.
func (g *generator) run(ctx context.Context) error {
	c, s := g.stageConfig(), g.state
	if !s.aimed() {
		s.aim(c.Iteration.Games, c.Iteration.Rows)
		if err := g.save(); err != nil {
			return err
		}
	}
	play := g.play
	if g.others != nil {
		play = g.await
	}
	line, err := play(ctx, &c)
	if err != nil || !s.reached() {
		return errors.Join(err, g.save())
	}
	g.out.say("self-play by %s", line)
	s.aim(0, 0)
	if g.bootstrapping() && g.session != nil {
		g.session.Drop()
	}
	g.account(&c)
	return g.enter(stageTrain)
}

// play plays on this machine. It returns a status line for the stage.
func (g *generator) play(ctx context.Context, c *Recipe) (string, error) {
	if err := g.prepare(c); err != nil {
		return "", err
	}
	s := g.state
	began, before, evals := time.Now(), g.session.Stats(), g.evals()
	gamesThen, rowsThen := s.Games, s.Rows
	stretch := newStretch(s, c, g.budget.left(s.Games))
	done := g.out.heartbeat(func() Progress { // this function runs concurrently with enterFiles, so it must not read the state
		st := g.session.Stats().Sub(before)
		return stretch.progress(&st, g.evals()-evals)
	})
	var network nn.Evaluator // nil: random moves
	if g.player != nil {
		network = g.player.server
	}
	var err error
	for err == nil && ctx.Err() == nil && !s.reached() && !g.budget.enough(s.Games) {
		err = errors.Join(g.session.Play(ctx, network, g.goal()), g.writer.Flush())
		g.enterFiles()
	}
	done()
	took := time.Since(began)
	st := g.session.Stats().Sub(before)
	st.Games, st.Rows = int(s.Games-gamesThen), int(s.Rows-rowsThen)
	g.noteSelfplay(st, g.evals()-evals, took.Seconds())
	return cmp.Or(s.Current, randomMoves) + ": " + selfplayLine(&st, s.Games, g.evals()-evals, took), err
}

// goal returns the goal of this stage for the session.
func (g *generator) goal() selfplay.Goal {
	s := g.state
	goal := selfplay.Goal{Games: int(g.budget.left(s.Games))}
	if s.GoalRows > 0 {
		goal.Rows = int(s.GoalRows - s.Rows)
	}
	if games := int(s.GoalGames - s.Games); s.GoalGames > 0 && (goal.Games == 0 || games < goal.Games) {
		goal.Games = games
	}
	return goal
}

// enterFiles adds new files to the ledger.
func (g *generator) enterFiles() {
	for _, d := range g.intake.take() {
		g.files.known[d.Path] = d
		g.state.enter(d, !g.bootstrapping())
		if g.by != nil {
			g.by[cmp.Or(strings.TrimPrefix(d.Network, randomPlayer), randomMoves)] += d.Games
		}
	}
}

func (g *generator) evals() uint64 {
	if g.player == nil {
		return 0
	}
	return g.player.server.Stats().Rows
}

func selfplayLine(st *selfplay.Stats, all int64, evals uint64, took time.Duration) string {
	games := max(1, st.Games)
	return fmt.Sprintf("%d games (%.0f/h), %d rows, %.0f evals/s, length %.1f, Black won %.0f %%; %d games in all",
		st.Games, float64(st.Games)/took.Hours(), st.Rows, float64(evals)/took.Seconds(), st.MeanLength(),
		100*float64(st.Black)/float64(games), all)
}

// prepare opens the current network and a session, or updates the open session's settings.
func (g *generator) prepare(c *Recipe) error {
	s := g.state
	name, sha := randomPlayer, ""
	if !g.bootstrapping() {
		if err := g.openCurrent(c, s.Seed+uint64(s.Games)); err != nil {
			return err
		}
	}
	if g.player != nil {
		name, sha = g.player.name, g.player.sha256
	}
	folder := filepath.Join(g.dir, "selfplay", name)
	if g.session != nil {
		return errors.Join(g.session.SetConfig(c.Selfplay), g.writer.SetSettings(c.Selfplay), g.writer.SetNetwork(folder, name, sha))
	}
	encoding, err := g.encoding()
	if err != nil {
		return err
	}
	seed := s.Seed ^ uint64(s.Games)*0x9e3779b97f4a7c15
	w, err := selfplay.NewWriter(selfplay.WriterConfig{Dir: folder, Encoding: encoding, Side: c.Selfplay.Side(),
		Filing: &g.intake.numbers, Network: name, SHA256: sha, Seed: seed, Settings: c.Selfplay, Written: g.intake.written})
	if err != nil {
		return err
	}
	session, err := selfplay.NewSession(c.Selfplay, seed, 0, w)
	if err != nil {
		return err
	}
	g.session, g.writer = session, w
	return nil
}

// encoding returns the current network's encoding of positions.
func (w *workspace) encoding() (features.Encoding, error) {
	if fresh.IsKataGo(w.state.Arch) {
		return features.V7, nil
	}
	fresh := freshName(w.state.Arch) // only KataGo networks can be start networks, so this loop began with a fresh one
	p, err := openPlayer(w.model(fresh), fresh, &Compute{Sessions: 1, Batch: 1, Precision: "fp32"}, nil, 0, w.log)
	if err != nil {
		return features.None, err
	}
	defer p.close()
	spec, err := p.model.Spec(w.conf.Selfplay.Boards[0].Size())
	return spec.Encoding, err
}
