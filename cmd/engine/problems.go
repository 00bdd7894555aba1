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
	return must(f.visits >= 1 && f.visits <= 1e9, "problem-visits", f.visits, "1 to 1000000000")
}

// run solves the problems; it returns nothing where there are none.
func (f *problemFlags) run(cmd *cobra.Command, params search.Params, server *nn.Server) (visits int64, solved []bench.Solved, err error) {
	var all []bench.Problem
	for _, file := range f.files {
		list, err := bench.ReadProblems(file)
		if err != nil {
			return 0, nil, err
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return 0, nil, nil
	}
	progress := console.NewProgress(cmd.ErrOrStderr())
	defer progress.Close()
	solved, err = bench.Solve(cmd.Context(), params, server, all, f.visits, func(done, of int) {
		progress.Show("", int64(done), int64(of), "positions solved or not", "")
	})
	return f.visits, solved, err
}
