package match

import (
	"encoding/json"
	"fmt"
	"math"

	"kosumi/match/elo"
)

// SideSummary is one program's part of a Summary.
type SideSummary struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Wins    int    `json:"wins"`
	// WinsBlack are those of the wins that it had with Black.
	WinsBlack int `json:"wins_black"`
	// ScoreRate is (wins + draws/2) / games, 0 without games.
	ScoreRate float64 `json:"score_rate"`
}

// FaultCounts are the faults of a match by program. Timeouts are answers that
// did not come within Config.MoveTimeout and clocks that ran out; refusals are
// legal moves that the program did not take.
type FaultCounts struct {
	IllegalA  int `json:"illegal_a"`
	IllegalB  int `json:"illegal_b"`
	CrashesA  int `json:"crashes_a"`
	CrashesB  int `json:"crashes_b"`
	TimeoutsA int `json:"timeouts_a"`
	TimeoutsB int `json:"timeouts_b"`
	RefusalsA int `json:"refusals_a"`
	RefusalsB int `json:"refusals_b"`
}

// Results counts games by how they ended for one side.
type Results struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is how many they are, Points what the side got: 1 for a win, 1/2 for a
// draw.
func (r Results) Games() int      { return r.Wins + r.Draws + r.Losses }
func (r Results) Points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Summary is the state of a match. Its JSON form is what `engine match --json`
// prints; it never holds NaN or infinities.
type Summary struct {
	Games int         `json:"games"`
	A     SideSummary `json:"a"`
	B     SideSummary `json:"b"`
	Draws int         `json:"draws"`
	// Unscored are those of the draws that are only draws for want of a result:
	// no agreement on a territory score, or both programs failed to start.
	Unscored int `json:"unscored"`
	// Repeats counts games that were an earlier one over again, move for move.
	// Distinct, by a's results, is without them; so are Estimate, SPRT and Pairs.
	Repeats  int     `json:"repeats"`
	Distinct Results `json:"distinct"`

	FaultCounts
	// Estimate is how much stronger a is.
	elo.Estimate
	// SPRT is the state of the sequential test, absent when none was asked for.
	SPRT *elo.SPRTResult `json:"sprt,omitempty"`
	// Pairs counts the finished pairs of games from one opening by a's half
	// points, 0 to 4; absent without openings. Estimate and SPRT go by them. Unpaired
	// games, whose partner is not finished, wait for it.
	Pairs    *[5]int `json:"pairs,omitempty"`
	Unpaired int     `json:"unpaired,omitempty"`

	// MeanMoves is the mean length of a game. SecondsA and SecondsB are the times
	// that the programs took for all their moves.
	MeanMoves float64 `json:"mean_moves"`
	SecondsA  float64 `json:"seconds_a"`
	SecondsB  float64 `json:"seconds_b"`
	// Reasons counts the games by how they ended.
	Reasons map[Reason]int `json:"reasons"`
	// Resumed is how many of the games a journal held when the match began.
	Resumed int `json:"resumed"`
	// Warnings are things that make the match less fair than it looks.
	Warnings []string `json:"warnings,omitempty"`
}

// summarize computes a summary from results, which may be in any order.
func (p *plan) summarize(results map[int]GameResult) Summary {
	s := Summary{Reasons: map[Reason]int{}}
	s.A.Command, s.B.Command = p.A.Command, p.B.Command
	s.A.Name, s.B.Name = p.names(p.A.Name, p.B.Name)
	moves, newest := 0, 0
	for _, r := range results {
		s.add(&r)
		moves += r.Moves
		if r.Game > newest {
			newest = r.Game
			s.A.Name, s.B.Name = r.NameA, r.NameB
		}
	}
	if s.Games > 0 {
		s.MeanMoves = float64(moves) / float64(s.Games)
		s.A.ScoreRate = (float64(s.A.Wins) + float64(s.Draws)/2) / float64(s.Games)
		s.B.ScoreRate = (float64(s.B.Wins) + float64(s.Draws)/2) / float64(s.Games)
	}
	s.SecondsA, s.SecondsB = math.Round(s.SecondsA*1e3)/1e3, math.Round(s.SecondsB*1e3)/1e3
	p.statistics(&s, results)
	return s
}

