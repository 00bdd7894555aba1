package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manualCommand returns the command that writes manual pages and completions for packagers.
func manualCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:    "manual DIR",
		Short:  "Write the manual pages and the shell completions into a folder",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := newRoot()
			root.Use, root.DisableAutoGenTag = name, true
			return writeManual(root, args[0])
		},
	}
	c.Flags().StringVar(&name, "name", "engine", "`NAME` of the program where it is installed")
	return c
}

// writeManual writes man/man1/*.1 and completions/* for a program.
func writeManual(root *cobra.Command, dir string) error {
	pages, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	for _, d := range []string{pages, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("%s cannot be made: %w", d, err)
		}
	}
	header := &doc.GenManHeader{Section: "1", Source: "Kosumi " + version, Manual: "Kosumi"}
	if err := doc.GenManTree(root, header, pages); err != nil {
		return err
	}
	name := root.Name()
	for to, write := range map[string]func(path string) error{
		name + ".bash": func(p string) error { return root.GenBashCompletionFileV2(p, true) },
		"_" + name:     root.GenZshCompletionFile,
		name + ".fish": func(p string) error { return root.GenFishCompletionFile(p, true) },
		name + ".ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, to)); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(completions, to), err)
		}
	}
	return nil
}
