package main

import (
	"cmp"
	"fmt"
	"github.com/spf13/cobra"

	"kosumi/bench"
	"kosumi/console"
	"kosumi/nn"
)

// agreementFlags say how short and long searches are compared.
type agreementFlags struct {
	on          bool
	short, long int64
	positions   int
	workers     []int
}

func (f *agreementFlags) add(c *cobra.Command) {
	*f = agreementFlags{short: 100, long: 10_000, positions: 20}
	c.Flags().BoolVar(&f.on, "agreement", false, "measure how often a short search chooses what a long one does")
	c.Flags().Int64Var(&f.short, "short-visits", f.short, "visits of the short searches")
	c.Flags().Int64Var(&f.long, "long-visits", f.long, "visits of the long searches")
	c.Flags().IntVar(&f.positions, "positions", f.positions, "positions to compare at")
	c.Flags().IntSliceVar(&f.workers, "workers", nil, "numbers of workers of the short searches, such as 1,4,16; default: --threads")
}

func (f *agreementFlags) check() error {
	err := cmp.Or(
		must(f.short >= 2 && f.short <= 1e9, "short-visits", f.short, "2 to 1000000000"),
		must(f.long >= f.short && f.long <= 1e9, "long-visits", f.long, fmt.Sprintf("%d (--short-visits) to 1000000000", f.short)),
		must(f.positions >= 1 && f.positions <= 10_000, "positions", f.positions, "1 to 10000"))
	for _, w := range f.workers {
		err = cmp.Or(err, must(w >= 1 && w <= 1024, "workers", w, "1 to 1024"))
	}
	return err
}

// run compares the searches.
func (f *agreementFlags) run(cmd *cobra.Command, s *settings, server *nn.Server) (*bench.Agreement, error) {
	params := s.params()
	if len(f.workers) == 0 {
		f.workers = []int{params.Parallel.Workers}
	}
	progress := console.NewProgress(cmd.ErrOrStderr())
	defer progress.Close()
	return bench.Agree(cmd.Context(), params, server, bench.AgreementConfig{
		Short: f.short, Long: f.long, Positions: f.positions, Workers: f.workers, Size: s.Play.Size, Rules: s.Play.Rules,
		Progress: func(n int) { progress.Show("", int64(n), int64(f.positions), "positions compared", "") },
	})
}
