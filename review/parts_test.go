package review

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeaderAndNumberAgree: the side named as ahead agrees with the number shown.
func TestLeaderAndNumberAgree(t *testing.T) {
	for _, c := range []struct {
		lead, winrate float64
		text, summary string
	}{
		{0.2, 0.49, "Black +0.2 (49 %)", "At the end the network sees an even game (Black 49 %)."},
		{-0.2, 0.51, "White +0.2 (49 %)", "At the end the network sees an even game (White 49 %)."},
		{-0.04, 0.51, "even (Black 51 %)", "At the end the network sees an even game (Black 51 %)."},
		{0, 0.4, "even (White 60 %)", "At the end the network sees an even game (White 60 %)."},
		{-3.25, 0.2, "White +3.3 (80 %)", "At the end the network sees White ahead by 3.3 points (80 %)."},
		{1.5, 0.7, "Black +1.5 (70 %)", "At the end the network sees Black ahead by 1.5 points (70 %)."},
	} {
		p := Position{Lead: c.lead, Winrate: c.winrate, Visits: 10}
		require.Equal(t, c.text, leadText(&p))
		require.Equal(t, c.summary, summaryOf(&Result{Positions: []Position{p}}))
	}
}
