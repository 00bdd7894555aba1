package label

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/rows"
)

// chunk is the work for one file of labels.
type chunk struct {
	info    rows.Info // the part that is known before the rows are labelled
	layout  rows.Layout
	lessons []lesson
	units   []unit // games or rows, in the order of their lessons
}

// unit is a game or an existing row. It is filed whole or not at all.
type unit struct {
	lessons int
	game    bool
	file    func(info *rows.Info) // enters the unit into the info of the file
}

// lesson is a position to be labelled.
type lesson struct {
	game   *board.Game
	shown  *nn.Encoded   // the inputs of an existing row
	banned []board.Point // points that the row forbids and the board allows
	hash   [2]uint64     // hash of the position's game
	rows   *rows.Set     // the set of an existing row; nil for a game
	row    int
	// optimistic is the teacher's optimistic policy; nil if not requested.
	optimistic []float32
	// searched marks a position to be searched and, after the search, the positions that the search found.
	searched bool
	learned  bool
}

// counter counts the labels and games of one call of Run. Safe for concurrent use.
type counter struct {
	labels, games atomic.Int64 // labels and games in the files that this call wrote
	open          atomic.Int64 // labels not in a file yet
	before        int          // labels in the folder before this call
}

func (c *counter) written(labels, games int) {
	c.open.Store(0)
	c.labels.Add(int64(labels))
	c.games.Add(int64(games))
}

// teach has the teacher evaluate all lessons of a chunk, with enough queries at once to fill the
// batches of every session. If ctx ends first, some stay unlabelled.
func (r *run) teach(ctx context.Context, c *chunk) error {
	r.outs = slices.Grow(r.outs[:0], len(c.lessons))[:len(c.lessons)]
	var order []int
	for i := range c.lessons {
		order = append(order, i)
	}
	// One board size after another, since a batch has one size.
	slices.SortStableFunc(order, func(a, b int) int {
		return c.lessons[b].game.Size().Area() - c.lessons[a].game.Size().Area()
	})
	failure := r.each(ctx, len(order), 4, func(ctx context.Context, k int) error {
		err := r.ask(ctx, &c.lessons[order[k]], &r.outs[order[k]])
		if err == nil {
			r.count.open.Add(1)
		}
		return err
	})
	if n := r.teacher.Stats().Invalid; n > 0 {
		d := r.Teacher.Describe()
		return bad("%s gives no finite numbers at %d positions: the file is damaged, or its precision is too low (--precision fp32)", d.ShortName(), n)
	}
	if len(c.lessons) > 0 && c.lessons[0].learned {
		r.warnOfLittle()
	}
	return failure
}

// each calls f for the numbers below n until f fails or ctx ends; if ctx ends, it returns nil. At most
// places*Sessions*MaxBatch calls run at once.
func (r *run) each(ctx context.Context, n, places int, f func(ctx context.Context, i int) error) error {
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, places*max(1, r.Server.Sessions)*max(1, r.Server.MaxBatch)) {
		all.Go(func() {
			for running.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(running, i); err != nil {
					fail(err)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(running)
}

// warnOfLittle warns of outputs that the teacher lacks: once, and only if the folder has no labels yet.
func (r *run) warnOfLittle() {
	if r.warned || r.dir.files > 0 {
		return
	}
	r.warned = true
	var lacks []string
	if !r.outs[0].HasScore {
		lacks = append(lacks, "score")
	}
	if !r.outs[0].HasOwnership {
		lacks = append(lacks, "ownership")
	}
	if len(lacks) > 0 {
		r.Log.Warn("the teacher does not know " + strings.Join(lacks, " and ") + ": of that the rows teach nothing")
	}
}

// ask has the teacher evaluate one position, in an orientation that the position and the seed
// determine.
func (r *run) ask(ctx context.Context, l *lesson, out *nn.Output) error {
	q := nn.Query{Game: l.game, Symmetry: nn.SymmetryRandom, NeedOwnership: true, Encoded: l.shown}
	q.FixSymmetry(r.Seed)
	if len(r.From) > 0 || r.player != r.teacher { // not if the teacher also plays: answers cached from its games have no optimistic policy
		q.Optimistic = new([board.MaxMoves]float32)
		l.optimistic = q.Optimistic[:l.game.Size().Area()+1]
	}
	if err := r.teacher.Evaluate(ctx, &q, out); err != nil {
		return err
	}
	for _, p := range l.banned {
		out.Policy[p] = -1
		if l.optimistic != nil {
			l.optimistic[p] = -1
		}
	}
	l.learned = true
	return nil
}

// rowsOf makes rows of all units before the first unit with an unlabelled position. It also returns the
// number of games among these units.
func (r *run) rowsOf(c *chunk) (set *rows.Set, info rows.Info, games int, err error) {
	set, info = rows.NewSet(c.layout), c.info
	b := r.build[c.layout]
	if b == nil {
		if b, err = rows.NewBuilder(c.layout); err != nil {
			return nil, info, 0, err
		}
		r.build[c.layout] = b
	}
	at := 0
	for k := range c.units {
		u := &c.units[k]
		lessons := c.lessons[at : at+u.lessons]
		if slices.ContainsFunc(lessons, func(l lesson) bool { return !l.learned }) {
			break
		}
		for i := range lessons {
			if err := add(b, set, &lessons[i], &r.outs[at+i]); err != nil {
				return nil, info, 0, err
			}
		}
		at += u.lessons
		u.file(&info)
		if u.game {
			games++
		}
	}
	return set, info, games, nil
}

func add(b *rows.Builder, set *rows.Set, l *lesson, out *nn.Output) error {
	taught := rows.TaughtBy(out, l.optimistic, l.game.Size())
	if l.rows == nil {
		return b.AppendTaught(set, l.game, l.hash, taught)
	}
	if err := set.Append(l.rows, l.row); err != nil {
		return err
	}
	return set.Teach(set.N-1, taught)
}
