package life

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// summary writes a card as the oracle does.
func (s *shape) summary(t *testing.T, c *Card) string {
	names := func(n Need) string {
		text, err := n.MarshalJSON()
		require.NoError(t, err)
		return strings.Trim(string(text), "\"")
	}
	text := c.Verdict
	switch {
	case c.NeedD > 0:
		text += fmt.Sprintf(" needD=%s:%s", names(c.NeedD), c.Then)
	case c.NeedA > 0:
		text += fmt.Sprintf(" needA=%s:%s", names(c.NeedA), c.Then)
	}
	if len(c.Moves) > 0 {
		text += " moves"
	}
	size := board.Size{W: s.w, H: s.h}
	for _, m := range c.Moves {
		if p, err := size.ParseVertex(m); m != "pass" {
			require.NoError(t, err)
			m = s.vertex(int(p))
		}
		text += " " + m
	}
	return text
}

// TestExamples answers the committed examples, ko numbers and first moves included.
func TestExamples(t *testing.T) {
	for _, e := range readExamples(t) {
		out, err := Ask(context.Background(), e.shape.question(), Options{Nodes: 4000000})
		require.NoError(t, err, e.name)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			require.Equal(t, e.answer[first], e.shape.summary(t, c), "%s, %v first", e.name, side(first))
			require.True(t, c.Proved, e.name)
			require.True(t, c.AllMoves, e.name)
		}
	}
}

// TestAnswers asks about random shapes and compares with the oracle.
func TestAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 3))
	for range shapesToAsk(20) {
		s, o := nextShape(rng, 20000)
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 1000000})
		require.NoError(t, err, s)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			require.Equal(t, o.summary(int32(first)), s.summary(t, c), "%v first\n%v", side(first), s)
			require.True(t, c.Proved, s)
		}
	}
}
