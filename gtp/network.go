package gtp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/search/thinking"
)

func (s *handlers) networkCommands() []Handler {
	return []Handler{
		{Name: "kata-raw-nn", Run: s.raw(false), usage: usage{"[COLOR] SYMMETRY [OPTIMISM]", "the network's outputs for the position, in one orientation (0 to 7) or in all", byKataGo}},
		{Name: "kata-raw-human-nn", Run: s.raw(true), usage: usage{"[COLOR] SYMMETRY", "those of the human-like network", byKataGo}},
		{Name: "kata-get-models", Run: s.listModels, usage: usage{"", "the networks in use as JSON", byKataGo}},
	}
}

// rootOptimism is the default share of the optimistic policy in kata-raw-nn, as at the root of
// KataGo's searches.
const rootOptimism = 0.2

// ParseRaw reads "[COLOR] SYMMETRY|all [OPTIMISM]"; the human-like network takes no OPTIMISM. req asks
// for the first symmetry to evaluate; last is the last symmetry. The error texts are KataGo's.
func ParseRaw(g *board.Game, args []string, human bool) (req thinking.EvaluationRequest, last int, err error) {
	form := "kata-raw-nn (expected an optional color, a symmetry 'all' or index [0-7], and an optional optimism [0-1])"
	req = thinking.EvaluationRequest{Color: g.ToMove(), Optimism: rootOptimism}
	if human {
		form = "kata-raw-human-nn (expected an optional color followed by a symmetry 'all' or index [0-7])"
		req.Optimism, req.Human = 0, true
	}
	if len(args) > 0 {
		if color, err := board.ParseColor(args[0]); err == nil {
			req.Color, args = color, args[1:]
		}
	}
	if len(args) == 0 {
		return req, 0, Failure("Expected a symmetry argument 'all' or index [0-7] for " + form)
	}
	const most = 7
	last = most
	if !strings.EqualFold(args[0], "all") {
		if last, err = parseInt(args[0]); err != nil || last < 0 || last > most {
			return req, 0, Failf("Expected a symmetry argument 'all' or index [0-7] but got '%s' for %s", args[0], form)
		}
		req.Symmetry = last
	}
	args = args[1:]
	if !human && len(args) > 0 {
		if req.Optimism, err = ParseNumber(args[0]); err != nil || req.Optimism < 0 || req.Optimism > 1 {
			return req, 0, Failf("Expected an optimism value in [0,1] but got '%s' for %s", args[0], form)
		}
		args = args[1:]
	}
	if len(args) > 0 {
		return req, 0, Failf("Unexpected extra argument '%s' for %s", args[0], form)
	}
	return req, last, nil
}

// PrintRaw evaluates the position in each symmetry from req.Symmetry to last, and prints what write
// appends for each evaluation.
func PrintRaw(ctx context.Context, e Engine, req thinking.EvaluationRequest, last int, r *Reply, write func(b []byte, symmetry int, o *thinking.Evaluation) []byte) error {
	area := e.Game().Size().Area()
	var b []byte
	for ; req.Symmetry <= last; req.Symmetry++ {
		o, err := e.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		if len(o.Policy) != area+1 || o.Ownership != nil && len(o.Ownership) != area {
			return errors.New("the network's output does not fit the board")
		}
		b = write(b, req.Symmetry, o)
	}
	_, err := r.Write(bytes.TrimSpace(b))
	return err
}

// raw is the handler that prints the outputs of the network, or of the human-like one.
func (s *handlers) raw(human bool) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		g := s.engine.Game()
		req, last, err := ParseRaw(g, c.Args, human)
		if err != nil && !human {
			return ErrSyntax
		}
		if err != nil {
			return err
		}
		return PrintRaw(ctx, s.engine, req, last, r, func(b []byte, symmetry int, o *thinking.Evaluation) []byte {
			score := []number{
				{"whiteLead", o.Lead}, {"whiteScoreSelfplay", o.ScoreMean}, {"whiteScoreSelfplaySq", o.ScoreMeanSq}, {"varTimeLeft", o.VarTimeLeft},
			}
			if human {
				score = []number{{"whiteScore", o.ScoreMean}, {"whiteScoreSq", o.ScoreMeanSq}}
			}
			return appendEvaluation(b, g.Size(), symmetry, o, slices.Concat(
				[]number{{"whiteWin", o.Win}, {"whiteLoss", o.Loss}, {"noResult", o.NoResult}},
				score,
				[]number{{"shorttermWinlossError", o.ErrWinLoss}, {"shorttermScoreError", o.ErrScore}}))
		})
	}
}

type number struct {
	key   string
	value float64
}

func appendEvaluation(b []byte, size board.Size, symmetry int, o *thinking.Evaluation, numbers []number) []byte {
	b = fmt.Appendf(b, "symmetry %d\n", symmetry)
	for _, v := range numbers {
		b = append(sixDecimals(b, v.key+" ", v.value), '\n')
	}
	b = append(b, "policy\n"...)
	area := size.Area()
	policy := slices.Clone(o.Policy[:area])
	for p, x := range policy {
		if x < 0 { // illegal
			policy[p] = float32(math.NaN())
		}
	}
	b = appendRows(b, size, policy)
	b = sixDecimals(b, "policyPass ", float64(o.Policy[area]))
	b = append(b, "\nwhiteOwnership\n"...)
	ownership := o.Ownership
	if ownership == nil {
		ownership = make([]float32, area)
	}
	return appendRows(b, size, ownership)
}

// appendRows writes W numbers in each of H lines; NAN marks a missing number.
func appendRows(b []byte, size board.Size, numbers []float32) []byte {
	for p, f := range numbers {
		if math.IsNaN(float64(f)) {
			b = append(b, "NAN"...)
		} else {
			b = strconv.AppendFloat(b, Finite(float64(f)), 'f', 6, 64)
		}
		if (p+1)%size.W == 0 {
			b = append(b, '\n')
		} else {
			b = append(b, ' ')
		}
	}
	return b
}

func (s *handlers) listModels(_ context.Context, _ Command, r *Reply) error {
	return r.PrintJSON(append([]thinking.ModelInfo{}, s.opts.Models()...))
}
