package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/match/opening"
)

type openingFlags struct {
	opening.Config
	out   string
	force *bool
}

func openingsCommand() *cobra.Command {
	s := defaultSettings()
	f := openingFlags{Config: opening.Config{Count: 200, Least: 2, Most: 6, Temperature: 1, Balance: 0.3}}
	c := &cobra.Command{
		Use:   "openings -o FILE",
		Short: "Draw random openings from a network's policy, for match --openings",
		Long: `Draws openings for matches: from the empty board, 2 to 6 moves are drawn at
random from the network's policy. No two openings are the same position, even
rotated or mirrored, and the network takes none for decided. The file has one opening
per line; match --openings plays each with both colours.`,
		Example: `  engine match openings --model net.bin.gz --count 200 --boardsize 9 --komi 7 -o openings.txt`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return writeOpenings(cmd, &s, f)
		},
	}
	s.oneNetworkFlags(c.Flags())
	s.gameFlags(c.Flags())
	c.Flags().IntVar(&f.Count, "count", f.Count, "number of openings")
	c.Flags().IntVar(&f.Least, "min-moves", f.Least, "minimum number of moves")
	c.Flags().IntVar(&f.Most, "max-moves", f.Most, "maximum number of moves")
	c.Flags().Float64Var(&f.Temperature, "temperature", f.Temperature, "temperature of the policy; below 1 favours likely moves")
	c.Flags().Float64Var(&f.Balance, "balance", f.Balance, "maximum distance of Black's winrate from one half; 0.5: no limit")
	f.force = forceFlag(c)
	c.Flags().StringVarP(&f.out, "out", "o", "", "`FILE` to write")
	return c
}

func (f *openingFlags) check() error {
	if f.out == "" {
		return usagef("give -o FILE, the file to write")
	}
	return cmp.Or(
		must(f.Count >= 1 && f.Count <= 100_000, "count", f.Count, "1 to 100000"),
		must(f.Least >= 1 && f.Least <= 100, "min-moves", f.Least, "1 to 100"),
		must(f.Most >= f.Least && f.Most <= 100, "max-moves", f.Most, fmt.Sprintf("%d (--min-moves) to 100", f.Least)),
		must(f.Temperature > 0 && f.Temperature <= 100, "temperature", f.Temperature, "above 0, up to 100"),
		must(f.Balance > 0 && f.Balance <= 0.5, "balance", f.Balance, "above 0, up to 0.5"))
}

func writeOpenings(cmd *cobra.Command, s *settings, f openingFlags) error {
	if err := tryOutput(f.out, *f.force, s.inputs()...); err != nil {
		return err
	}
	size, rules := s.Play.Size, s.Play.Rules
	net := openNetwork(s, size, s.stderr)
	defer net.Close()
	if err := net.Serves(size); err != nil {
		return err
	}
	seed := cmp.Or(s.Play.Seed, rand.Uint64())
	progress := console.NewProgress(cmd.ErrOrStderr())
	f.Size, f.Rules, f.Seed = size, rules, seed
	f.Found = func(n int) { progress.Show("", int64(n), int64(f.Count), "openings", "") }
	openings, err := opening.Draw(cmd.Context(), net, f.Config)
	progress.Close()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %d openings on %s, %s rules, komi %g: %d to %d moves from the policy of %s, temperature %g, seed %d\n",
		len(openings), size, table.Find("rules").Get(s), rules.Komi, f.Least, f.Most, net.Describe().Name, f.Temperature, seed)
	fmt.Fprintf(&b, "boardsize %d %d\n", size.W, size.H) // so that a match on another board refuses the openings
	for _, o := range openings {
		fmt.Fprintln(&b, o)
	}
	if err := file.WriteBytes(f.out, []byte(b.String())); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s, %d openings\n", f.out, len(openings))
	return nil
}
