package katago

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kosumi/katago/config"
)

// The program behaves as KataGo does if its file name is katago or its first argument is
// --personality katago. It then has KataGo's subcommands, flags with one dash, configuration files
// and texts.
const personality = "personality"

// ParsePersonality reports whether the program should behave as KataGo, and returns the remaining
// arguments.
func ParsePersonality(program string, args []string) (rest []string, yes bool, err error) {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(program, `\`, "/")))
	yes = strings.TrimSuffix(name, ".exe") == "katago"
	if len(args) == 0 {
		return args, yes, nil
	}
	value, joined := strings.CutPrefix(strings.TrimLeft(args[0], "-"), personality+"=")
	switch {
	case !strings.HasPrefix(args[0], "-"):
		return args, yes, nil
	case joined:
		args = args[1:]
	case strings.TrimLeft(args[0], "-") == personality && len(args) > 1:
		value, args = args[1], args[2:]
	default:
		return args, yes, nil
	}
	switch value {
	case "katago", "kosumi":
		return args, value == "katago", nil
	}
	return args, false, fmt.Errorf("--%s %q: katago or kosumi", personality, value)
}

type Flags struct {
	command   string
	configs   []string
	overrides []string
	Texts     map[string]string // values of flags that may be given only once
	Switches  map[string]bool
}

// flagNames are the flags of each subcommand: name, name of the value ("" for a switch), and
// KataGo's description.
var flagNames = map[string][][3]string{
	"": {
		{"config", "FILE", "Config file(s) to use, later ones override earlier ones"}, {"model", "FILE", "Neural net model file to use"},
		{"override-config", "KEYVALUEPAIRS", "Override config parameters. Format: \"key=value, key=value,...\""},
		{"help", "", "Displays usage information and exits"}, {"version", "", "Displays version information and exits"},
	},
	"gtp":      {{"human-model", "FILE", "Human SL neural net model"}, {"override-version", "VERSION", "Say a certain value in response to gtp version command"}},
	"analysis": {{"human-model", "FILE", "Human SL neural net model"}, {"analysis-threads", "THREADS", "Analyze up to this many positions in parallel"}, {"quit-without-waiting", "", "When stdin is closed, quit quickly without waiting for queued tasks"}},
	"benchmark": {
		{"visits", "VISITS", "How many visits to use per search"}, {"threads", "THREADS", "Test these many threads, comma-separated, e.g. '4,8,12,16'"},
		{"numpositions", "NUM", "How many positions to sample from a game"}, {"time", "SECONDS", "Typical amount of time per move spent while playing, in seconds"},
		{"sgf", "FILE", "Optional game to sample positions from"}, {"boardsize", "SIZE", "Size of board to benchmark on, from 7 to 19"},
		{"fixed-batch-size", "SIZE", "Fixed batch size"}, {"half-batch-size", "", "Use half batch sizes"}, {"tune", "", "Automatically search for the optimal number of threads"},
		{"no-server-thread-test", "", "Don't test more server threads a GPU (this program never does)"}, {"no-half-batch-size-test", "", "Don't test half batch sizes (this program never does)"},
	},
	"version": {},
}

var shortFlags = map[string]string{"v": "visits", "t": "threads", "n": "numpositions", "i": "time", "s": "tune", "h": "help"}

// find returns the row of a flag in flagNames.
func (f *Flags) find(name string) ([3]string, bool) {
	if long, ok := shortFlags[name]; ok && (f.command == "benchmark" || name == "h") {
		name = long
	}
	for _, row := range slices.Concat(flagNames[""], flagNames[f.command]) {
		if row[0] == name {
			return row, true
		}
	}
	return [3]string{}, false
}

// ParseFlags reads flags as KataGo does, with one dash. Two dashes work too, and a value may
// follow an equals sign.
func ParseFlags(command string, args []string) (*Flags, error) {
	f := &Flags{command: command, Texts: map[string]string{}, Switches: map[string]bool{}}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		row, ok := f.find(name)
		switch {
		case !ok || !strings.HasPrefix(args[i], "-"):
			return nil, fmt.Errorf("Argument: %s\n             Couldn't find match for argument", args[i])
		case row[1] == "":
			f.Switches[row[0]] = true
			continue
		case !joined && i+1 == len(args):
			return nil, fmt.Errorf("Argument: (-%s)\n             Missing a value for this argument!", row[0])
		case !joined:
			i++
			value = args[i]
		}
		switch _, again := f.Texts[row[0]]; {
		case row[0] == "config":
			f.configs = append(f.configs, value)
		case row[0] == "override-config":
			f.overrides = append(f.overrides, value)
		case again:
			return nil, fmt.Errorf("Argument: (-%s)\n             Argument already set!", row[0])
		default:
			f.Texts[row[0]] = value
		}
	}
	return f, nil
}

// Number reads a flag whose value is an integer.
func (f *Flags) Number(name string, absent int) (int, error) {
	text, ok := f.Texts[name]
	if !ok {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("-%s %s: a whole number from 1 up is needed", name, text)
	}
	return n, nil
}

// Usage returns the help of the subcommand; program is the name of the executable.
func (f *Flags) Usage(program string) string {
	text := fmt.Sprintf("\nUSAGE:\n\n   %s %s [flags]\n\nWhere:\n\n", program, f.command)
	for _, row := range slices.Concat(flagNames[f.command], flagNames[""]) {
		value := ""
		if row[1] != "" {
			value = " <" + row[1] + ">"
		}
		text += fmt.Sprintf("   -%s%s\n     %s\n\n", row[0], value, row[2])
	}
	return text
}

// Config reads the named config files. Without any, it reads default_gtp.cfg beside the program or
// in KataGo's folder, else the text standIn. If standIn is empty, files must be named.
func (f *Flags) Config(standIn string) (*config.Config, error) {
	path := beside("default_gtp.cfg")
	switch {
	case len(f.configs) > 0:
		return config.Load(f.configs, f.overrides)
	case standIn == "":
		return nil, errors.New("-config CONFIG_FILE_NAME.cfg was not specified to tell KataGo where to find the config")
	case path != "":
		return config.Load([]string{path}, f.overrides)
	}
	return config.Load(nil, append([]string{standIn}, f.overrides...))
}

// Model returns the network's file; "" is the built-in network.
func (f *Flags) Model() string {
	if path := f.Texts["model"]; path != "" {
		return path
	}
	for _, name := range []string{"default_model.bin.gz", "default_model.txt.gz"} {
		if path := beside(name); path != "" {
			return path
		}
	}
	return ""
}

// beside looks for a file in the program's folder, then in KataGo's.
func beside(name string) string {
	var folders []string
	if exe, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(exe))
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".katago"))
	}
	for _, dir := range folders {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
