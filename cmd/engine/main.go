// Command engine is Kosumi: it plays, analyses, referees and measures the game
// of Go with a neural network. `engine` alone is `engine gtp`.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kosumi/engine/doctor"
	"kosumi/internal/console"
	"kosumi/katago"
	"kosumi/nn"
	"kosumi/nn/ort"
	"kosumi/search/setting"
)

// version is what `engine version`, GTP and the analysis protocol report: three dotted integers,
// because clients compare them. A release sets version, and commit to the commit of its source.
var version, commit = "0.1.0", ""

// Exit codes of every subcommand.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError marks a mistake in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	makeRoom()
	ort.SetFetcher(ort.Fetch)
	os.Exit(run(os.Args[1:]))
}

// makeRoom sets GOMAXPROCS to twice the cores, unless the user set it. The session of each core
// spends its time in C calls. Without spare Ps (Go's processors), the scheduler would take a
// session's P away during each call, thousands of times a second.
func makeRoom() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * nn.Cores())
	}
}

func run(args []string) int {
	ctx, stop := untilSignal()
	defer stop()
	// Otherwise writing to a client that no longer reads would end the program as a failure.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	args, kata, err := katago.ParsePersonality(os.Args[0], args)
	if kata {
		return runKataGo(ctx, args)
	}
	if err != nil {
		err = usageError{err}
	}
	root := newRoot()
	root.SetArgs(withSubcommand(root, longDashes(args)))
	cmd := root
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(os.Stderr, "engine: %s\n", complaint(cmd, err))
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// sameStop is the time after a signal to stop within which another one counts as the same
// request.
const sameStop = time.Second

// untilSignal returns a context that ends at ^C, at SIGTERM, and when the terminal or the
// connection closes (SIGHUP, unless the program was started to ignore that, for example by
// nohup). A later ^C or SIGTERM ends the program at once, but within sameStop it counts as the same
// request: timeout, npm and make forward a signal that the program has already received. A terminal
// that closes may send SIGHUP twice, so SIGHUP stays caught to the end: once its handler is removed,
// the second would kill the program.
func untilSignal() (context.Context, context.CancelFunc) {
	caught, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithCancel(context.Background()) // a context whose cause names no signal
	context.AfterFunc(caught, stop)
	context.AfterFunc(ctx, func() {
		time.Sleep(sameStop)
		release()
	})
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, stop
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		select {
		case <-hangup:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   programName(),
		Short: "Kosumi, a Go engine: plays over GTP, analyses, referees, converts and measures",
		Long: `Kosumi is a Go (board game) engine. Without a subcommand it speaks GTP on
standard input and output, as Sabaki, GoGui, LizzieYzy and the bridges to OGS
and KGS expect. engine web opens a board in the browser, and so does a double
click on the program.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Flags().Lookup("provider") != nil && cmd.Name() != "doctor" {
			warnWithoutC()
		}
	}
	root.SetOut(console.Writer{Writer: os.Stdout})
	root.SetVersionTemplate(versionText())
	root.CompletionOptions.HiddenDefaultCmd = true
	cobra.MousetrapHelpText = "" // a double click is allowed: it opens the board in the browser
	cobra.AddTemplateFunc("flagGroups", flagGroups)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", " | flagGroups |"))
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{plainFlagError(c, err)} })
	root.AddCommand(
		gtpCommand(), webCommand(), analysisCommand(), reviewCommand(), drillCommand(), lifeCommand(), matchCommand(), netCommand(),
		selfplayCommand(), labelCommand(), trainCommand(), loopCommand(), convertCommand(), benchmarkCommand(), doctorCommand(), configCommand(), installCommand(), versionCommand(),
		workCommand(), clusterCommand(), serveCommand(), remoteCommand(), manualCommand(),
	)
	needSubcommand(root)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			needSubcommand(c)
		}
		refuseArguments(c)
	}
	return root
}

// warnWithoutC warns that a program built without C is slow. It is called when a command starts to
// run networks.
func warnWithoutC() {
	if !ort.Available {
		fmt.Fprintf(os.Stderr, "engine: %s\n", doctor.WithoutC)
	}
}

// needSubcommand makes a command that only groups subcommands refuse unknown words.
func needSubcommand(c *cobra.Command) {
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), meant(cmd, args[0]))
		}
		return nil
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		var names []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return usagef("%s needs a subcommand: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
}

// meant guesses which command an unknown word means: a command with a similar name, or one that
// reads a file of that name.
func meant(cmd *cobra.Command, word string) string {
	switch {
	case isKind(word, append(kataGoEndings, ".onnx")) && (!cmd.HasParent() || cmd.Flags().Lookup("model") != nil):
		return ", did you mean --model " + word + "?"
	case isKind(word, append(kataGoEndings, ".onnx")) && cmd.Flags().Lookup("a") != nil:
		return fmt.Sprintf(", did you mean --a '%s gtp --model %s'?", cmd.Root().Name(), word)
	case cmd.Flags().Lookup("data") != nil:
		return ", did you mean --data " + word + "?"
	case isKind(word, []string{".sgf", ".sgfs"}):
		return ", did you mean " + cmd.Root().Name() + " review " + word + "?"
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if slices.Contains(sub.SuggestFor, word) {
			return ", did you mean " + sub.Name() + "?"
		}
		names = append(names, sub.Name())
	}
	if near := setting.Near(word, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// helpCommand is cobra's help command, except that an unknown command is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no command %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// programName is the program's name in its help: engine, or kosumi, as packages of Linux install
// it.
func programName() string {
	if filepath.Base(os.Args[0]) == "kosumi" {
		return "kosumi"
	}
	return "engine"
}

// versionText is the version information for bug reports.
func versionText() string { return fmt.Sprintf("Kosumi %s\n%s\n", version, buildText()) }

// buildText names the commit, the compiler and the platform of the build.
func buildText() string {
	from := commit
	if info, ok := debug.ReadBuildInfo(); ok && from == "" {
		var dirty string
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				from = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "-dirty"
			}
		}
		from += dirty
	}
	return fmt.Sprintf("commit %s, %s, %s/%s", cmp.Or(from, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version and what the program was built from",
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(cmd.OutOrStdout(), versionText())
			return nil
		},
	}
}

// refuseArguments turns cobra's complaints about surplus words into usage
// errors, for a command and all below it.
func refuseArguments(c *cobra.Command) {
	check := c.Args
	if check == nil {
		check = cobra.NoArgs
	}
	if c.Runnable() {
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if _, plain := err.(usageError); err != nil && !plain {
				return usageError{plainArgumentError(cmd, args)}
			}
			return err
		}
	}
	for _, sub := range c.Commands() {
		refuseArguments(sub)
	}
}

// withSubcommand adds "gtp" if the arguments name no subcommand, or "web" after a double click on
// the program. It removes --help if a subcommand is unknown, so that cobra reports the mistake
// instead of showing the help of the parent command.
func withSubcommand(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		if startedByClick() {
			return []string{"web"}
		}
		return []string{"gtp"}
	}
	switch args[0] {
	case "-h", "--help", "help", "--version", "-v", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return args
	}
	if strings.HasPrefix(args[0], "-") {
		return append([]string{"gtp"}, args...)
	}
	if cmd, words, err := root.Find(args); err == nil && cmd.HasSubCommands() && len(words) > 0 && !strings.HasPrefix(words[0], "-") && cmd.ValidateArgs(words[:1]) != nil {
		return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-h" || a == "--help" })
	}
	return args
}

// longDashes accepts -model for --model, as in launch lines made for other engines.
func longDashes(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "--" {
			copy(out[i:], args[i:])
			break
		}
		if len(a) > 2 && a[0] == '-' && a[1] >= 'a' && a[1] <= 'z' {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}
