package engine

import (
	"context"
	"sync/atomic"

	"kosumi/search"
	"kosumi/search/thinking"
)

// Analyze is [Engine.AnalyzeWithin] without limits: it ends when ctx ends or memory is full.
func (e *Engine) Analyze(ctx context.Context, r thinking.Request, report func(*thinking.Analysis)) error {
	return e.AnalyzeWithin(ctx, r, search.Limits{}, func(found *search.Result) { report(&found.Analysis) })
}

// AnalyzeWithin searches the current position and calls report at every interval and once more at
// the end, never two calls at a time. It returns when ctx ends (without error) or a limit is
// reached, but not before it has searched one move. Every number of a report is from the view of
// the analysed colour.
func (e *Engine) AnalyzeWithin(ctx context.Context, r thinking.Request, limits search.Limits, report func(*search.Result)) error {
	e.Stop()
	game, t := e.gameFor(r.Color), e.thinker
	if err := t.tree.SetParams(e.cfg.analysisParams()); err != nil {
		return err
	}
	t.follow(game)
	t.tree.Restrict(r.Restrictions...)
	limits.Ownership, limits.MovesOwnership = r.Want.Owners()
	limits.FirstLook, limits.MinMoves, limits.Focus = true, r.MinMoves, focusOf(r.Focus)
	defer t.net.Pin()()
	_, err := t.run(ctx, t.tree, limits, r.Interval, func(found *search.Result) {
		e.judge.leads.Show(ctx, e.log, game, found)
		report(found)
	})
	return err
}

// focusOf wraps a focus for the parameters of a search; nil for none.
func focusOf(f *thinking.Focus) *atomic.Pointer[thinking.Focus] {
	if f == nil {
		return nil
	}
	p := new(atomic.Pointer[thinking.Focus])
	p.Store(f)
	return p
}

// analysisParams returns the parameters of analysis: by default a wider root and no history before
// the position, as in KataGo's analysis commands.
func (c *Config) analysisParams() search.Params {
	p := c.Search
	p.Root.WideNoise = c.AnalysisWideNoise
	p.Pass.IgnorePreRootHistory, p.AntiMirror = !c.AnalysisHistory, c.AnalysisAntiMirror
	return p
}
