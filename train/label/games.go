package label

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// freshGames is a source of games played for labelling, many at once. Game n of a seed is always
// the same. Each game is labelled once: after a kill, games that are in no file are played again.
type freshGames struct {
	run     *run
	session *selfplay.Session
	player  nn.Evaluator
	info    rows.Info
	chunk   *chunk
}

func (r *run) openGames() (source, error) {
	c := r.Games
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, err
	}
	f := &freshGames{run: r, info: rows.Info{Settings: string(text)}}
	model := r.Player
	if model == nil {
		model = r.Teacher
	}
	d := model.Describe()
	f.info.Network, f.info.SHA256 = d.Name, d.SHA256
	// If the teacher plays, it computes ownership too, so that labels can be taken from the cache.
	f.player = nn.Rewrite(r.player, func(q *nn.Query) { q.NeedOwnership = r.player == r.teacher })
	f.session, err = selfplay.NewSessionOf(c, r.Seed, r.dir.unplayed(), f.take)
	return f, err
}

// unplayed hands out the numbers of games that are in no file, the lowest first.
func (f *folder) unplayed() selfplay.NextGameID {
	var mu sync.Mutex
	played := maps.Clone(f.played)
	next := uint64(0)
	return func(context.Context) (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		for played[next] {
			next++
		}
		next++
		return next - 1, true
	}
}

func (f *freshGames) next(ctx context.Context, labels int) (*chunk, error) {
	side := f.run.Games.Side()
	f.chunk = &chunk{info: f.info, layout: rows.Layout{Encoding: f.run.Encoding, Side: side}}
	if err := f.session.Play(ctx, f.player, selfplay.Goal{Rows: labels}); err != nil {
		return nil, err
	}
	return f.chunk, f.search(ctx, f.chunk)
}

// take adds a game to the chunk and returns the maximum number of labels that it will give.
func (f *freshGames) take(g *selfplay.Finished) (int, error) {
	before := len(f.chunk.lessons)
	if err := f.chunk.addGame(g.Game, &f.run.Config, g.NoteIn); err != nil {
		return 0, err
	}
	n := 0
	for _, l := range f.chunk.lessons[before:] {
		if n++; l.searched {
			n += leafLabels - 1
		}
	}
	return n, nil
}

// addGame adds a share of a game's positions; the game's hash decides which.
func (c *chunk) addGame(g *rows.Game, conf *Config, file func(info *rows.Info)) error {
	rng := rand.New(rand.NewPCG(g.Hash[0], g.Hash[1]))
	var now board.Game
	now.CopyFrom(g.Start)
	// Positions inside searches get the share conf.Leaves of all labels.
	searches := conf.Leaves / (leafLabels - conf.Leaves*(leafLabels-1))
	n := 0
	for i := range g.Turns {
		if now.Ended() {
			break
		}
		if rng.Float64() < conf.Share*g.Turns[i].Weight {
			at := new(board.Game)
			at.CopyFrom(&now)
			searched := conf.Leaves > 0 && rng.Float64() < searches
			c.lessons = append(c.lessons, lesson{game: at, hash: g.Hash, searched: searched})
			n++
		}
		if err := now.PlayTolerant(now.ToMove(), g.Turns[i].Move); err != nil {
			return err
		}
	}
	c.units = append(c.units, unit{lessons: n, game: true, file: file})
	return nil
}
