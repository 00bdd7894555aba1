package main

import (
	"context"

	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/search"
	"kosumi/thinking"
)

// GenMove translates a request for a move and its reports.
func (s *seat) GenMove(ctx context.Context, r gtp.MoveRequest) (gtp.GeneratedMove, error) {
	req := engine.MoveRequest{Color: r.Color, Keep: r.Keep, Deterministic: r.Deterministic, Cleanup: r.Cleanup}
	if a := r.Analysis; a != nil {
		req.Restrict, req.Analysed = restrictions(a), !a.Unseen
		if r.Report != nil {
			req.Interval, req.MinMoves = a.Interval, a.MinMoves
			req.Ownership, req.MovesOwnership = wantsOwnership(a.Want)
			req.Report = reporter(*a, r.Report)
		}
	}
	m, err := s.Engine.GenMove(ctx, req)
	return gtp.GeneratedMove{Point: m.Point, Resign: m.Resign}, err
}

// Analyze translates a request for analysis and its reports.
func (s *seat) Analyze(ctx context.Context, r gtp.AnalyzeRequest, report func(*gtp.Analysis)) error {
	req := engine.AnalyzeRequest{Color: r.Color, Interval: r.Interval, MinMoves: r.MinMoves, Restrict: restrictions(&r)}
	req.Ownership, req.MovesOwnership = wantsOwnership(r.Want)
	return s.Engine.Analyze(ctx, req, reporter(r, report))
}

func wantsOwnership(d gtp.Details) (all, moves bool) {
	return d.Ownership || d.OwnershipStdev, d.MovesOwnership || d.MovesOwnershipStdev
}

func restrictions(r *gtp.AnalyzeRequest) []search.Restriction {
	var all []search.Restriction
	for _, v := range r.Avoid {
		all = append(all, search.Restriction{Color: v.Color, Points: v.Points, Depth: v.Depth})
	}
	for _, v := range r.Allow {
		all = append(all, search.Restriction{Color: v.Color, Points: v.Points, Depth: v.Depth, Allow: true})
	}
	return all
}

// reporter turns search results into what the protocol prints.
func reporter(r gtp.AnalyzeRequest, report func(*gtp.Analysis)) func(*search.Result) {
	return func(result *search.Result) { report(analysisOf(result, &r)) }
}

func analysisOf(r *search.Result, want *gtp.AnalyzeRequest) *gtp.Analysis {
	a := &gtp.Analysis{Color: r.ToMove, Root: gtp.RootAnalysis{
		Visits: r.Root.Visits, Weight: r.Root.Weight, Winrate: r.Root.Winrate, Utility: r.Root.Utility,
		ScoreLead: r.Root.Lead, ScoreSelfplay: r.Root.ScoreMean, ScoreStdev: r.Root.ScoreStdev,
		RawStWrError: r.Root.Raw.WinrateError, RawStScoreError: r.Root.Raw.ScoreError, RawVarTimeLeft: r.Root.Raw.VarTimeLeft,
	}}
	for i := range r.Moves {
		a.Moves = append(a.Moves, moveAnalysis(&r.Moves[i], want.Want))
	}
	for i := range r.Unsearched {
		a.Moves = append(a.Moves, moveAnalysis(&r.Unsearched[i], want.Want))
	}
	if want.Want.Ownership {
		a.Ownership = r.Ownership
	}
	if want.Want.OwnershipStdev {
		a.OwnershipStdev = r.OwnershipStdev
	}
	return a
}

func moveAnalysis(m *thinking.Move, want gtp.Details) gtp.MoveAnalysis {
	out := gtp.MoveAnalysis{
		Move: m.Move, Visits: m.Visits, EdgeVisits: m.EdgeVisits, Weight: m.Weight,
		Winrate: m.Winrate, LCB: m.LCB, Prior: float64(m.Prior), Utility: m.Utility, UtilityLCB: m.UtilityLCB,
		ScoreLead: m.Lead, ScoreSelfplay: m.ScoreMean, ScoreStdev: m.ScoreStdev,
		NoResult: m.NoResult, SymmetryOf: m.SymmetryOf, PV: m.PV,
	}
	if want.PVVisits {
		out.PVVisits = m.PVVisits
	}
	if want.PVEdgeVisits {
		out.PVEdgeVisits = m.PVEdgeVisits
	}
	if want.MovesOwnership {
		out.Ownership = m.Ownership
	}
	if want.MovesOwnershipStdev {
		out.OwnershipStdev = m.OwnershipStdev
	}
	return out
}
