package loop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/nn/katago"
	"kosumi/nn/model"
	"kosumi/search/setting/tomlfile"
	"kosumi/train/rows"
)

// Start names the network that a new loop begins with instead of random weights. It plays from the
// first game on, and the learner begins with its weights.
type Start struct {
	Network string   `toml:"network"`                        // FILE in KataGo's format, or "kosumi", the built-in one; "": random weights
	Games   int64    `toml:"games_behind" range:"0 or more"` // games of self-play that the network comes from; stages count on from there
	Data    []string `toml:"data"`                           // rows and game records that the window begins with; they stay where they are
}

// Read returns the network and the architecture that the recipe has to name.
func (s *Start) Read() (*katago.Network, string, error) {
	net, err := model.ReadKataGo(s.Network)
	if err != nil {
		return nil, "", fmt.Errorf("%w: start: %w", ErrRecipe, err)
	}
	arch, err := katago.ArchOf(net)
	if err != nil {
		return nil, "", fmt.Errorf("%w: start: %s: %w", ErrRecipe, s.Network, err)
	}
	return net, arch.String(), nil
}

// trained is the assumed number of games behind a network of unknown origin. The loop then begins in
// a late stage, whose visits and learning rate suit a network that plays well.
const trained = 20_000

// RecipeFrom changes the text of a recipe so that its loop begins with a network, and with rows and
// game records in files and folders of earlier runs. The network is a file in KataGo's format or
// "kosumi", the built-in one.
func RecipeFrom(text []byte, network string, data ...string) ([]byte, error) {
	s, err := startOf(network, data)
	if err != nil {
		return nil, err
	}
	_, arch, err := s.Read()
	if err != nil {
		return nil, err
	}
	if _, err := rows.ListFolders(s.Data...)(); err != nil {
		return nil, fmt.Errorf("%w: start: %w", ErrRecipe, err)
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

// startOf returns the start section for a network and data on the command line.
func startOf(network string, data []string) (s Start, err error) {
	s = Start{Network: network, Games: trained}
	if network != models.Name {
		if s.Network, err = filepath.Abs(network); err != nil {
			return s, err
		}
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

// RecipeDifferences compares the recipe of the loop in a folder (A) with a new one (B): text or, if text
// is nil, the folder's recipe again. Unless network is empty, the new recipe begins with this network
// and data, as in [RecipeFrom]. The network's file may have been deleted: its architecture and number
// of games are assumed to be those of the folder's recipe.
func RecipeDifferences(dir string, text []byte, network string, data ...string) ([]tomlfile.Difference, error) {
	have, err := loadRecipe(dir)
	if err != nil {
		return nil, err
	}
	want := have
	if text != nil {
		if want, err = ParseRecipe(text); err != nil {
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
	slices.Sort(have.Start.Data) // the order of paths does not matter
	slices.Sort(want.Start.Data)
	return tomlfile.Differences(have, want)
}

// known returns the path in names that leads to the same file as name, for example by a link. If
// there is none, it returns name.
func known(name string, names ...string) string {
	if k := slices.IndexFunc(names, func(other string) bool { return file.Same(name, other) }); k >= 0 {
		return names[k]
	}
	return name
}

// quoted returns a string or a list of strings in TOML. It writes JSON, because TOML's basic strings
// allow all escapes that json.Marshal uses.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings can always be marshalled
	}
	return string(text)
}

// setKey replaces a key's value in the one line of a recipe that sets it.
func setKey(text []byte, key, value string) ([]byte, error) {
	line := regexp.MustCompile(`(?m)^` + key + `( *)= *("[^"\n]*"|[^ #\n]+)`)
	if n := len(line.FindAllIndex(text, -1)); n != 1 {
		return nil, fmt.Errorf("%w: the recipe sets %s %d times, once was expected", ErrRecipe, key, n)
	}
	return line.ReplaceAllFunc(text, func([]byte) []byte { return []byte(key + " = " + value) }), nil
}
