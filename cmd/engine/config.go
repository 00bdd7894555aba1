package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kosumi/engine"
	"kosumi/search/setting/tomlfile"
)

func configCommand() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:        "config",
		SuggestFor: []string{"settings"},
		Short:      "Print a config file with every setting, its default and its source",
		Long: `Prints a config file for --config. Every setting is commented out at its default;
remove the # before one to change it. The part under [search] has every technique
of the search, under KataGo's name if there is one. --set NAME=VALUE sets these on
the command line, kata-set-param over GTP.`,
		Example: `  engine config > kosumi.toml
  engine gtp --config kosumi.toml --set useGraphSearch=false,subtreeValueBiasFactor=0`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from != "" {
				return convertConfig(cmd.OutOrStdout(), from)
			}
			writeConfig(cmd.OutOrStdout())
			return nil
		},
	}
	c.Flags().StringVar(&from, "from-katago", "", "translate KataGo's config `FILE`.cfg to a file for --config")
	return c
}

// writeConfig writes every setting, commented out.
func writeConfig(w io.Writer) {
	fmt.Fprint(w, `# Settings of Kosumi: engine gtp --config FILE. Made by engine config.
#
# Each setting is commented out at its default: remove the # before its name to
# change it. In brackets: its range, and the source of the default. A flag of the
# same name on the command line overrides the file. Unknown names are refused.
`)
	s := defaultSettings()
	for _, group := range []string{networkGroup, engine.GameGroup, engine.PlayGroup, searchGroup} {
		fmt.Fprintf(w, "\n# %s\n", group)
		for i := range table {
			if row := &table[i]; row.Group == group {
				tomlfile.WriteComment(w, row, &s)
			}
		}
	}
	fmt.Fprint(w, `
# Every technique of the search. --set NAME=VALUE sets them on the command line,
# kata-set-param NAME VALUE over GTP, overrideSettings in analysis. Switched off:
`)
	for _, o := range techniques {
		fmt.Fprintf(w, "#   %-28s --set %s\n", o.name, o.off)
	}
	fmt.Fprint(w, "[search]\n")
	group := ""
	for i := range table {
		row := &table[i]
		if row.Section == "" {
			continue
		}
		if row.Group != group {
			group = row.Group
			fmt.Fprintf(w, "\n# %s\n", group)
		}
		tomlfile.WriteComment(w, row, &s)
	}
}

// techniques lists parts of the search, each with the settings that switch it off, for matches
// between the engine with and without that part.
var techniques = []struct{ name, off string }{
	{"score utility, static", "staticScoreUtilityFactor=0"},
	{"score utility, dynamic", "dynamicScoreUtilityFactor=0"},
	{"FPU reduction", "fpuReductionMax=0,rootFpuReductionMax=0"},
	{"FPU from visited policy", "fpuParentWeightByVisitedPolicy=false"},
	{"growing exploration", "cpuctExplorationLog=0"},
	{"exploration by variance", "cpuctUtilityStdevScale=0"},
	{"choice by lower bound (LCB)", "useLcbForSelection=false"},
	{"choice by final values", "reduceByFinalValues=false"},
	{"noise pruning", "useNoisePruning=false"},
	{"weighting by value", "valueWeightExponent=0"},
	{"uncertainty weighting", "useUncertainty=false"},
	{"subtree value bias", "subtreeValueBiasFactor=0"},
	{"graph search", "useGraphSearch=false"},
	{"averages by differences", "exactShare=0"},
	{"root symmetry pruning", "rootSymmetryPruning=false"},
	{"policy optimism", "policyOptimism=0,rootPolicyOptimism=0"},
	{"ending bonus", "rootEndingBonusPoints=0"},
	{"no useless moves", "rootPruneUselessMoves=false"},
	{"conservative passing", "conservativePass=false"},
	{"passing hacks", "enablePassingHacks=false,enableMorePassingHacks=false"},
	{"dame before passing", "fillDameBeforePass=false"},
	{"play against mirror Go", "antiMirror=false"},
	{"randomness of the choice", "chosenMoveTemperature=0,chosenMoveTemperatureEarly=0"},
}
