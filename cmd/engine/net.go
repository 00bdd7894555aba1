package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/models"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/nn/model"
)

func netCommand() *cobra.Command {
	c := &cobra.Command{Use: "net", SuggestFor: []string{"info", "network", "model", "fetch", "download"}, Short: "Fetch, create, mix and describe networks"}
	c.AddCommand(netNewCommand(), netInfoCommand(), netMixCommand(), netFetchCommand())
	needSubcommand(c)
	return c
}

func netNewCommand() *cobra.Command {
	var name, size, out, grow string
	var seed uint64
	var force *bool
	c := &cobra.Command{
		Use:   "new --arch NAME -o FILE",
		Short: "Write a network with random weights",
		Long: "Writes a network with random weights: the same seed gives the same file.\n\nArchitectures:\n" + architectures() +
			"\nWith --grow a network in KataGo's format gets more blocks or channels. Its outputs stay the same until it is trained.\n",
		Example: `  engine net new --arch mini --boardsize 9 --seed 1 -o mini.onnx
  engine net new --arch b10c128 --boardsize 19 -o b10c128.onnx
  engine net new --arch kb6c96 -o kb6c96.bin.gz
  engine net new --arch kb6c96 --grow kb4c64.bin.gz -o grown.bin.gz`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" || name == "" {
				return usagef("give --arch NAME and -o FILE")
			}
			if err := cmp.Or(tryOutput(out, *force, grow), networkName(out)); err != nil {
				return err
			}
			write := func() error { return writeFresh(name, size, seed, out) }
			if grow != "" {
				write = func() error { return writeGrown(grow, name, seed, out) }
			}
			if err := write(); err != nil {
				return err
			}
			return reportFile(cmd, out)
		},
	}
	force = forceFlag(c)
	c.Flags().StringVar(&name, "arch", "", "architecture `NAME`")
	c.Flags().StringVar(&size, "boardsize", "", "board `SIZE`: 2 to 25, or for example 9x13; default: the architecture's usual size")
	c.Flags().StringVar(&grow, "grow", "", "start from the weights of `FILE`, a smaller network of the same kind")
	c.MarkFlagsMutuallyExclusive("grow", "boardsize")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the weights")
	c.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write: .onnx, and for kbNcM also .bin.gz")
	return c
}

func architectures() string {
	var b strings.Builder
	for _, k := range fresh.Kinds() {
		fmt.Fprintf(&b, "  %-16s %s\n", k.Pattern, k.Doc)
	}
	return b.String()
}

func writeFresh(name, size string, seed uint64, out string) error {
	a, err := fresh.Parse(name)
	if err != nil {
		return usagef("--arch: %w", err)
	}
	if !a.KataGo() && !strings.EqualFold(filepath.Ext(out), ".onnx") {
		return usagef("-o %s: %s networks are written as .onnx", out, name)
	}
	if size != "" {
		s, err := sizeOf("boardsize", size)
		if err != nil {
			return err
		}
		a = a.On(s.W, s.H)
	}
	return a.Write(out, seed)
}

// writeGrown enlarges the network of a file to a larger architecture, and writes it in KataGo's
// format.
func writeGrown(from, name string, seed uint64, out string) error {
	if strings.EqualFold(filepath.Ext(out), ".onnx") {
		return usagef("-o %s: a grown network is written as .bin.gz or .txt.gz; engine convert makes ONNX of it", out)
	}
	if _, err := katago.ParseArch(name); err != nil {
		return usagef("--arch: %w", err)
	}
	net, err := katago.ReadFile(from)
	if err == nil {
		net, err = katago.Grow(net, name, seed)
	}
	if err != nil {
		return fmt.Errorf("--grow %s: %w", from, err)
	}
	return katago.WriteFile(out, net)
}

