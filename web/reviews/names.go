package reviews

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kosumi/internal/file"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// names tell the mistakes of the player at the page from those of others. Names count
// without case and outer spaces. Make them with [openNames].
type names struct {
	path string

	mu           sync.Mutex
	mine, others map[string]bool
}

// Bounds of what is kept.
const (
	mostNames     = 2000
	mostNameBytes = 1 << 20
)

// openNames reads what was said of names. Records of this server's own games name the
// player You and the engine Kosumi. After an error the names are those alone.
func openNames(path string) (*names, error) {
	n := &names{path: path, mine: map[string]bool{"you": true}, others: map[string]bool{"kosumi": true}}
	data, err := file.ReadPlain(filepath.Dir(path), filepath.Base(path), mostNameBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	var said api.Names
	if err == nil {
		err = json.Unmarshal(data, &said)
	}
	if err != nil {
		return n, fmt.Errorf("%s: %w", path, err)
	}
	n.take(&said)
	return n, nil
}

// take takes names down. The caller holds mu, or is the only one.
func (n *names) take(said *api.Names) {
	for _, list := range []struct {
		names    []string
		to, from map[string]bool
	}{{said.Others, n.others, n.mine}, {said.Mine, n.mine, n.others}} {
		for _, name := range list.names {
			if name = plainName(name); name != "" {
				list.to[name] = true
				delete(list.from, name)
			}
		}
	}
}

func plainName(s string) string { return strings.ToLower(strings.TrimSpace(wire.Shown(s, 100))) }

// say takes names down and writes them; of a name, what was said last counts.
func (n *names) say(said *api.Names) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	mine, others := maps.Clone(n.mine), maps.Clone(n.others)
	n.take(said)
	data, err := json.Marshal(api.Names{Mine: slices.Sorted(maps.Keys(n.mine)), Others: slices.Sorted(maps.Keys(n.others))})
	if err == nil {
		err = file.WriteBytes(n.path, append(data, '\n'))
	}
	if err != nil {
		n.mine, n.others = mine, others
	}
	return err
}

// side is which side of a game the player was: b, w, both or none; empty where that is
// not known.
func (n *names) side(black, white string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	black, white = plainName(black), plainName(white)
	switch b, w := n.mine[black], n.mine[white]; {
	case b && w:
		return "both"
	case b:
		return "b"
	case w:
		return "w"
	case n.others[black] && n.others[white]:
		return "none"
	}
	return ""
}

// yours reports whether a name is known to be the player's, and known to be another's.
func (n *names) yours(name string) (mine, other bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name = plainName(name)
	return n.mine[name], n.others[name]
}

// Side is which side of a game the player was: b, w, both or none; empty where that is
// not known.
func (rs *Reviews) Side(black, white string) string { return rs.names.side(black, white) }

// Mine lists the names under which the player has played, but for the one that this
// server's own records have.
func (rs *Reviews) Mine() []string {
	rs.names.mu.Lock()
	defer rs.names.mu.Unlock()
	return append([]string{}, slices.DeleteFunc(slices.Sorted(maps.Keys(rs.names.mine)), func(n string) bool { return n == "you" })...)
}

// SayNames takes down under which names the player has played, and which are others'.
func (rs *Reviews) SayNames(said *api.Names) error {
	if len(said.Mine)+len(said.Others) > mostNames {
		return api.Refuse("bad_request", "%d names at most", mostNames)
	}
	if err := rs.names.say(said); err != nil {
		return api.NotSaved(err)
	}
	rs.PublishList()
	list, err := rs.List()
	if err != nil {
		return nil // the names are kept
	}
	for _, c := range list.Reviews {
		if what := "review:" + c.Review; rs.conf.Pages.Watched(what) {
			rs.conf.Pages.Publish(what, api.Event{T: "review.progress", D: api.ReviewProgress{Card: c, Points: []api.ReviewPoint{}}})
		}
	}
	return nil
}
