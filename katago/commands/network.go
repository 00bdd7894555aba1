package commands

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/search/thinking"
)

// networkCommands show what the network itself says.
type networkCommands struct{ *Personality }

func (k *networkCommands) list() []gtp.Handler {
	return []gtp.Handler{{Name: "kata-raw-nn", Run: k.rawNetwork}}
}

// rawNetwork takes [COLOR] SYMMETRY|all [OPTIMISM].
func (k *networkCommands) rawNetwork(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
	const form = "kata-raw-nn (expected an optional color, a symmetry 'all' or index [0-7], and an optional optimism [0-1])"
	g := k.Engine.Game()
	req := thinking.EvaluationRequest{Color: g.ToMove(), Optimism: gtp.RootOptimism}
	args := c.Args
	if len(args) > 0 {
		if color, err := board.ParseColor(args[0]); err == nil {
			req.Color, args = color, args[1:]
		}
	}
	if len(args) == 0 {
		return gtp.Failure("Expected a symmetry argument 'all' or index [0-7] for " + form)
	}
	first, last := 0, gtp.Symmetries-1
	if !strings.EqualFold(args[0], "all") {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n >= gtp.Symmetries {
			return failf("Expected a symmetry argument 'all' or index [0-7] but got '%s' for %s", args[0], form)
		}
		first, last = n, n
	}
	if len(args) > 1 {
		x, err := gtp.ParseNumber(args[1])
		if err != nil || x < 0 || x > 1 {
			return failf("Expected an optimism value in [0,1] but got '%s' for %s", args[1], form)
		}
		req.Optimism = x
	}
	if len(args) > 2 {
		return failf("Unexpected extra argument '%s' for %s", args[2], form)
	}
	var b strings.Builder
	for req.Symmetry = first; req.Symmetry <= last; req.Symmetry++ {
		o, err := k.Engine.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		if area := g.Size().Area(); len(o.Policy) != area+1 || o.Ownership != nil && len(o.Ownership) != area {
			return errors.New("the network's output does not fit the board")
		}
		b.WriteString(kataRaw(g.Size(), req.Symmetry, o))
	}
	_, err := r.WriteString(strings.TrimSpace(b.String()))
	return err
}

// kataRaw writes one evaluation in KataGo's widths.
func kataRaw(size board.Size, symmetry int, o *thinking.Evaluation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "symmetry %d\nwhiteWin %.6f\nwhiteLoss %.6f\nnoResult %.6f\nwhiteLead %.3f\nwhiteScoreSelfplay %.3f\nwhiteScoreSelfplaySq %.3f\n",
		symmetry, o.Win, o.Loss, o.NoResult, o.Lead, o.ScoreMean, o.ScoreMeanSq)
	fmt.Fprintf(&b, "varTimeLeft %.3f\nshorttermWinlossError %.3f\nshorttermScoreError %.3f\npolicy\n", o.VarTimeLeft, o.ErrWinLoss, o.ErrScore)
	area := size.Area()
	for p, x := range o.Policy[:area] {
		if x < 0 {
			b.WriteString("    NAN ")
		} else {
			fmt.Fprintf(&b, "%8.6f ", x)
		}
		if (p+1)%size.W == 0 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "policyPass %8.6f \nwhiteOwnership\n", o.Policy[area])
	for p, x := range o.Ownership {
		fmt.Fprintf(&b, "%9.7f ", x)
		if (p+1)%size.W == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
