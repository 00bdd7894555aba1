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

// openingFlags say which openings to draw.
type openingFlags struct {
	count       int
	least, most int     // moves of an opening
	temperature float64 // temperature of the policy
	balance     float64 // largest distance of Black's winrate from one half
	out         string
	force       *bool
}

func openingsCommand() *cobra.Command {
	s := defaultSettings()
	f := openingFlags{count: 200, least: 2, most: 6, temperature: 1, balance: 0.3}
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
	c.Flags().IntVar(&f.count, "count", f.count, "number of openings")
	c.Flags().IntVar(&f.least, "min-moves", f.least, "minimum number of moves")
	c.Flags().IntVar(&f.most, "max-moves", f.most, "maximum number of moves")
	c.Flags().Float64Var(&f.temperature, "temperature", f.temperature, "temperature of the policy; below 1 favours likely moves")
	c.Flags().Float64Var(&f.balance, "balance", f.balance, "maximum distance of Black's winrate from one half; 0.5: no limit")
	f.force = forceFlag(c)
	c.Flags().StringVarP(&f.out, "out", "o", "", "`FILE` to write")
	return c
}

func (f *openingFlags) check() error {
	if f.out == "" {
		return usagef("give -o FILE, the file to write")
	}
	return cmp.Or(
		must(f.count >= 1 && f.count <= 100_000, "count", f.count, "1 to 100000"),
		must(f.least >= 1 && f.least <= 100, "min-moves", f.least, "1 to 100"),
		must(f.most >= f.least && f.most <= 100, "max-moves", f.most, fmt.Sprintf("%d (--min-moves) to 100", f.least)),
		must(f.temperature > 0 && f.temperature <= 100, "temperature", f.temperature, "above 0, up to 100"),
		must(f.balance > 0 && f.balance <= 0.5, "balance", f.balance, "above 0, up to 0.5"))
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
	openings, err := opening.Draw(cmd.Context(), net, opening.Config{
		Count: f.count, Least: f.least, Most: f.most, Temperature: f.temperature, Balance: f.balance,
		Size: size, Rules: rules, Seed: seed, Found: func(n int) { progress.Show("", int64(n), int64(f.count), "openings", "") },
	})
	progress.Close()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %d openings on %s, %s rules, komi %g: %d to %d moves from the policy of %s, temperature %g, seed %d\n",
		len(openings), size, table.Find("rules").Get(s), rules.Komi, f.least, f.most, net.Describe().Name, f.temperature, seed)
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
