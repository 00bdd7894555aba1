package main

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/search"
)

// GenMove translates a request for a move and its reports.
func (s *seat) GenMove(ctx context.Context, r gtp.MoveRequest) (gtp.GeneratedMove, error) {
	req := engine.MoveRequest{Color: r.Color, Keep: r.Keep, Deterministic: r.Deterministic, Cleanup: r.Cleanup, Searched: r.Searched}
	if a := r.Analysis; a != nil {
		req.Restrict, req.Analysed = restrictions(a), !a.Unseen
		if r.Report != nil {
			req.Interval = a.Interval
			req.Ownership, req.MovesOwnership = wantsOwnership(a.Want)
			req.Report = reporter(*a, r.Report)
		}
	}
	m, err := s.Engine.GenMove(ctx, req)
	return gtp.GeneratedMove{Point: m.Point, Resign: m.Resign}, err
}

// Analyze translates a request for analysis and its reports.
func (s *seat) Analyze(ctx context.Context, r gtp.AnalyzeRequest, report func(*gtp.Analysis)) error {
	req := engine.AnalyzeRequest{Color: r.Color, Interval: r.Interval, Restrict: restrictions(&r)}
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
		Visits: r.Root.Visits, Weight: r.Root.Weight, Winrate: r.Root.Winrate, Utility: r.Root.Utility, ScoreUtility: r.Root.ScoreUtility, Value: r.Root.Value, ValueUtility: r.Root.ValueUtility,
		ScoreLead: r.Root.Lead, ScoreSelfplay: r.Root.ScoreMean, ScoreStdev: r.Root.ScoreStdev,
		RawStWrError: r.Root.Raw.WinrateError, RawStScoreError: r.Root.Raw.ScoreError, RawVarTimeLeft: r.Root.Raw.VarTimeLeft,
	}}
	for i := range r.Moves {
		a.Moves = append(a.Moves, moveAnalysis(&r.Moves[i], want.Want))
	}
	if missing := want.MinMoves - len(a.Moves); missing > 0 {
		a.Moves = append(a.Moves, unvisited(r, missing)...)
	}
	if want.Want.Ownership {
		a.Ownership = r.Ownership
	}
	if want.Want.OwnershipStdev {
		a.OwnershipStdev = r.OwnershipStdev
	}
	return a
}

func moveAnalysis(m *search.MoveInfo, want gtp.Details) gtp.MoveAnalysis {
	out := gtp.MoveAnalysis{
		Move: m.Move, Visits: m.Visits, EdgeVisits: m.EdgeVisits, Weight: m.Weight,
		Winrate: m.Winrate, LCB: m.LCB, Prior: float64(m.Prior), Selection: m.Selection, Utility: m.Utility, ScoreUtility: m.ScoreUtility, UtilityLCB: m.UtilityLCB,
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

// unvisited lists up to n legal moves that the search has not tried, best prior
// first, with what the position itself is worth.
func unvisited(r *search.Result, n int) []gtp.MoveAnalysis {
	var rest []gtp.MoveAnalysis
	for i, prior := range r.Policy {
		p := r.Size.FromIndex(i)
		if prior < 0 || r.Move(p) != nil {
			continue
		}
		rest = append(rest, gtp.MoveAnalysis{
			Move: p, Prior: float64(prior), Winrate: r.Root.Winrate, LCB: r.Root.Winrate,
			Utility: r.Root.Utility, UtilityLCB: r.Root.Utility,
			ScoreLead: r.Root.Lead, ScoreSelfplay: r.Root.ScoreMean, ScoreStdev: r.Root.ScoreStdev,
			SymmetryOf: board.NoPoint, PV: []board.Point{p},
		})
	}
	slices.SortStableFunc(rest, func(x, y gtp.MoveAnalysis) int {
		switch {
		case x.Prior > y.Prior:
			return -1
		case x.Prior < y.Prior:
			return 1
		}
		return 0
	})
	return rest[:min(n, len(rest))]
}
