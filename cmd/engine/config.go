package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kosumi/search"
)

func configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print a config file with every setting, its default and where that comes from",
		Long: `Prints a config file for --config. Every setting is commented out at its default;
take the # away before one to change it. The part under [search] holds every
technique of the search, by the names of KataGo's configuration file where it has
them; --set NAME=VALUE sets them on the command line, kata-set-param over GTP.`,
		Example: `  engine config > kosumi.toml
  engine gtp --config kosumi.toml --set useGraphSearch=false,subtreeValueBiasFactor=0`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			writeConfig(cmd.OutOrStdout())
			return nil
		},
	}
}

// sources says where defaults of flags come from that are not of our own making.
var sources = map[string]string{
	"boardsize": "GTP's usual", "rules": "KataGo's example config", "komi": "the rules",
	"resign": "KataGo's example config", "resign-threshold": "KataGo's example config, 3 moves there too",
	"lag-buffer": "KataGo's example config", "handicap-advantage": "KataGo 1.17", "analysis-wide-noise": "KataGo 1.17", "ponder": "off, so that engines share a machine fairly",
	"visits": "off, the clock decides", "playouts": "off, the clock decides", "time": "5 where nothing else limits a move",
	"batch": "own measurements on CPUs", "sessions": "own measurements on CPUs", "threads": "own measurements on CPUs",
}

// writeConfig writes every setting, commented out.
func writeConfig(w io.Writer) {
	fmt.Fprint(w, `# Settings of Kosumi: engine gtp --config FILE. Made by engine config.
#
# Each setting stands at its default and is commented out: take the # away before
# its name to change it. In brackets: its range, and where the default comes from.
# A flag of the same name on the command line wins over
# the file. Names that are not known are refused.
`)
	s := defaultSettings()
	for _, part := range []struct {
		title string
		add   func(*pflag.FlagSet)
	}{
		{"The network and what runs it", s.networkFlags}, {"The game", s.gameFlags},
		{"Limits of a move, and manners at the table", s.seatFlags}, {"The search", s.searchFlags},
	} {
		fmt.Fprintf(w, "\n# %s\n", part.title)
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		part.add(flags)
		flags.VisitAll(func(f *pflag.Flag) { writeFlag(w, f) })
	}
	fmt.Fprint(w, `
# Every technique of the search. --set NAME=VALUE sets them on the command line,
# kata-set-param NAME VALUE over GTP, overrideSettings in analysis. Switched off:
`)
	for _, o := range techniques {
		fmt.Fprintf(w, "#   %-28s --set %s\n", o.name, o.off)
	}
	fmt.Fprint(w, "[search]\n")
	p := search.Defaults()
	group := ""
	for _, set := range search.Settings() {
		if set.Group != group {
			group = set.Group
			fmt.Fprintf(w, "\n# %s\n", group)
		}
		value := set.Get(&p)
		if set.Kind == search.ChoiceSetting {
			value = strconv.Quote(value)
		}
		wants := strings.NewReplacer("a number from ", "", "an integer from ", "", "true or false", "").Replace(set.Wants())
		writeSetting(w, set.Name, set.Doc, strings.TrimPrefix(wants+"; "+set.Source, "; "), value)
	}
}

// techniques of the search, and what switches each of them off: for matches of
// the engine with and without one.
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

// writeFlag writes the setting of a flag, if a file can hold it.
func writeFlag(w io.Writer, f *pflag.Flag) {
	if _, list := f.Value.(pflag.SliceValue); list || f.Name == "config" {
		return
	}
	_, usage := pflag.UnquoteUsage(f)
	value := f.Value.String()
	if f.Value.Type() == "string" {
		value = strconv.Quote(value)
	}
	if f.Name == "komi" {
		s := defaultSettings()
		if rules, err := s.gameRules(); err == nil {
			value = strconv.FormatFloat(float64(rules.Komi), 'g', -1, 32)
		}
	}
	source := sources[f.Name]
	if source == "" {
		source = "own choice"
	}
	writeSetting(w, f.Name, usage, source, value)
}

// writeSetting writes a commented setting under its explanation.
func writeSetting(w io.Writer, name, doc, source, value string) {
	for _, line := range wrap(fmt.Sprintf("%s (%s)", doc, source), 90) {
		fmt.Fprintf(w, "# %s\n", line)
	}
	fmt.Fprintf(w, "#%s = %s\n", name, value)
}

// wrap breaks a text into lines of at most so many bytes, at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
