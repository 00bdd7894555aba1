package search

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// TestSignature compares the results of 500 visits with stored ones, so that a change of arithmetic
// shows even without recorded searches. The results were stored when whole searches agreed with
// KataGo's; update them after a deliberate change.
func TestSignature(t *testing.T) {
	for _, c := range []struct{ preset, rules, signature string }{
		{"tutorial", "tromp-taylor", "0.9370 500.000 30; pass 471 1.0000 1.000 A1 13 0.1012 0.101 B5 10 -0.2797 -0.280"},
		{"plain", "tromp-taylor", "1.2495 500.000 19; pass 482 1.2981 1.298 B5 6 -0.4563 -0.819 A1 6 -0.2662 -1.107"},
		{"graph", "chinese", "-0.0173 500.000 500; D5 193 0.0280 -0.125 A1 152 -0.0068 -0.191 pass 76 -0.0270 -0.276"},
		{"exact", "tromp-taylor", "0.0746 598.253 508; pass 234 0.1301 -0.097 A1 198 0.0547 -0.189 D1 198 0.0547 -0.189"},
		{"defaults", "tromp-taylor", "0.0746 598.253 508; pass 234 0.1301 -0.097 A1 198 0.0547 -0.189 D1 198 0.0547 -0.189"},
		{"defaults", "aga", "-0.0082 552.327 511; A1 255 0.0186 -0.135 D1 255 0.0186 -0.135 pass 129 0.0056 -0.246"},
		{"defaults", "japanese", "-0.0032 551.323 511; A1 334 0.0237 -0.108 D1 334 0.0237 -0.108 B5 118 -0.0611 -0.273"},
	} {
		name := c.preset + " " + c.rules
		g := gameUnder(t, board.Size{W: 4, H: 5}, rulesOf(t, c.rules), 5, 9, 6, 10, 4, 8, 7, 11, board.Pass)
		e := &stub{errors: true, ownership: true, answer: func(g *board.Game, out *nn.Output) {
			out.Policy[g.Size().Area()] += 0.2 // makes passes likely enough to be searched
		}}
		tree := treeAt(t, presets()[c.preset], e, g)
		r := searched(t, tree, 500)
		require.Equal(t, c.signature, signature(&r), name)
	}
}

// signature returns a short text for a search's result.
func signature(r *Result) string {
	s := fmt.Sprintf("%.4f %.3f %d;", r.Root.Utility, r.Root.Weight, r.Stats.Nodes)
	for _, m := range r.Moves[:3] {
		s += fmt.Sprintf(" %s %d %.4f %.3f", r.Size.Vertex(m.Move), m.EdgeVisits, m.Utility, m.UtilityLCB)
	}
	return s
}
