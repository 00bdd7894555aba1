package loop

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/train/selfplay"
)

// Exchange lets other machines play games. It stores the games with [Loop.File] at any time, also
// during training.
type Exchange interface {
	// Offer replaces the work that machines play. The loop calls it before each stage, mostly
	// with the same work.
	Offer(w Work) error
	// Play plays on this machine too until the context ends. It may return nil at once.
	Play(ctx context.Context) error
	// Players returns the number of filed games by machine.
	Players() map[string]int64
}

// Work describes the self-play games wanted.
type Work struct {
	Network string // network's name; "random" for games without a network
	SHA256  string // sha256 of the network's file, hex
	Path    string
	Seed    uint64
	Recipe  selfplay.Config
	Closed  uint64 // games with lower numbers are refused
}

// Names of the player without a network, in files and in messages.
const randomPlayer, randomMoves = "random", "random moves"

// exchangeSeed returns the seed of games played elsewhere. No game played here has it.
func exchangeSeed(seed uint64) uint64 { return seed ^ 0xe8c4a96e }

// offer offers the current work to the exchange.
func (g *generator) offer() error {
	if g.others == nil {
		return nil
	}
	s, c := g.state, g.stageConfig()
	if !g.offered {
		encoding, err := g.encoding()
		if err != nil {
			return err
		}
		g.intake.begin(encoding)
		g.offered = true
	}
	// At most four iterations of rows may wait for the learner; random games have an exact bound.
	g.intake.bound(4*int64(max(c.Iteration.Rows, 32*c.Iteration.Games)), s.Games, g.bootstrapGames(&c))
	w := Work{Network: randomPlayer, Seed: exchangeSeed(s.Seed), Recipe: c.Selfplay, Closed: s.Closed}
	if !g.bootstrapping() {
		w.Network, w.Path, w.SHA256 = s.Current, g.model(s.Current), g.work.SHA256
		if w.Path != g.work.Path {
			var err error
			if w.SHA256, err = file.SHA256(w.Path); err != nil {
				return err
			}
		}
	}
	g.work = w
	return g.others.Offer(w)
}

// bootstrapGames returns the number of the loop's games at which random play ends, or -1 after
// the bootstrap.
func (g *generator) bootstrapGames(c *Recipe) int64 {
	s := g.state
	switch {
	case !g.bootstrapping():
		return -1
	case s.Stage != stageSelfplay:
		return s.Games
	}
	goal := cmp.Or(s.GoalGames, s.Games+int64(c.Iteration.Games))
	if g.budget.games > 0 {
		goal = min(goal, s.Games+g.budget.left(s.Games))
	}
	return goal
}

// await waits while other machines play, until the iteration's goal is reached. It returns a status
// line for the stage.
func (g *generator) await(ctx context.Context, c *Recipe) (string, error) {
	s := g.state
	began, gamesThen, rowsThen, movesThen := time.Now(), s.Games, s.Rows, s.Moves
	before := g.others.Players()
	g.by = map[string]int{}
	playing, stop := context.WithCancel(ctx)
	var local sync.WaitGroup
	var played error
	local.Go(func() { played = g.others.Play(playing) })
	stretch, beat := newStretch(s, c, g.budget.left(s.Games)), g.out.pulse()
	stats := func() *selfplay.Stats {
		return &selfplay.Stats{Games: int(s.Games - gamesThen), Rows: int(s.Rows - rowsThen), Length: s.Moves - movesThen}
	}
	g.enterFiles()
	for ctx.Err() == nil && !s.reached() && !g.budget.enough(s.Games) {
		select {
		case <-g.intake.news:
			g.enterFiles()
		case <-time.After(time.Until(beat.next)):
			beat.due(time.Now())
			g.out.tell(stretch.progress(stats(), 0))
		case <-ctx.Done():
		}
	}
	stop()
	local.Wait()
	took := time.Since(began)
	g.noteSelfplay(*stats(), 0, took.Seconds())
	return whoPlayed(cmp.Or(s.Current, randomMoves), g.by) + ": " + awaitLine(stats(), took, s.Games) + machines(before, g.others.Players()), played
}

// whoPlayed lists the networks that played the new games, the current one first. Games that were
// under way when the current network was promoted are by earlier networks.
func whoPlayed(now string, by map[string]int) string {
	if len(by) == 0 || len(by) == 1 && by[now] > 0 {
		return now
	}
	var list []string
	for _, name := range append([]string{now}, slices.Sorted(maps.Keys(by))...) {
		if games := by[name]; games > 0 && (name != now || list == nil) {
			list = append(list, fmt.Sprintf("%s (%d games)", name, games))
		}
	}
	return strings.Join(list, ", ")
}

// machines lists the games of each machine between two counts; "" if there are none.
func machines(before, after map[string]int64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if n := after[name] - before[name]; n > 0 {
			list = append(list, fmt.Sprintf("%d on %s", n, name))
		}
	}
	if list == nil {
		return ""
	}
	return "; played " + strings.Join(list, ", ")
}

func awaitLine(st *selfplay.Stats, took time.Duration, all int64) string {
	return fmt.Sprintf("%d games (%.0f/h), %d rows, length %.1f; %d games in all",
		st.Games, float64(st.Games)/took.Hours(), st.Rows, st.MeanLength(), all)
}
