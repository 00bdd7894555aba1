package commands

import (
	"context"
	"fmt"

	"kosumi/gtp"
	"kosumi/search/thinking"
)

// rawNetwork takes [COLOR] SYMMETRY|all [OPTIMISM], and prints evaluations with KataGo's column
// widths.
func (k *handlers) rawNetwork(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
	size := k.Engine.Game().Size()
	req, last, err := gtp.ParseRaw(k.Engine.Game(), c.Args, false)
	if err != nil {
		return err
	}
	return gtp.PrintRaw(ctx, k.Engine, req, last, r, func(b []byte, symmetry int, o *thinking.Evaluation) []byte {
		rows := func(format string, numbers []float32) {
			for p, x := range numbers {
				if x < 0 && format == policyFormat {
					b = append(b, "    NAN "...)
				} else {
					b = fmt.Appendf(b, format, x)
				}
				if (p+1)%size.W == 0 {
					b = append(b, '\n')
				}
			}
		}
		b = fmt.Appendf(b, "symmetry %d\nwhiteWin %.6f\nwhiteLoss %.6f\nnoResult %.6f\nwhiteLead %.3f\nwhiteScoreSelfplay %.3f\nwhiteScoreSelfplaySq %.3f\n",
			symmetry, o.Win, o.Loss, o.NoResult, o.Lead, o.ScoreMean, o.ScoreMeanSq)
		b = fmt.Appendf(b, "varTimeLeft %.3f\nshorttermWinlossError %.3f\nshorttermScoreError %.3f\npolicy\n", o.VarTimeLeft, o.ErrWinLoss, o.ErrScore)
		rows(policyFormat, o.Policy[:size.Area()])
		b = fmt.Appendf(b, "policyPass "+policyFormat+"\nwhiteOwnership\n", o.Policy[size.Area()])
		rows("%9.7f ", o.Ownership)
		return b
	})
}

const policyFormat = "%8.6f "
