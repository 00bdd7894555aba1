package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kosumi/katago"
	"kosumi/katago/config"
)

// kataCommands are the subcommands of KataGo that there are, with what they do.
var kataCommands = []struct {
	name, doc string
	run       func(context.Context, *katago.Flags) error
}{
	{"gtp", "Runs GTP engine that can be plugged into any standard Go GUI for play/analysis.", kataGTP},
	{"benchmark", "Test speed with different numbers of search threads.", kataBenchmark},
	{"analysis", "Runs an engine designed to analyze entire games in parallel.", kataAnalysis},
	{"version", "Print version and exit.", kataVersion},
}

const kataUsage = `---Common subcommands------------------

`

func kataHelp() string {
	text := "\n" + kataUsage
	for _, c := range kataCommands {
		text += c.name + " : " + c.doc + "\n"
	}
	return text + "\nThis is Kosumi " + version + ", which answers as " + config.Version + " under this name. What else it can do: engine --help\n"
}

// kataElsewhere says what takes the place of subcommands of KataGo that are not here.
var kataElsewhere = map[string]string{
	"genconfig":  "There is nothing to configure: without a config file KataGo's defaults hold, and engine install-as-katago DIR writes two.\n",
	"tuner":      "There is nothing to tune: the program finds what suits the processor when it starts.\n",
	"contribute": "This program takes no part in KataGo's distributed training.\n",
	"match":      "Its place takes: engine match\n",
	"selfplay":   "Its place takes: engine selfplay\n",
}

// kataMissing tells of networks that are named and not there, in KataGo's words.
func kataMissing(s *settings) error {
	for _, name := range []string{s.Model, s.HumanModel} {
		if _, err := os.Stat(name); name != "" && err != nil {
			return fmt.Errorf("Error loading or parsing model file %s: Could not open file %s - does not exist or invalid permissions?", name, name) //nolint:staticcheck // KataGo's text
		}
	}
	return nil
}

// runKataGo is run as KataGo.
func runKataGo(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "-help" || args[0] == "help" {
		fmt.Print(kataHelp())
		return exitDone
	}
	i := slices.IndexFunc(kataCommands, func(c struct {
		name, doc string
		run       func(context.Context, *katago.Flags) error
	}) bool {
		return c.name == args[0]
	})
	if i < 0 {
		fmt.Printf("Unknown subcommand: %s\n%s%s", args[0], kataElsewhere[args[0]], kataHelp())
		return exitFailed
	}
	f, err := katago.ParseFlags(args[0], args[1:])
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "PARSE ERROR: %v\n\nFor complete USAGE and HELP type:\n   %s %s -help\n\n", err, filepath.Base(os.Args[0]), args[0])
		return exitFailed
	case f.Help:
		fmt.Print(f.Usage(filepath.Base(os.Args[0])))
		return exitDone
	case f.Version:
		err = kataVersion(ctx, f)
	default:
		err = kataCommands[i].run(ctx, f)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "Uncaught exception: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return exitFailed
	}
	return exitDone
}

func kataVersion(context.Context, *katago.Flags) error {
	fmt.Printf("%s\nGit revision: none\nCompile Time: %s\nUsing Kosumi %s in its place\n", config.Version, runtime.Version(), version)
	return nil
}
