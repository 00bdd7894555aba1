package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/nn/katago"
	"kosumi/nn/model"
	"kosumi/nn/onnx"
)

func convertCommand() *cobra.Command {
	var size string
	var force *bool
	c := &cobra.Command{
		Use:        "convert IN OUT",
		SuggestFor: []string{"export", "onnx"},
		Short:      "Convert networks between KataGo's format and ONNX",
		Long: `Converts a KataGo network (.bin.gz, .txt.gz, .bin, .txt) to ONNX, such an ONNX
file back to KataGo's format, or one KataGo format to another. The ending of a
file's name gives its format.

The ONNX file describes itself (encoder, heads, scales) and keeps every weight of
the KataGo file. Converted back, it gives the same weights bit for bit; it can also
be trained first. Its graph is for one board size, but Kosumi plays on every size
with it.`,
		Example: `  engine convert kata1-b18.bin.gz b18.onnx
  engine convert b18-tuned.onnx b18-tuned.bin.gz`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			side, err := sizeOf("boardsize", size)
			if err := cmp.Or(err, networkName(args[1]), tryOutput(args[1], *force, args[0])); err != nil {
				return err
			}
			return convert(cmd, args[0], args[1], katago.Size(side))
		},
	}
	force = forceFlag(c)
	c.Flags().StringVar(&size, "boardsize", "19", "board `SIZE` of the ONNX graph: 2 to 25, or for example 9x13")
	return c
}

func convert(cmd *cobra.Command, in, out string, size katago.Size) error {
	net, err := model.ReadKataGo(in)
	if err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(out), ".onnx") {
		var m *onnx.Model
		if m, err = katago.Build(net, size, katago.FormExact); err == nil {
			err = m.WriteFile(out)
		}
	} else {
		err = katago.WriteFile(out, net)
	}
	if err != nil {
		return err
	}
	return reportFile(cmd, out)
}

var kataGoEndings = []string{".bin.gz", ".txt.gz", ".bin", ".txt"}

func networkName(path string) error {
	if isKind(path, append(kataGoEndings, ".onnx")) {
		return nil
	}
	return usagef("%s: the name has to end in .onnx, or for KataGo's format in %s", path, strings.Join(kataGoEndings, ", "))
}

func isKind(path string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(path), e) })
}

func reportFile(cmd *cobra.Command, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s, %.1f MiB\n", path, float64(info.Size())/(1<<20))
	return nil
}
