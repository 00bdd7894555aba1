package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/internal/file"
	"kosumi/nn/arch"
	"kosumi/nn/features"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

func netCommand() *cobra.Command {
	c := &cobra.Command{Use: "net", Short: "Make fresh networks, and say what a network file is"}
	c.AddCommand(netNewCommand(), netInfoCommand())
	needSubcommand(c)
	return c
}

func netNewCommand() *cobra.Command {
	var name, size, out, grow string
	var seed uint64
	var force *bool
	c := &cobra.Command{
		Use:   "new --arch NAME -o FILE",
		Short: "Write a freshly initialised network",
		Long: "Writes a network with random weights: the same seed gives the same file.\n\nArchitectures:\n" + architectures() +
			"\nWith --grow a network of KataGo's format gets more blocks or channels: it answers as before, and has more to learn with.\n",
		Example: `  engine net new --arch mini --board 9 --seed 1 -o mini.onnx
  engine net new --arch b10c128 --board 19 -o b10c128.onnx
  engine net new --arch kb6c96 -o kb6c96.bin.gz
  engine net new --arch kb6c96 --grow kb4c64.bin.gz -o grown.bin.gz`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" || name == "" {
				return usagef("--arch and -o are needed")
			}
			if err := tryOutput(out, *force); err != nil {
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
	c.Flags().StringVar(&size, "board", "", "board `SIZE`: 2 to 25, or for example 9x13; default: what the architecture is usually for")
	c.Flags().StringVar(&grow, "grow", "", "begin with the weights of `FILE`, a smaller network of the same kind")
	c.MarkFlagsMutuallyExclusive("grow", "board")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the weights")
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write: .onnx, and for kbNcM also .bin.gz")
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
		s, err := sizeOf("board", size)
		if err != nil {
			return err
		}
		a = a.On(s.W, s.H)
	}
	return a.Write(out, seed)
}

// writeGrown writes the network of a file in a larger shape, in KataGo's format.
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

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func netInfoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what a network file is",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := describeFile(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), info)
			}
			info.print(cmd.OutOrStdout())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// netInfo is what `engine net info` says of a file.
type netInfo struct {
	File       string            `json:"file"`
	Name       string            `json:"name"`
	Format     string            `json:"format"` // "onnx" or "katago"
	Kind       string            `json:"kind"`
	Encoder    string            `json:"encoder"`
	Board      string            `json:"board"`
	Policy     string            `json:"policy"`
	Value      string            `json:"value"`
	Declared   bool              `json:"declared"` // the file says so; else it was inferred
	Inputs     []string          `json:"inputs"`
	Planes     []string          `json:"planes,omitempty"` // of the encoder, in order
	Outputs    []string          `json:"outputs"`
	Operators  map[string]int    `json:"operators"`
	Parameters int64             `json:"parameters"`
	MACs       int64             `json:"multiplications"` // of one evaluation
	Metadata   map[string]string `json:"metadata"`
}

// maxNetwork bounds a network's file in bytes; onnx files end at 2 GiB.
const maxNetwork = 4 << 30

// describeFile reads a network file of either format. A KataGo network is
// described by its graph for 19x19.
func describeFile(path string) (*netInfo, error) {
	info := &netInfo{File: path, Format: "onnx"}
	data, err := file.Read(path, maxNetwork)
	if err != nil {
		return nil, err
	}
	var m *onnx.Model
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		m, _, err = onnx.ReadBeside(data, filepath.Dir(path))
	} else {
		var net *katago.Network
		info.Format = "katago"
		if net, err = katago.Read(bytes.NewReader(data), filepath.Base(path)); err == nil {
			m, err = katago.Build(net, katago.Size{W: 19, H: 19}, katago.Options{})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d, err := arch.Describe(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info.Name = orDefault(d.Metadata[meta.Name], d.Name)
	info.Kind, info.Encoder, info.Board = d.Looks.Kind, d.Looks.Encoder, d.Looks.Board
	info.Policy, info.Value, info.Declared = d.Looks.Policy, d.Looks.Value, d.Looks.Declared
	if info.Format == "katago" {
		info.Board = "any"
	}
	for _, v := range d.Inputs {
		info.Inputs = append(info.Inputs, v.Name+" "+v.Shape.String())
	}
	for _, v := range d.Outputs {
		info.Outputs = append(info.Outputs, v.Name+" "+v.Shape.String())
	}
	if e, err := features.Parse(info.Encoder); err == nil {
		info.Planes = e.PlaneNames()
	}
	info.Operators = map[string]int{}
	for _, o := range d.Operators {
		info.Operators[o.Operator] = o.Count
	}
	info.Parameters, info.MACs, info.Metadata = d.Parameters, d.MACs, d.Metadata
	delete(info.Metadata, meta.Layout) // the file's own text, of no use to people
	return info, nil
}

func (i *netInfo) print(w io.Writer) {
	how := "inferred from shapes and operators"
	if i.Declared {
		how = "as the file says"
	}
	fmt.Fprintf(w, "%s: %s (%s)\n", i.File, i.Name, i.Format)
	fmt.Fprintf(w, "  kind %s, encoder %s, board %s, policy %s, value %s (%s)\n",
		orDefault(i.Kind, "unknown"), orDefault(i.Encoder, "unknown"), orDefault(i.Board, "unknown"), orDefault(i.Policy, "unknown"), orDefault(i.Value, "unknown"), how)
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
