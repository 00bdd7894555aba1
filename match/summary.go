package match

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"kosumi/match/elo"
)

// SideSummary is the part of a Summary that is about one program.
type SideSummary struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Wins    int    `json:"wins"`
	// WinsBlack counts the wins with Black.
	WinsBlack int `json:"wins_black"`
	// ScoreRate is (wins + draws/2) / games, 0 without games.
	ScoreRate float64 `json:"score_rate"`
}

// FaultCounts counts the faults of a match by program. Timeouts are missing answers and
// clocks that ran out; refusals are legal moves or requests for a move that a program did not accept.
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

// Games is the number of games, Points the side's sum: 1 for a win, 1/2 for a draw.
func (r Results) Games() int      { return r.Wins + r.Draws + r.Losses }
func (r Results) Points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Summary is the state of a match. Its JSON form is what `engine match --json`
// prints; it never holds NaN or infinities.
type Summary struct {
	Games int         `json:"games"`
	A     SideSummary `json:"a"`
	B     SideSummary `json:"b"`
	Draws int         `json:"draws"`
	// Unscored counts the draws without a result: no agreement on a territory score, or
	// both programs failed to start.
	Unscored int `json:"unscored"`
	// Repeats counts games that repeat an earlier one move for move. Distinct holds the results of
	// program a without them; Pairs leaves out pairs of two such games.
	Repeats  int     `json:"repeats"`
	Distinct Results `json:"distinct"`

	FaultCounts
	// Estimate is the advantage of program a over program b in Elo.
	elo.Estimate
	// SPRT is the state of the sequential test; nil without a test.
	SPRT *elo.SPRTResult `json:"sprt,omitempty"`
	// Pairs[k] is the number of finished pairs (two games from one opening) in which program a won k
	// half-points; nil without openings. Estimate and SPRT are computed from Pairs, or from Distinct if
	// Pairs is nil. Unpaired counts the finished games whose pair is not finished.
	Pairs    *[5]int `json:"pairs,omitempty"`
	Unpaired int     `json:"unpaired,omitempty"`

	// MeanMoves is the mean length of a game. SecondsA and SecondsB are the programs' total
	// times.
	MeanMoves float64 `json:"mean_moves"`
	SecondsA  float64 `json:"seconds_a"`
	SecondsB  float64 `json:"seconds_b"`
	// Reasons counts the games by how they ended.
	Reasons map[Reason]int `json:"reasons"`
	// Resumed counts the games that the journal held at the start.
	Resumed int `json:"resumed"`
	// Warnings are reasons why the match may be unfair.
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

func (s *Summary) add(r *GameResult) {
	s.Games++
	s.Reasons[r.Reason]++
	s.SecondsA += r.SecondsA
	s.SecondsB += r.SecondsB
	switch r.Winner {
	case "":
		s.Draws++
		if r.Reason == ReasonUnscored || r.Reason == ReasonCrash || r.Reason == ReasonTimeout {
			s.Unscored++
		}
	case "a":
		s.A.addWin(r)
	case "b":
		s.B.addWin(r)
	}
	for _, f := range r.Faults {
		s.FaultCounts.add(f)
	}
}

func (s *SideSummary) addWin(r *GameResult) {
	s.Wins++
	if r.Black == r.Winner {
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
	if pair, ok := counters[f.Kind]; ok && f.Side == "a" {
		*pair[sideA]++
	} else if ok {
		*pair[sideB]++
	}
}

// statistics fills in Elo and the sequential test, by pairs if there are openings.
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

// pairsOf counts the finished pairs by the half-points of program a. It leaves out pairs in which
// both games repeat earlier ones.
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

// basis says in words which games or pairs the Elo difference is computed from, and returns program
// a's share of their points, 0..1. It returns "" and 0 if they are all games, or if there are none.
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

// MarshalJSON writes an unbounded end of the error bar as null.
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

// names returns different names for the two programs.
func (p *plan) names(a, b string) (string, string) {
	a, b = cmp.Or(a, "program a"), cmp.Or(b, "program b")
	if a == b {
		return a + " (a)", b + " (b)"
	}
	return a, b
}
