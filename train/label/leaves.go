package label

import (
	"context"
	"math/rand/v2"
	"sync"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Size of a search whose positions are labelled.
const (
	leafVisits = 100 // visits of a search
	leafLabels = 10  // labels from a search, fewer if the search saw few positions
)

// picker is a network that keeps a random few of the positions that a search asks about, each with
// the same chance, but never the root. It is for one goroutine at a time.
type picker struct {
	nn.Wrapper
	rng  *rand.Rand
	root int // moves before the search
	seen int
	kept []*board.Game
}

func (p *picker) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if q.Game.NumMoves() > p.root {
		p.seen++
		if at := p.rng.IntN(p.seen); len(p.kept) < leafLabels {
			p.kept = append(p.kept, new(board.Game))
			p.kept[len(p.kept)-1].CopyFrom(q.Game)
		} else if at < leafLabels {
			p.kept[at].CopyFrom(q.Game)
		}
	}
	return p.Network.Evaluate(ctx, q, out)
}

// search runs a search from each lesson marked as searched, and replaces that lesson with lessons for
// positions from the search's tree. If ctx ends first, the chunk stays unchanged and is not
// labelled.
func (f *freshGames) search(ctx context.Context, c *chunk) error {
	found := make([][]*board.Game, len(c.lessons))
	idle := sync.Pool{New: func() any {
		return &searcher{picker: picker{Wrapper: nn.Wrapper{Network: nn.AsNetwork(f.player)}}}
	}}
	err := f.run.each(ctx, len(c.lessons), 2, func(ctx context.Context, i int) (err error) {
		if c.lessons[i].searched {
			s := idle.Get().(*searcher)
			found[i], err = s.leaves(ctx, &c.lessons[i])
			idle.Put(s)
		}
		return err
	})
	if err == nil && ctx.Err() == nil {
		c.replace(found)
	}
	return err
}

// searcher searches one position after another.
type searcher struct {
	picker picker
	tree   *search.Tree
}

// leaves searches the position of a lesson and returns some of the positions that the
// search evaluated. They depend only on the network, its seed and the lesson.
func (s *searcher) leaves(ctx context.Context, l *lesson) ([]*board.Game, error) {
	n := l.game.NumMoves()
	params := search.Defaults()
	params.Memory.MaxBytes = search.MinBytes
	params.Seed = l.hash[0] + uint64(n)
	s.picker.rng, s.picker.root, s.picker.seen, s.picker.kept = rand.New(rand.NewPCG(l.hash[1], params.Seed)), n, 0, nil
	if s.tree == nil {
		tree, err := search.New(params, &s.picker, nil)
		if err != nil {
			return nil, err
		}
		s.tree = tree
	} else if err := s.tree.SetParams(params); err != nil {
		return nil, err
	}
	s.tree.Reset(l.game)
	_, err := s.tree.Search(ctx, search.Limits{Visits: leafVisits})
	for _, g := range s.picker.kept {
		if g.Phase() == 0 { // in a clean-up phase the search's options stay: the lesson's may exclude that phase
			g.ContinueWith(l.game.Options())
		}
	}
	return s.picker.kept, err
}

// replace replaces each searched lesson with the positions that its search found. It keeps each
// position of a game only once.
func (c *chunk) replace(found [][]*board.Game) {
	var lessons []lesson
	at := 0
	for k := range c.units {
		u := &c.units[k]
		known := map[board.Hash]bool{}
		begin := len(lessons)
		for i := range u.lessons {
			l := c.lessons[at+i]
			games := found[at+i]
			if !l.searched {
				games = []*board.Game{l.game}
			}
			for _, g := range games {
				if h := g.Hash(); !known[h] && !g.Ended() {
					known[h] = true
					lessons = append(lessons, lesson{game: g, hash: l.hash, searched: l.searched})
				}
			}
		}
		at += u.lessons
		u.lessons = len(lessons) - begin
	}
	c.lessons = lessons
}
