// Package cli is KataGo's command line: its subcommands, with their messages and errors. They
// run in a [Host], the program that replaces KataGo.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/nn"
	"kosumi/nn/open"
	"kosumi/search/thinking"
)

// StandIn is the config used when none is given and none is found.
const StandIn = "logAllGTPCommunication=false,logSearchInfo=false,numSearchThreads=16,rules=tromp-taylor,allowResignation=true,resignThreshold=-0.90,lagBuffer=1.0"

// Host is the program that replaces KataGo, with its own settings.
type Host interface {
	Version() string
	// Play returns the engine's configuration: the program's defaults or, after a call of Take, the
	// config's settings. The caller may change it before it calls Open.
	Play() *engine.Config
	// Take applies a config, which may contain settings of the program itself, such as
	// "precision = fp32". It adds the names of keys without effect to setup.Idle.
	Take(c *config.Config, setup *katago.Setup) error
	Threads() int // search threads
	Batch() int   // largest batch of positions
	// Open starts loading networks for boards of a size.
	Open(files katago.Files, batch int, size board.Size, log *slog.Logger) *open.Network
	// Serve calls the function serve, which speaks a protocol on standard input and output, and
	// returns when serve does.
	Serve(ctx context.Context, net *open.Network, serve func(context.Context) error) error
	// Log returns a logger that writes messages for people.
	Log(w io.Writer, level slog.Level) *slog.Logger
}

// subcommand is a supported subcommand of KataGo.
type subcommand struct {
	name, doc string
	run       func(context.Context, Host, *katago.Flags) error
}

var subcommands = []subcommand{
	{"gtp", "Runs GTP engine that can be plugged into any standard Go GUI for play/analysis.", playGTP},
	{"benchmark", "Test speed with different numbers of search threads.", benchmark},
	{"analysis", "Runs an engine designed to analyze entire games in parallel.", analyze},
	{"version", "Print version and exit.", printVersion},
}

func help(h Host) string {
	text := "\n---Common subcommands------------------\n\n"
	for _, c := range subcommands {
		text += c.name + " : " + c.doc + "\n"
	}
	return text + "\nThis is Kosumi " + h.Version() + ", which answers as " + config.Version + " under this name. Its other commands: engine --help\n"
}

// instead says, for subcommands that are not supported, what to use or why nothing is needed.
var instead = map[string]string{
	"genconfig":  "There is nothing to configure: without a config file KataGo's defaults hold, and engine install-as-katago DIR writes two.\n",
	"tuner":      "There is nothing to tune: the program finds what suits the processor when it starts.\n",
	"contribute": "This program takes no part in KataGo's distributed training.\n",
	"match":      "Its place takes: engine match\n",
	"selfplay":   "Its place takes: engine selfplay\n",
}

// Run executes a KataGo command line. done is false after a failure, which is already printed on
// standard error.
func Run(ctx context.Context, h Host, args []string) (done bool) {
	if len(args) == 0 || slices.Contains([]string{"-h", "--help", "-help", "help"}, args[0]) {
		fmt.Print(help(h))
		return true
	}
	i := slices.IndexFunc(subcommands, func(c subcommand) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Printf("Unknown subcommand: %s\n%s%s", args[0], instead[args[0]], help(h))
		return false
	}
	f, err := katago.ParseFlags(args[0], args[1:])
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "PARSE ERROR: %v\n\nFor complete USAGE and HELP type:\n   %s %s -help\n\n", err, filepath.Base(os.Args[0]), args[0])
		return false
	case f.Switches["help"]:
		fmt.Print(f.Usage(filepath.Base(os.Args[0])))
		return true
	case f.Switches["version"]:
		err = printVersion(ctx, h, f)
	default:
		err = subcommands[i].run(ctx, h, f)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "Uncaught exception: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err == nil
}

func printVersion(_ context.Context, h Host, _ *katago.Flags) error {
	fmt.Printf("%s\nGit revision: none\nCompile Time: %s\nUsing Kosumi %s in its place\n", config.Version, runtime.Version(), h.Version())
	return nil
}

// missing returns KataGo's error for a network file that does not exist.
func missing(files katago.Files) error {
	for _, name := range []string{files.Model, files.HumanModel} {
		if _, err := os.Stat(name); name != "" && err != nil {
			return fmt.Errorf("Error loading or parsing model file %s: Could not open file %s - does not exist or invalid permissions?", name, name) //nolint:staticcheck // KataGo's wording
		}
	}
	return nil
}

// logger sends the engine's own messages to the log; warnings also go to standard error.
func logger(h Host, log *katago.Log, all bool) *slog.Logger {
	level := slog.LevelWarn
	if all {
		level = slog.LevelInfo
	}
	return h.Log(log.Messages(), level)
}

// word returns text if wanted is true, else "".
func word(wanted bool, text string) string {
	if wanted {
		return text
	}
	return ""
}

// models describes the networks under the file names that the user gave.
func models(n nn.Network, files katago.Files) []thinking.ModelInfo {
	list := katago.Models(n)
	for i, name := range []string{files.Model, files.HumanModel}[:min(2, len(list))] {
		list[i].Name = name
	}
	return list
}

// takesProfile reports whether any loaded network takes a human profile.
func takesProfile(n nn.Network) bool {
	_, any := nn.Profiled(n)
	return any
}

// KataGo's messages about a human SL network.
const (
	unranked    = "WARNING: Human model was not trained from SGF metadata to vary by rank! Did you pass the wrong model for -human-model?\n"
	unset       = "WARNING: Provided -human-model but humanSLProfile was not set in the config or overrides. The human SL model will not be used until it is set in the config or at runtime via kata-set-param."
	unsetDuring = "Warning: Provided -human-model but humanSLProfile is not yet set. The human SL model will only be used on queries that provide humanSLProfile in overrideSettings."
)
