package gtp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"kosumi/board"
	"kosumi/search/thinking"
)

func (s *handlers) scoringCommands() []Handler {
	return []Handler{
		{Name: "final_score", Run: s.finalScore, usage: usage{"", "the result with dead stones removed, as in B+3.5; in the middle of a game an estimate (estimate_score says more)", standard}},
		{Name: "estimate_score", Run: s.estimateScore, usage: usage{"", "the leader in the middle of a game, by how much and how surely; the points and groups still open", byGNUGo}},
		{Name: "final_status", Run: s.finalStatus, args: 1, usage: usage{"VERTEX", "the fate of one point", byGNUGo}},
		{Name: "final_status_list", Run: s.finalStatusList, args: 1, usage: usage{"STATUS", "chains that are alive, dead, seki, or points black_territory, white_territory, dame", standard}},
	}
}

func (s *handlers) finalScore(ctx context.Context, _ Command, r *Reply) error {
	score, err := s.engine.FinalScore(ctx)
	if err != nil {
		return Because(ErrCannotScore, err)
	}
	return r.Print(scoreText(score))
}

// tenths rounds to one decimal, never to minus zero.
func tenths(x float64) float64 { return math.Round(10*x)/10 + 0 }

// scoreText writes a score that is White's lead. Referees compare the text of two engines, so it
// has one decimal, except for a draw.
func scoreText(score float64) string {
	switch score = tenths(score); {
	case score > 0:
		return fmt.Sprintf("W+%.1f", score)
	case score < 0:
		return fmt.Sprintf("B+%.1f", -score)
	}
	return "0"
}

// estimateScore writes the lead in the form of final_score, then the details.
func (s *handlers) estimateScore(ctx context.Context, _ Command, r *Reply) error {
	e, err := s.engine.Estimate(ctx)
	if err != nil {
		return Because(ErrCannotScore, err)
	}
	black, white := board.Black, board.White
	if e.Final {
		fmt.Fprintf(r, "%s: the game is over", scoreText(e.Lead))
	} else {
		if e.Settled {
			fmt.Fprintf(r, "%s: nothing is left to decide\n", scoreText(e.Lead))
		} else if e.Low != e.High || e.Lead != 0 {
			fmt.Fprintf(r, "%s (8 of 10 games between %s and %s)\n", scoreText(e.Lead), scoreText(e.Low), scoreText(e.High))
		}
		fmt.Fprintf(r, "Black wins %.0f %%, by a search of %d visits", 100*e.Winrate, e.Visits)
	}
	if e.Sure != [3]int{} || e.Likely != [3]int{} || e.Open != 0 {
		fmt.Fprintf(r, "\nstones and territory: Black %d sure, %d likely; White %d sure, %d likely; %d open",
			e.Sure[black], e.Likely[black], e.Sure[white], e.Likely[white], e.Open)
	}
	g := s.engine.Game()
	for i, chain := range e.Unsettled {
		if i == mostUnsettled {
			fmt.Fprintf(r, "\nand %d more", len(e.Unsettled)-i)
			break
		}
		fmt.Fprintf(r, "\nunsettled: %s %s", g.At(chain[0]), Vertices(g.Size(), chain))
	}
	return nil
}

// mostUnsettled is the maximum number of groups that an estimate names.
const mostUnsettled = 5

func (s *handlers) finalStatus(ctx context.Context, c Command, r *Reply) error {
	size := s.engine.Game().Size()
	p, err := size.ParseVertex(c.Args[0])
	if err != nil || p == board.Pass {
		return ErrSyntax
	}
	status, err := Statuses(ctx, s.engine)
	if err != nil {
		return err
	}
	return r.Print(status[p].String())
}

// finalStatusList lists each chain of stones on one line, and all empty points together on one.
func (s *handlers) finalStatusList(ctx context.Context, c Command, r *Reply) error {
	want, ok := thinking.ParseStatus(c.Args[0])
	if !ok {
		return ErrSyntax
	}
	status, err := Statuses(ctx, s.engine)
	if err != nil {
		return err
	}
	g := s.engine.Game()
	var lines []string
	var empty []board.Point
	for p := range board.Point(len(status)) {
		switch {
		case status[p] != want:
		case g.At(p) == board.Empty:
			empty = append(empty, p)
		case g.Board().ChainHead(p) == p:
			lines = append(lines, Vertices(g.Size(), g.Board().Chain(nil, p)))
		}
	}
	if len(empty) > 0 {
		lines = append(lines, Vertices(g.Size(), empty))
	}
	return r.Print(strings.Join(lines, "\n"))
}

// Statuses asks an engine for the fate of every point.
func Statuses(ctx context.Context, e Engine) ([]thinking.Status, error) {
	status, err := e.FinalStatus(ctx)
	return status, Because(ErrCannotScore, err)
}
