package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kosumi/board"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/search/setting"
)

// complaint formats an error for people: one line; after a wrong call it ends with a pointer to the
// help.
func complaint(cmd *cobra.Command, err error) string {
	text := console.Plain(err.Error())
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "stopped")
	}
	if _, ok := errors.AsType[usageError](err); ok {
		text += fmt.Sprintf(" (%s --help)", cmd.CommandPath())
	}
	return text
}

// plainFlagError says which value a flag requires, instead of quoting an error of Go's parsers as
// pflag does. For an unknown flag it suggests a known one.
func plainFlagError(cmd *cobra.Command, err error) error {
	if none, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if meant := meantFlag(cmd.Flags(), none.GetSpecifiedName(), names); meant != "" {
			return fmt.Errorf("%w, did you mean --%s?", err, meant)
		}
		return err
	}
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	wants, known := map[string]string{
		"int": "an integer", "int64": "an integer", "uint64": "an integer from 0 up", "float64": "a number", "float32": "a number",
		"bool": "true or false", "duration": "a time such as 90s or 1h30m",
	}[bad.GetFlag().Value.Type()]
	if !known {
		return err
	}
	return fmt.Errorf("--%s is %q, must be %s", bad.GetFlag().Name, bad.GetValue(), wants)
}

// otherWords holds, for each wrong name that people try, the flag that they mean.
var otherWords = map[string]string{
	"cores": "sessions", "cpus": "sessions", "cpu": "sessions", "jobs": "sessions", "board-size": "boardsize", "size": "boardsize",
	"delay": "pace", "slow": "pace", "rank": "level", "strength": "level", "network": "model", "net": "model", "weights": "model",
	"output": "out", "movetime": "time", "seconds": "time", "memory": "max-memory", "port": "listen", "address": "listen",
	"save": "autosave", "quiet": "log-level", "verbose": "log-level", "random-seed": "seed", "deterministic": "seed", "color": "player", "colour": "player", "black": "player", "white": "player",
}

// meantFlag returns the flag that a user probably meant by an unknown name, "" if there is none.
// --no-X means --X=false.
func meantFlag(fl *pflag.FlagSet, name string, names []string) string {
	if not, ok := strings.CutPrefix(name, "no-"); ok {
		if f := fl.Lookup(not); f != nil && f.Value.Type() == "bool" {
			return not + "=false"
		}
	}
	if other := otherWords[name]; other != "" && fl.Lookup(other) != nil {
		return other
	}
	return setting.Near(name, names)
}

// plainArgumentError names the arguments that a command requires.
func plainArgumentError(cmd *cobra.Command, args []string) error {
	_, wants, _ := strings.Cut(cmd.Use, " ")
	switch {
	case len(args) > 0 && switchWords[args[0]] != "" && flagBefore(cmd, args[0]) != "":
		return fmt.Errorf("unexpected argument %q: write --%s=%s", args[0], flagBefore(cmd, args[0]), switchWords[args[0]])
	case len(args) > 0 && (wants == "" || strings.HasPrefix(strings.TrimLeft(wants, "["), "-")):
		return fmt.Errorf("unexpected argument %q%s", args[0], meant(cmd, args[0]))
	case len(args) == 0:
		return fmt.Errorf("give %s: %s", wants, cmd.UseLine())
	}
	return fmt.Errorf("wrong number of arguments (%d): %s", len(args), cmd.UseLine())
}

// switchWords are values that people write as a separate word after a boolean flag.
var switchWords = map[string]string{"true": "true", "yes": "true", "on": "true", "1": "true", "false": "false", "no": "false", "off": "false", "0": "false"}

// flagBefore returns the boolean flag before a word of the command line.
func flagBefore(cmd *cobra.Command, word string) string {
	before := os.Args[max(0, slices.Index(os.Args, word)-1)]
	if f := cmd.Flags().Lookup(strings.TrimLeft(before, "-")); f != nil && before[0] == '-' && f.Value.Type() == "bool" {
		return f.Name
	}
	return ""
}

// must returns nil if ok; otherwise an error that names the flag's value and the requirement.
func must(ok bool, flag string, value any, want string) error {
	if ok {
		return nil
	}
	return usagef("--%s is %v, must be %s", flag, value, want)
}

// optional matches flags whose value may be left out, as pflag writes them; noSeconds matches zero
// units at the end of durations.
var (
	optional  = regexp.MustCompile(`(\S+)\[="[^"]*"\]`)
	noSeconds = regexp.MustCompile(`([hm])0[ms](?:0s)?\)`)
)

const groupOf = "group"

// flagGroups writes the flags of a command, first its own and then those under each heading.
// Flags whose value may be left out are written as [VALUE], in the same columns.
func flagGroups(fl *pflag.FlagSet) string {
	groups := map[string]*pflag.FlagSet{}
	fl.VisitAll(func(f *pflag.Flag) {
		group := strings.Join(f.Annotations[groupOf], "")
		if groups[group] == nil {
			groups[group] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		groups[group].AddFlag(f)
	})
	var b strings.Builder
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if group != "" {
			fmt.Fprintf(&b, "\n%s:\n", group)
		}
		b.WriteString(groups[group].FlagUsages())
	}
	return optional.ReplaceAllStringFunc(noSeconds.ReplaceAllString(b.String(), "$1)"), func(s string) string {
		plain := "[" + optional.FindStringSubmatch(s)[1] + "]"
		return plain + strings.Repeat(" ", len(s)-len(plain))
	})
}

// halfPoints rounds a komi to half points, as GTP's command komi does, and logs a warning.
func halfPoints(komi float64, log *slog.Logger) float64 {
	rounded := math.Round(2*komi) / 2
	if rounded != komi && !math.IsNaN(komi) {
		log.Warn(fmt.Sprintf("komi %g is rounded to %g: it is counted in half points", komi, rounded))
	}
	return rounded
}

func sizeOf(flag, text string) (board.Size, error) {
	size, err := board.ParseSize(text)
	if err != nil {
		return size, usagef("--%s: %w", flag, err)
	}
	return size, nil
}

// checkListen returns an error unless the value of a flag is an address to listen on, or "", which
// stands for the default.
func checkListen(flag, text string) error {
	if text == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return usagef("--%s is %q, must be HOST:PORT or :PORT", flag, text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return usagef("--%s: the port is %q, must be 0 (any that is free) to 65535", flag, port)
	}
	return nil
}

// tryOutput reports, before any work, whether the output file can be written. An existing file is
// replaced only with --force, an input file never.
func tryOutput(path string, force bool, inputs ...string) error {
	err := file.Try(path, force, inputs...)
	switch {
	case errors.Is(err, file.ErrExists):
		return fmt.Errorf("%s is there already: --force replaces it", path)
	case errors.Is(err, file.ErrInput):
		return usagef("%s is an input of this command: name another file for the output", path)
	}
	return err
}

// ownFolder refuses a folder that has files, unless mark names one of them: a file that only
// folders of this kind have.
func ownFolder(dir, mark, kind string) error {
	entries, err := os.ReadDir(dir)
	_, none := os.Stat(filepath.Join(dir, mark))
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == "lost+found" || e.Name() == file.LockName })
	if err != nil || len(entries) == 0 || none == nil {
		return nil // any other fault is reported when the folder is written
	}
	return fmt.Errorf("%s holds other files than %s, such as %s: name a new or empty folder", dir, kind, entries[0].Name())
}

// inputs returns the files that the settings name, and other files that a command reads.
func (s *settings) inputs(others ...string) []string {
	return append(others, s.Model, s.HumanModel, s.config)
}

func forceFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("force", false, "replace the file that is there already")
}