// add counts one game.
func (s *Summary) add(r *GameResult) {
	s.Games++
	s.Reasons[r.Reason]++
	s.SecondsA += r.SecondsA
	s.SecondsB += r.SecondsB
	switch r.Winner {
	case "":
		s.Draws++
		if r.Unscored() {
			s.Unscored++
		}
	case "a":
		s.A.addWin(r.Black == "a")
	case "b":
		s.B.addWin(r.Black == "b")
	}
	for _, f := range r.Faults {
		s.FaultCounts.add(f)
	}
}

func (s *SideSummary) addWin(black bool) {
	s.Wins++
	if black {
		s.WinsBlack++
	}
}

func (s *FaultCounts) add(f Fault) {
	counters := map[Reason][2]*int{
		ReasonIllegal: {&s.IllegalA, &s.IllegalB},
		ReasonCrash:   {&s.CrashesA, &s.CrashesB},
		ReasonTimeout: {&s.TimeoutsA, &s.TimeoutsB},
		ReasonTime:    {&s.TimeoutsA, &s.TimeoutsB},
		ReasonRefusal: {&s.RefusalsA, &s.RefusalsB},
	}
	pair, ok := counters[f.Kind]
	if !ok {
		return
	}
	if f.Side == "a" {
		*pair[sideA]++
	} else {
		*pair[sideB]++
	}
}

// statistics fills in Elo and the sequential test. With openings they go by pairs.
func (p *plan) statistics(s *Summary, results map[int]GameResult) {
	again := repeats(results)
	s.Repeats = len(again)
	d := &s.Distinct
	for i, r := range results {
		switch {
		case again[i]:
		case r.Winner == "a":
			d.Wins++
		case r.Winner == "b":
			d.Losses++
		default:
			d.Draws++
		}
	}
	s.Estimate = elo.Of(d.Wins, d.Draws, d.Losses)
	if len(p.Openings) > 0 {
		pairs := pairsOf(results, again)
		s.Pairs = &pairs
		s.Estimate = elo.OfPairs(pairs)
		for i := range results {
			if _, partner := results[i^1]; !partner {
				s.Unpaired++
			}
		}
	}
	if p.SPRT == nil {
		return
	}
	test := p.SPRT.Test(d.Wins, d.Draws, d.Losses)
	if s.Pairs != nil {
		test = p.SPRT.TestPairs(*s.Pairs)
	}
	s.SPRT = &test
}

// pairsOf counts the pairs of which both games are finished by a's half points,
// but for pairs that were played before.
func pairsOf(results map[int]GameResult, again map[int]bool) (pairs [5]int) {
	halves := func(r GameResult) int {
		switch r.Winner {
		case "a":
			return 2
		case "":
			return 1
		}
		return 0
	}
	for i, r := range results {
		if second, ok := results[i+1]; ok && i%2 == 0 && !(again[i] && again[i+1]) {
			pairs[halves(r)+halves(second)]++
		}
	}
	return pairs
}

// basis names what the Elo difference is of, and a's share of it, 0..1, where that is not
// all games; else it is empty.
func (s *Summary) basis() (of string, share float64) {
	if s.Pairs == nil {
		d := s.Distinct
		if s.Repeats == 0 || d.Games() == 0 {
			return "", 0
		}
		return fmt.Sprintf("%d different games", d.Games()), d.Points() / float64(d.Games())
	}
	pairs, halves := 0, 0
	for k, n := range s.Pairs {
		pairs, halves = pairs+n, halves+k*n
	}
	if pairs == 0 || 2*pairs == s.Games {
		return "", 0
	}
	of = fmt.Sprintf("%d pairs", pairs)
	if pairs == 1 {
		of = "1 pair"
	}
	return of, float64(halves) / float64(4*pairs)
}

// MarshalJSON writes an end of the error bar as null where the games say nothing about
// that side.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	known := func(end float64) *float64 {
		if math.Abs(end) >= elo.Limit {
			return nil
		}
		return &end
	}
	return json.Marshal(struct {
		plain
		Low  *float64 `json:"elo_low"`
		High *float64 `json:"elo_high"`
	}{plain(s), known(s.Low), known(s.High)})
}

// names returns the programs' names such that they differ.
func (p *plan) names(a, b string) (string, string) {
	if a == "" {
		a = "program a"
	}
	if b == "" {
		b = "program b"
	}
	if a == b {
		return a + " (a)", b + " (b)"
	}
	return a, b
}
