package main

import (
	"github.com/spf13/cobra"

	"kosumi/bench"
	"kosumi/console"
	"kosumi/nn"
	"kosumi/search"
)

// problemFlags say which problems a benchmark asks.
type problemFlags struct {
	files  []string
	visits int64
}

func (f *problemFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.files, "problems", nil, "SGF `FILE` of problems to solve; may be given more than once")
	c.Flags().Int64Var(&f.visits, "problem-visits", 200, "visits of the searches that solve problems")
}

func (f *problemFlags) check() error {
	if f.visits < 1 || f.visits > 1e9 {
		return usagef("--problem-visits %d: 1 to 1000000000", f.visits)
	}
	return nil
}

// measureProblems adds what was solved to a benchmark's results.
func (out *benchmark) measureProblems(cmd *cobra.Command, params search.Params, server *nn.Server, f problemFlags) error {
	var all []bench.Problem
	for _, file := range f.files {
		list, err := bench.ReadProblems(file)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil
	}
	params.Seed = 1
	progress := console.NewProgress(cmd.ErrOrStderr())
	var err error
	out.ProblemVisits = f.visits
	out.Problems, err = bench.Solve(cmd.Context(), params, server, all, f.visits, func(done, of int) {
		progress.Show("", int64(done), int64(of), "positions solved or not", "")
	})
	progress.Close()
	return err
}
