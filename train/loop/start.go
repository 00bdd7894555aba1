package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kosumi/models"
	"kosumi/nn/katago"
	"kosumi/setting/tomlfile"
	"kosumi/train/rows"
)

// Start names a network that a new loop begins with instead of random weights.
// It plays from the first game on, and the learner takes up its weights.
type Start struct {
	Network string   `toml:"network"`      // FILE in KataGo's format, or Embedded; "": random weights
	Games   int64    `toml:"games_behind"` // of self-play that it comes from: stages count from there
	Data    []string `toml:"data"`         // rows and game records that the window begins with; they stay where they are
}

// Embedded is the name of the network inside the program.
const Embedded = "embedded"

// read returns the network and the architecture that the recipe has to name.
func (s *Start) read() (*katago.Network, string, error) {
	var net *katago.Network
	var err error
	if s.Network == Embedded {
		n := models.Default()
		net, err = katago.Read(bytes.NewReader(n.Data), n.File)
	} else {
		net, err = katago.ReadFile(s.Network)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: start: %w", ErrConfig, err)
	}
	arch, err := katago.ArchOf(net)
	if err != nil {
		return nil, "", fmt.Errorf("%w: start: %s: %w", ErrConfig, s.Network, err)
	}
	return net, arch.String(), nil
}

// trained is how many games a network of unknown past is taken to come from: enough for
// the stages to give the visits and the learning rate of a network that plays.
const trained = 20_000

// From changes the text of a recipe so that its loop begins with a network, FILE in
// KataGo's format or Embedded, and with the rows and game records in files and folders
// of earlier runs, if there are any.
func From(text []byte, network string, data ...string) ([]byte, error) {
	s, err := startOf(network, data)
	if err != nil {
		return nil, err
	}
	_, arch, err := s.read()
	if err != nil {
		return nil, err
	}
	if _, err := rows.ListFolders(s.Data...)(); err != nil {
		return nil, fmt.Errorf("%w: start: %w", ErrConfig, err)
	}
	lines := [][2]string{{"arch", quoted(arch)}, {"network", quoted(s.Network)}, {"games_behind", fmt.Sprint(s.Games)}}
	if len(s.Data) > 0 {
		lines = append(lines, [2]string{"data", quoted(s.Data)})
	}
	for _, line := range lines {
		if text, err = setKey(text, line[0], line[1]); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// startOf is what a recipe says of a network and data that are named on the command line.
func startOf(network string, data []string) (s Start, err error) {
	s = Start{Network: network, Games: trained}
	if network == Embedded {
		s.Games = int64(models.Default().Games)
	} else if s.Network, err = filepath.Abs(network); err != nil {
		return s, err
	}
	for _, name := range data {
		path, err := filepath.Abs(name)
		if err != nil {
			return s, err
		}
		s.Data = append(s.Data, path)
	}
	return s, nil
}

// Differences compares the recipe of the loop in a folder (A) with what one that is
// begun now would have (B): with the recipe in text, unless that is nil, and with a
// network and data as [From] takes them, unless network is "". The network need not be
// there any more: what follows from it, architecture and games, is taken to be as it was.
func Differences(dir string, text []byte, network string, data ...string) ([]tomlfile.Difference, error) {
	path := filepath.Join(dir, ConfigFile)
	own, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	have, err := ParseConfig(own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	want := have
	if text != nil {
		if want, err = ParseConfig(text); err != nil {
			return nil, err
		}
	}
	if network != "" {
		if want.Start, err = startOf(network, data); err != nil {
			return nil, err
		}
		want.Arch, want.Start.Games = have.Arch, have.Start.Games
		want.Start.Network = known(want.Start.Network, have.Start.Network)
		for i, name := range want.Start.Data {
			want.Start.Data[i] = known(name, have.Start.Data...)
		}
	}
	slices.Sort(have.Start.Data) // their order means nothing
	slices.Sort(want.Start.Data)
	return tomlfile.Differences(have, want)
}

// known is the one of some names that stands for the same file as another name does, by
// links; that name itself where none does.
func known(name string, names ...string) string {
	info, err := os.Stat(name)
	if err != nil {
		return name
	}
	for _, other := range names {
		if there, err := os.Stat(other); err == nil && os.SameFile(info, there) {
			return other
		}
	}
	return name
}

// quoted is a string, or a list of them, in TOML, whose basic strings hold all of
// JSON's escapes.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings have no way to fail
	}
	return string(text)
}

// setKey gives the one line of a recipe that sets a key another value.
func setKey(text []byte, key, value string) ([]byte, error) {
	line := regexp.MustCompile(`(?m)^` + key + `( *)= *("[^"\n]*"|[^ #\n]+)`)
	if n := len(line.FindAllIndex(text, -1)); n != 1 {
		return nil, fmt.Errorf("%w: the recipe sets %s %d times, once was expected", ErrConfig, key, n)
	}
	return line.ReplaceAllFunc(text, func([]byte) []byte { return []byte(key + " = " + value) }), nil
}

// startName is what the network that a loop begins with is called in its folder.
func startName(arch string) string { return "start-" + arch }

// begin takes up the network of the recipe, if it names one, in a new loop.
func (w *workspace) begin(s *State) error {
	if w.conf.Start.Network == "" {
		return nil
	}
	net, arch, err := w.conf.Start.read()
	if err != nil {
		return err
	}
	if arch != w.conf.Arch {
		return fmt.Errorf("%w: %s is a %s, the recipe's arch is %s", ErrConfig, w.conf.Start.Network, arch, w.conf.Arch)
	}
	path := modelPath(w.dir, arch, startName(arch))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := katago.WriteFile(path, net); err != nil {
		return err
	}
	s.Start = startName(arch)
	s.Current = s.Start
	return nil
}

// openEarlier counts the rows of other runs that the window begins with.
func (w *workspace) openEarlier() error {
	w.earlier.list = func() ([]string, error) { return nil, nil }
	data := slices.Clone(w.conf.Start.Data)
	if len(data) == 0 {
		return nil
	}
	for i, name := range data {
		if !filepath.IsAbs(name) {
			data[i] = filepath.Join(w.dir, name)
		}
	}
	w.earlier.list = rows.ListFolders(data...)
	all, err := rows.Open(rows.Options{Batch: 1, Log: w.log}, w.earlier.list)
	if err == nil {
		defer all.Close()
		w.earlier.rows = int64(all.WindowRows())
	}
	if err == nil && w.earlier.rows == 0 {
		err = rows.ErrNoRows
	}
	if err != nil {
		return fmt.Errorf("%w: start.data %s: %w; leave out what is not there", ErrConfig, strings.Join(data, ", "), err)
	}
	return nil
}
