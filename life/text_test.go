package life

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestText: the text says who does what, with which first moves and which ko.
func TestText(t *testing.T) {
	for _, c := range []struct {
		attacks, defends Card
		want             string
	}{
		{Card{Verdict: Dead, Proved: true, Moves: []string{"E4"}, AllMoves: true}, Card{Verdict: Alive, Proved: true, Moves: []string{"A1", "B2", "C3"}, AllMoves: true},
			"White first: dead, proved\n  White kills at E4.\nBlack first: alive, proved\n  Black lives at A1, B2 or C3.\n"},
		{Card{Verdict: Alive, Proved: true, Moves: []string{"pass", "A1"}, AllMoves: true}, Card{Verdict: Alive, Proved: true, AllMoves: true},
			"White first: alive, proved\n  Black lives whatever White plays.\nBlack first: alive, proved\n  Black lives whatever White plays.\n"},
		{Card{Verdict: Dead, Proved: true, Moves: []string{"pass"}, NeedD: 1, Then: Seki, Ko: &Ko{Name: "bent-four type"}}, Card{Verdict: Dead, Proved: true, NeedD: Endless, Then: Repetition},
			"White first: dead, proved\n  White kills by playing elsewhere (perhaps also by other moves).\n  Ko: White takes first, and Black needs one threat more to make seki; bent-four type.\nBlack first: dead, proved\n  White kills whatever Black plays.\n  Ko threats only delay that.\n"},
		{Card{Verdict: Seki, Proved: true, Moves: []string{"pass", "A2"}, AllMoves: true, NeedA: 2, Then: Dead, Ko: &Ko{Name: "approach ko", Steps: 1, Line: []string{"A1", "B1!"}}}, Card{Verdict: Seki, Proved: true, Moves: []string{"B2"}, AllMoves: true, NeedA: Endless, Then: Repetition},
			"White first: seki, proved\n  White makes seki at A2 or elsewhere.\n  Ko: Black takes first, and White needs 2 threats more to kill; approach ko of 1: A1 B1!.\nBlack first: seki, proved\n  Black makes seki at B2.\n  Double ko: White needs endless threats to have positions repeat.\n"},
		{Card{Verdict: Dead, Proved: true, Moves: []string{"E4"}, AllMoves: true, NeedD: 4, AtLeast: true, Then: Held}, Card{Verdict: Held, Moves: []string{"E4"}, AllMoves: true, NeedA: 2, AtLeast: true},
			"White first: dead, proved\n  White kills at E4.\n  Ko: Black needs at least 4 threats more to hold.\nBlack first: not taken; whether it can live is open\n  Black holds at E4.\n  Ko: one threat more for White changes nothing.\n"},
		{Card{Verdict: Repetition, Proved: true, Moves: []string{"A2"}, AllMoves: true}, Card{Verdict: Unknown, Known: []string{"not dead"}},
			"White first: positions repeat: it depends on the ko rule, proved\n  White has positions repeat at A2.\nBlack first: not proven; proved: not dead\n"},
		{Card{Verdict: Dead, Proved: true, NeedD: 4, AtLeast: true}, Card{Verdict: Dead, Proved: true},
			"White first: dead, proved\n  Ko: up to 3 threats more for Black change nothing.\nBlack first: dead, proved\n  White kills whatever Black plays.\n"},
	} {
		a := &Answer{Target: []string{"C3"}, Rules: "basic ko", Attacker: "white", Defender: "black", Attacks: &c.attacks, Defends: &c.defends}
		_, got, _ := strings.Cut(a.Text(), "\n")
		require.Equal(t, c.want, got)
	}
}
