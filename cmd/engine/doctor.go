package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kosumi/engine/doctor"
	"kosumi/nn"
)

func doctorCommand() *cobra.Command {
	s := defaultSettings()
	var asJSON, everything bool
	c := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"gpu", "check"},
		Short:      "Check this machine: processor, GPU, libraries, network, and what is missing",
		Long: `Looks for the onnxruntime library, asks it for its execution providers, and
checks the processor, the cache folders and the network. It changes nothing.
--all also lists providers and places that do not matter on this machine; --json has
everything, for bug reports.`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings, err := nn.Await(cmd.Context(), func() ([]doctor.Finding, error) {
				return doctor.Examine(doctor.Config{Program: fmt.Sprintf("Kosumi %s, %s", version, buildText()),
					Model: s.Model, Open: s.Config(s.stderr), Size: s.Play.Size}), nil
			}, nil)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), findings)
			}
			if !everything {
				findings = doctor.WhatMatters(findings)
			}
			doctor.Print(cmd.OutOrStdout(), findings)
			for _, f := range findings {
				if f.What == "network" && !f.OK {
					return errors.New("the network cannot be run: see above")
				}
			}
			return nil
		},
	}
	s.oneNetworkFlags(c.Flags())
	s.gameFlags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	c.Flags().BoolVar(&everything, "all", false, "list every provider and every place searched")
	return c
}

func printResult(cmd *cobra.Command, asJSON bool, result interface{ Print(io.Writer) }) error {
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), result)
	}
	result.Print(cmd.OutOrStdout())
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
