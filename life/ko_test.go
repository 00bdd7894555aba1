package life

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/life/solver"
)

// koSummary writes a card as [oracle.koSummary] does; a number that is only a bound has a +.
func koSummary(c *Card) string {
	out := c.Verdict
	if n := max(c.NeedA, c.NeedD); n > 0 {
		text := fmt.Sprint(n)
		if n == solver.Endless {
			text = "inf"
		}
		if c.AtLeast {
			text += "+"
		}
		out += fmt.Sprintf(" need%s=%s:%s", map[bool]string{true: "D", false: "A"}[c.NeedD > 0], text, c.Then)
	}
	if c.Ko != nil {
		out += " " + c.Ko.Name
		if c.Ko.Steps > 0 {
			out += fmt.Sprint(" ", c.Ko.Steps)
		}
	}
	return out
}

// TestKosCounted holds the numbers and the names of random shapes against an exhaustive
// count.
func TestKosCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 74))
	seen := map[string]int{}
	for k := range shapesToAsk(100) {
		s, o := nextShape(rng, 6000)
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 1000000})
		require.NoError(t, err, s)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			want := o.koSummary(int32(first))
			require.Equal(t, want, koSummary(c), "shape %d, %v first\n%v", k, solver.Side(first), s)
			seen[want]++
		}
	}
	t.Log(seen)
}
