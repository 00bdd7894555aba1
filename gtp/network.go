package gtp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/search/thinking"
)

// networkCommands show what the network itself says.
type networkCommands struct {
	engine Engine
	models func() []thinking.ModelInfo
}

func (s *networkCommands) list() []Handler {
	return []Handler{
		{Name: "kata-raw-nn", Run: s.rawNetwork},
		{Name: "kata-raw-human-nn", Run: s.rawHuman},
		{Name: "kata-get-models", Run: s.listModels},
	}
}

const Symmetries = 8

// RootOptimism is how much of the optimistic policy kata-raw-nn shows where the
// command does not say: what KataGo uses at the root of a search.
const RootOptimism = 0.2

// rawNetwork takes [COLOR] SYMMETRY|all [OPTIMISM].
func (s *networkCommands) rawNetwork(ctx context.Context, c Command, r *Reply) error {
	g := s.engine.Game()
	req := thinking.EvaluationRequest{Color: g.ToMove(), Optimism: RootOptimism}
	args := c.Args
	if len(args) > 0 {
		if color, err := board.ParseColor(args[0]); err == nil {
			req.Color = color
			args = args[1:]
		}
	}
	if len(args) < 1 || len(args) > 2 {
		return ErrSyntax
	}
	first, last := 0, Symmetries-1
	if args[0] != "all" {
		n, err := parseInt(args[0])
		if err != nil || n < 0 || n >= Symmetries {
			return ErrSyntax
		}
		first, last = n, n
	}
	if len(args) == 2 {
		var err error
		if req.Optimism, err = ParseNumber(args[1]); err != nil || req.Optimism < 0 || req.Optimism > 1 {
			return ErrSyntax
		}
	}
	var b []byte
	for req.Symmetry = first; req.Symmetry <= last; req.Symmetry++ {
		o, err := s.engine.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		if area := g.Size().Area(); len(o.Policy) != area+1 || o.Ownership != nil && len(o.Ownership) != area {
			return errors.New("the network's output does not fit the board")
		}
		b = appendRaw(b, g.Size(), req.Symmetry, o)
	}
	_, err := r.Write(b)
	return err
}

// rawHuman takes [COLOR] SYMMETRY|all. Texts of errors are KataGo's.
func (s *networkCommands) rawHuman(ctx context.Context, c Command, r *Reply) error {
	const form = "kata-raw-human-nn (expected an optional color followed by a symmetry 'all' or index [0-7])"
	g := s.engine.Game()
	req := thinking.EvaluationRequest{Color: g.ToMove(), Human: true}
	args := c.Args
	if len(args) > 0 {
		if color, err := board.ParseColor(args[0]); err == nil {
			req.Color, args = color, args[1:]
		}
	}
	if len(args) == 0 {
		return errors.New("Expected a symmetry argument 'all' or index [0-7] for " + form) //nolint:staticcheck // KataGo's text
	}
	first, last := 0, Symmetries-1
	if args[0] != "all" {
		n, err := parseInt(args[0])
		if err != nil || n < 0 || n >= Symmetries {
			return fmt.Errorf("Expected a symmetry argument 'all' or index [0-7] but got '%s' for %s", args[0], form) //nolint:staticcheck // KataGo's text
		}
		first, last = n, n
	}
	if len(args) > 1 {
		return fmt.Errorf("Unexpected extra argument '%s' for %s", args[1], form) //nolint:staticcheck // KataGo's text
	}
	var b []byte
	for req.Symmetry = first; req.Symmetry <= last; req.Symmetry++ {
		o, err := s.engine.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		if b != nil {
			b = append(b, '\n')
		}
		b = appendEvaluation(b, g.Size(), req.Symmetry, o, []number{
			{"whiteWin", o.Win}, {"whiteLoss", o.Loss}, {"noResult", o.NoResult},
			{"whiteScore", o.ScoreMean}, {"whiteScoreSq", o.ScoreMeanSq},
			{"shorttermWinlossError", o.ErrWinLoss}, {"shorttermScoreError", o.ErrScore},
		})
	}
	_, err := r.Write(b)
	return err
}

// appendRaw writes one evaluation in KataGo's layout, which clients read line by
// line.
func appendRaw(b []byte, size board.Size, symmetry int, o *thinking.Evaluation) []byte {
	return appendEvaluation(b, size, symmetry, o, []number{
		{"whiteWin", o.Win}, {"whiteLoss", o.Loss}, {"noResult", o.NoResult},
		{"whiteLead", o.Lead}, {"whiteScoreSelfplay", o.ScoreMean}, {"whiteScoreSelfplaySq", o.ScoreMeanSq},
		{"varTimeLeft", o.VarTimeLeft}, {"shorttermWinlossError", o.ErrWinLoss},
		{"shorttermScoreError", o.ErrScore},
	})
}

// number is a line of a raw evaluation.
type number struct {
	key   string
	value float64
}

func appendEvaluation(b []byte, size board.Size, symmetry int, o *thinking.Evaluation, numbers []number) []byte {
	b = fmt.Appendf(b, "symmetry %d\n", symmetry)
	for _, v := range numbers {
		b = append(b, v.key...)
		b = appendFloat(b, " ", v.value)
		b = append(b, '\n')
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
	b = append(b, "policyPass"...)
	b = appendFloat(b, " ", float64(o.Policy[area]))
	b = append(b, "\nwhiteOwnership\n"...)
	ownership := o.Ownership
	if ownership == nil {
		ownership = make([]float32, area)
	}
	return appendRows(b, size, ownership)
}

// appendRows writes W numbers in each of H lines; NAN stands for no number.
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

func (s *networkCommands) listModels(_ context.Context, _ Command, r *Reply) error {
	list := append([]thinking.ModelInfo{}, s.models()...)
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		return err
	}
	_, err := r.WriteString(strings.TrimSpace(b.String()))
	return err
}
