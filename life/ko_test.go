package life

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/life/solver"
)

// koSummary writes a card as [oracle.koSummary] does; a + marks a lower bound.
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

// consistent requires that a card found with less effort says the same about a ko as a card found with full effort, or
// leaves it open.
func consistent(t *testing.T, less, full *Card, s *shape) {
	t.Helper()
	n, all := max(less.NeedA, less.NeedD), max(full.NeedA, full.NeedD)
	switch {
	case n == 0:
	case !less.AtLeast:
		require.Equal(t, all, n, s)
	case less.Then != "" || all > 0:
		require.LessOrEqual(t, n, all, s)
	}
	if less.Ko != nil {
		require.Equal(t, []any{full.Ko.Name, full.Ko.Steps, full.Ko.First}, []any{less.Ko.Name, less.Ko.Steps, less.Ko.First}, s)
	}
}

// TestKosCounted compares verdicts, threats, names of kos and first moves of random shapes with
// the oracle; searches with less effort must not contradict them.
func TestKosCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 74))
	seen := map[string]int{}
	for k := range shapesToAsk(100) {
		s, o := nextShape(rng, 6000)
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 1000000})
		require.NoError(t, err, s)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			want := o.koSummary(int32(first))
			require.Equal(t, want+o.moves(int32(first)), koSummary(c)+s.moves(t, c), "shape %d, %v first\n%v", k, solver.Side(first), s)
			require.True(t, c.Proved, s)
			seen[want]++
		}
		if k%10 > 0 && max(out.Attacks.NeedD, out.Attacks.NeedA, out.Defends.NeedD, out.Defends.NeedA)%Endless == 0 {
			continue
		}
		for nodes := int64(100); nodes < 20000; nodes *= 3 {
			less, err := Ask(context.Background(), s.question(), Options{Nodes: nodes})
			require.NoError(t, err, s)
			consistent(t, less.Attacks, out.Attacks, s)
			consistent(t, less.Defends, out.Defends, s)
		}
	}
	t.Log(seen)
}

// drawings reads the shapes of docs/life.md by name; shapes on one line are at least two spaces
// apart.
func drawings(t *testing.T, text string) map[string]*shape {
	t.Helper()
	out := map[string]*shape{}
	_, text, _ = strings.Cut(text, "## Shapes of the books")
	_, text, _ = strings.Cut(text, "```\n")
	text, _, _ = strings.Cut(text, "```")
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(block, "\n")
		for at, rest := 0, lines[0]; rest != ""; {
			name, after, _ := strings.Cut(rest, "  ")
			after = strings.TrimLeft(after, " ")
			next := at + len(rest) - len(after)
			diagram := ""
			for _, l := range lines[1:] {
				if at < len(l) {
					diagram += strings.TrimSpace(l[at:min(next, len(l))]) + "\n"
				}
			}
			s, err := parseShape(diagram)
			require.NoError(t, err, name)
			out[name] = s
			at, rest = next, after
		}
	}
	return out
}

// bookWords describes a card as the table of docs/life.md does.
func bookWords(c *Card) string {
	out := c.Verdict
	n := max(c.NeedA, c.NeedD)
	if c.Verdict == Repetition {
		return "positions repeat"
	}
	if n == 0 || c.AtLeast || n == Endless {
		return out
	}
	ko := c.Ko.Name
	if ko == "approach ko" {
		ko += fmt.Sprintf(" of %d", c.Ko.Steps)
	}
	return fmt.Sprintf("%s; with %s %s: %s", out, threats(n), c.Then, ko)
}

// TestShapesOfTheBooks compares the table of docs/life.md with the program's answers.
func TestShapesOfTheBooks(t *testing.T) {
	testshared.Long(t)
	data := []byte(testshared.Read(t, "../docs/life.md"))
	for name, s := range drawings(t, string(data)) {
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 80000000})
		require.NoError(t, err, name)
		require.True(t, out.Attacks.Proved && out.Defends.Proved, name)
		if out.Attacks.Ko != nil && out.Attacks.Nodes < 5000000 {
			alone, err := Ask(context.Background(), s.question(), Options{Nodes: 80000000, First: board.Black})
			require.NoError(t, err, name)
			require.Equal(t, koSummary(out.Attacks), koSummary(alone.Attacks), "%s, asked about the attacker alone", name)
		}
		row := fmt.Sprintf("| %s | %s | %s |", name, bookWords(out.Attacks), bookWords(out.Defends))
		assert.Contains(t, string(data), "\n"+row+"\n")
	}
}
