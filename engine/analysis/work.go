package analysis

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// work searches one task after another, reusing one tree.
func (s *Server) work(ctx context.Context) {
	var tree *search.Tree
	for {
		t, taskCtx := s.queue.take(ctx)
		if t == nil {
			return
		}
		if !s.perform(taskCtx, &tree, t) {
			tree = nil // the failed search may have left the tree in any state
		}
		s.queue.finish(t)
	}
}

// perform searches one task and writes its messages; false if the search failed.
func (s *Server) perform(ctx context.Context, tree **search.Tree, t *task) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("internal fault", "panic", p, "stack", string(debug.Stack()))
			s.write(map[string]any{"error": "internal error", "id": t.query.id})
			s.write(noResults(t))
			ok = false
		}
	}()
	if ctx.Err() != nil {
		s.write(noResults(t))
		return true
	}
	var final any = noResults(t)
	result, err := s.search(ctx, tree, t)
	var choice *levelMove
	if err == nil && t.query.level != nil && result.Root.Visits > 0 && ctx.Err() == nil {
		choice, err = s.levelMove(ctx, *tree, t)
	}
	var proved *lifeAnswer
	if err == nil && len(t.query.life) > 0 && ctx.Err() == nil {
		proved = s.life(ctx, t)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Error("a search failed", "error", err)
		s.write(map[string]any{"error": fmt.Sprintf("the search failed: %v", err), "id": t.query.id})
	case err == nil && result.Root.Visits > 0:
		told := t.response(&result, false)
		told.LevelMove, told.Life = choice, proved
		final = told
	}
	s.write(final)
	return true
}

// search sets up the tree for a task and searches it, with reports during the search if the query
// wants them.
func (s *Server) search(ctx context.Context, tree **search.Tree, t *task) (search.Result, error) {
	q := t.query
	game, err := q.position(t.turn)
	if err != nil {
		return search.Result{}, err
	}
	t.hash, t.symHash = board.PositionHash(game).String(), board.SymmetricHash(game).String()
	if *tree == nil {
		*tree, err = search.New(q.params, s.net, s.log)
	} else {
		err = (*tree).SetParams(q.params)
	}
	if err != nil {
		return search.Result{}, err
	}
	(*tree).Reset(game)
	(*tree).Restrict(q.restrict...)
	var leads *search.Leads
	if !s.conf.NetworksLeads {
		leads = search.NewLeads(s.net)
	}
	t.shown = func(r *search.Result) { leads.Show(ctx, s.log, game, r) }
	var result search.Result
	if q.reports.first == 0 {
		result, err = (*tree).Search(ctx, t.limits())
	} else {
		result, err = s.searchAloud(ctx, *tree, t)
	}
	if err == nil {
		t.shown(&result)
	}
	return result, err
}

// limits are the query's limits with the task's own focus.
func (t *task) limits() search.Limits {
	l := t.query.limits
	l.Focus = &t.focus
	return l
}

// searchAloud searches and writes reports during the search.
func (s *Server) searchAloud(ctx context.Context, tree *search.Tree, t *task) (search.Result, error) {
	limits := t.limits()
	limits.SnapshotEvery = t.query.reports.snapshots()
	stop := make(chan struct{})
	var reports sync.WaitGroup
	reports.Go(func() { s.report(tree, t, stop) })
	defer func() {
		close(stop)
		reports.Wait() // no report may follow the result
	}()
	return tree.Search(ctx, limits)
}

// snapshots is the interval at which the tree publishes its state: several times per report.
func (c schedule) snapshots() time.Duration {
	shortest := c.first
	if c.every > 0 {
		shortest = min(shortest, c.every)
	}
	return min(max(shortest/4, 5*time.Millisecond), 100*time.Millisecond)
}

// retryReport is how soon a report is tried again if there was nothing to report.
const retryReport = 10 * time.Millisecond

// report writes the state of a running search at the times of its schedule.
func (s *Server) report(tree *search.Tree, t *task, stop <-chan struct{}) {
	timer := time.NewTimer(t.query.reports.first)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		}
		var snapshot search.Result
		tree.Snapshot(&snapshot)
		// A final snapshot is never reported: it is either left from the previous search or the end of
		// this one, which is written as the result.
		if snapshot.Final || len(snapshot.Moves) == 0 {
			timer.Reset(retryReport) // a report is due, but nothing is searched yet
			continue
		}
		t.shown(&snapshot)
		s.write(t.response(&snapshot, true))
		if t.query.reports.every == 0 {
			return
		}
		timer.Reset(t.query.reports.every)
	}
}
