package match

import (
	"fmt"
	"io"
	"strings"
)

// Line describes the game that just ended and the state of the match.
func (p *Progress) Line() string {
	black, white := p.Game.NameA, p.Game.NameB
	if p.Game.Black == "b" {
		black, white = white, black
	}
	most := ""
	if p.Summary.SPRT != nil {
		most = "at most "
	}
	return fmt.Sprintf("game %d (%s - %s) %s, %s, %d moves; %d of %s%d: %s", p.Game.Game, black, white,
		p.Game.Result, p.Game.Reason, p.Game.Moves, p.Summary.Games, most, p.Total, p.Summary.Line())
}

// Line describes the state of the match.
func (s *Summary) Line() string {
	line := fmt.Sprintf("%s %d, %s %d", s.A.Name, s.A.Wins, s.B.Name, s.B.Wins)
	if s.Draws > 0 {
		line += fmt.Sprintf(", draws %d", s.Draws)
	}
	line += ", Elo "
	if of, _ := s.basis(); of != "" {
		line += "of " + of + " "
	}
	line += s.Estimate.Text()
	if s.Repeats > 0 {
		line += fmt.Sprintf(", %d repeated", s.Repeats)
	}
	return line
}

func (s *Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "%d games\n", s.Games)
	if s.Repeats > 0 {
		fmt.Fprintf(w, "  %d of them repeat others move for move: %d different games, which alone count in the Elo difference;\n"+
			"  engine match openings makes openings, from which games differ\n", s.Repeats, s.Distinct.Games())
	}
	fmt.Fprintf(w, "  %s: %d won, %.1f %%\n", s.A.Name, s.A.Wins, 100*s.A.ScoreRate)
	fmt.Fprintf(w, "  %s: %d won, %.1f %%\n", s.B.Name, s.B.Wins, 100*s.B.ScoreRate)
	fmt.Fprintf(w, "  draws: %d\n", s.Draws)
	var faults []string
	for _, f := range []struct {
		what string
		a, b int
	}{{"illegal moves", s.IllegalA, s.IllegalB}, {"crashes", s.CrashesA, s.CrashesB}, {"timeouts", s.TimeoutsA, s.TimeoutsB}, {"refusals", s.RefusalsA, s.RefusalsB}} {
		if f.a+f.b > 0 {
			faults = append(faults, fmt.Sprintf("%s %d and %d", f.what, f.a, f.b))
		}
	}
	if len(faults) > 0 {
		fmt.Fprintf(w, "  lost by fault (first and second program): %s\n", strings.Join(faults, ", "))
	}
	if s.Unpaired > 0 {
		fmt.Fprintf(w, "  %d without the game with colours exchanged: only pairs count in the Elo difference\n", s.Unpaired)
	}
	of, share := s.basis()
	if of != "" {
		of = fmt.Sprintf(" of %s, %.1f %%", of, 100*share)
	}
	fmt.Fprintf(w, "  Elo difference%s: %s\n", of, s.Estimate.Text())
	if s.SPRT != nil {
		fmt.Fprintf(w, "  SPRT: %s\n", s.SPRT.Text())
	}
}