func netMixCommand() *cobra.Command {
	var share float64
	var out string
	var force *bool
	c := &cobra.Command{
		Use:   "mix FILE FILE -o FILE",
		Short: "Write a network between two, such as one before and after training",
		Long: `Averages the weights of two networks in KataGo's format. If the second was trained
from the first, the result keeps much of both. A network that was taught 19x19 forgets
9x9, for example; half of its old weights bring that back. Games tell the best share.`,
		Example: `  engine net mix before.bin.gz taught/model.bin.gz -o mixed.bin.gz
  engine net mix before.bin.gz taught/model.bin.gz --share 0.7 -o nearer.bin.gz`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("give two networks and -o FILE")
			}
			if !(share >= 0 && share <= 1) {
				return usagef("--share is %v, must be from 0 to 1", share)
			}
			if _, err := katago.FormatOf(out); err != nil {
				return usagef("-o %s: %w", out, err)
			}
			if err := tryOutput(out, *force, args...); err != nil {
				return err
			}
			if err := writeMixed(args[0], args[1], share, out); err != nil {
				return err
			}
			return reportFile(cmd, out)
		},
	}
	force = forceFlag(c)
	c.Flags().Float64Var(&share, "share", 0.5, "share of the second network, from 0 to 1")
	c.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write: .bin.gz, .txt.gz, .bin or .txt")
	return c
}

// writeMixed writes a mixture of two networks: a share of 0 gives the first network, 1 the second.
// The mixture has the name of the first.
func writeMixed(first, second string, share float64, out string) error {
	a, err := model.ReadKataGo(first)
	if err != nil {
		return err
	}
	b, err := model.ReadKataGo(second)
	if err != nil {
		return err
	}
	if a.Header.Version != b.Header.Version { // training may have upgraded one of the networks
		a, b = katago.Upgrade(a), katago.Upgrade(b)
	}
	if err := a.Mix(b, share); err != nil {
		return err
	}
	a.Header.Name = fmt.Sprintf("%.60s-mixed", a.Header.Name)
	return katago.WriteFile(out, a)
}

func netInfoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "info [NETWORK]",
		Short: "Describe a network file; without one, the built-in network",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := model.Inspect(cmp.Or(strings.Join(args, ""), models.Name))
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), info)
			}
			printInfo(cmd.OutOrStdout(), info)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func printInfo(w io.Writer, i *model.Info) {
	how := "inferred from shapes and operators"
	if i.Declared {
		how = "as the file says"
	}
	fmt.Fprintf(w, "%s: %s (%s)\n", i.File, i.Name, i.Format)
	fmt.Fprintf(w, "  kind %s, encoder %s, board %s, policy %s, value %s (%s)\n",
		cmp.Or(i.Kind, "unknown"), cmp.Or(i.Encoder, "unknown"), cmp.Or(i.Board, "unknown"), cmp.Or(i.Policy, "unknown"), cmp.Or(i.Value, "unknown"), how)
	fmt.Fprintf(w, "  %.2f million parameters, %.1f million multiplications an evaluation\n", float64(i.Parameters)/1e6, float64(i.MACs)/1e6)
	for _, in := range i.Inputs {
		fmt.Fprintf(w, "  in   %s\n", in)
	}
	if len(i.Planes) > 0 {
		sure := "as the file says"
		if !i.Declared {
			sure = "taken for them by their number, the file does not say"
		}
		fmt.Fprintf(w, "  planes of %s (%s):\n", i.Encoder, sure)
		for n, name := range i.Planes {
			fmt.Fprintf(w, "  %4d %s\n", n, name)
		}
	}
	for _, out := range i.Outputs {
		fmt.Fprintf(w, "  out  %s\n", out)
	}
	fmt.Fprint(w, "  operators:")
	for _, name := range slices.Sorted(maps.Keys(i.Operators)) {
		fmt.Fprintf(w, " %s %d", name, i.Operators[name])
	}
	fmt.Fprintln(w)
	for _, key := range slices.Sorted(maps.Keys(i.Metadata)) {
		fmt.Fprintf(w, "  %s: %s\n", key, i.Metadata[key])
	}
}
