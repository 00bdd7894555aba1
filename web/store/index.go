package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// Index has the cards of all games in a folder, read without replaying the games: ten thousand
// games are listed in seconds the first time, and at once after that.
type Index struct {
	folder *Folder

	mu    sync.Mutex
	cards Cache[indexed]
}

// indexed is the entry of a game in the index.
type indexed struct {
	game  api.KeptGame
	words string // text that searches match
}

// NewIndex returns the index of a server's games.
func NewIndex(f *Folder) *Index {
	return &Index{folder: f, cards: Cache[indexed]{Read: func(id string, _ fs.FileInfo) (k indexed, err error) {
		data, err := f.Read("games", id, ".jsonl", maxJournal)
		if err == nil {
			k.game, err = skim(id, data)
		}
		k.words = words(&k.game)
		return k, err
	}}}
}

// refresh reads the journals that are new or have changed. The caller holds mu.
func (x *Index) refresh() error {
	files, err := x.folder.files("games", ".jsonl")
	if err == nil {
		x.cards.Refresh(files)
	}
	return err
}

// skim reads from a journal what a list shows: its header, the number of moves, and the
// result. It ignores damage after the header; [OpenGame] repairs the journal.
func skim(id string, data []byte) (api.KeptGame, error) {
	var h Header
	first, rest, _ := bytes.Cut(data, []byte{'\n'})
	if err := unsealed(first, &h); err != nil || h.V != 1 {
		return api.KeptGame{}, ErrDamaged
	}
	g := api.KeptGame{Game: id, Size: h.Size, Colour: h.Colour, Seat: h.Seat, Began: h.Created.Unix()}
	had := help{Teach: h.Teach}
	for line := range bytes.Lines(rest) {
		_, kind, ok := bytes.Cut(line, []byte(`"k":"`))
		if !ok {
			continue
		}
		kind, _, _ = bytes.Cut(kind, []byte{'"'})
		g.Rev++ // each step increases rev by one
		var e Step
		switch string(kind) {
		case "move", "redo":
			g.Moves++
		case "undo", "over", "teach":
			if json.Unmarshal(line, &e) != nil {
				continue
			}
		}
		had.step(string(kind), e.Why)
		g.Moves = max(0, g.Moves-e.N)
		g.Result = cmp.Or(e.Result, g.Result)
	}
	g.Helped = had.Hints > 0 || had.Undos > 0 || had.Taught
	g.Counts = had.counts(&h, g.Result != "", g.Moves)
	switch mine := strings.ToUpper(h.Colour) + "+"; {
	case g.Result == "" || g.Result == "Void":
	case g.Result == "0":
		g.Won = "drawn"
	case strings.HasPrefix(g.Result, mine):
		g.Won = "yes"
	default:
		g.Won = "no"
	}
	return g, nil
}

// words returns the text that searches match.
func words(g *api.KeptGame) string {
	outcome := map[string]string{"yes": "won", "no": "lost", "drawn": "drawn"}[g.Won]
	if g.Result == "" {
		outcome = "open"
	}
	colour := map[string]string{"b": "black", "w": "white"}[g.Colour]
	return strings.ToLower(fmt.Sprintf("kosumi %s %dx%d %d×%d %s %s %s %s", cmp.Or(g.Seat.Level, "full"), g.Size[0], g.Size[1], g.Size[0], g.Size[1],
		time.Unix(g.Began, 0).Format("2006-01-02"), g.Result, outcome, colour))
}

// pageSize is the number of games in an answer unless the request says otherwise.
const pageSize = 50

// Find returns the games whose text contains every word, newest first.
func (x *Index) Find(a *api.AskGames) (api.KeptGames, error) {
	out := api.KeptGames{Games: []api.KeptGame{}}
	if a.From < 0 || a.Most < 0 || len(a.Text) > 200 {
		return out, api.Tell("bad_request", "search_long", "n", 200)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(); err != nil {
		return out, api.Refuse("internal", "%v", err)
	}
	wanted := strings.Fields(strings.ToLower(a.Text))
	var found []api.KeptGame
	x.cards.Each(func(id string, k indexed, err error) {
		if err != nil {
			out.Unread = append(out.Unread, api.Unread{File: filepath.Join("games", id+".jsonl"), Why: err.Error(), Say: api.Said(err)})
			return
		}
		out.All++
		if !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(k.words, w) }) {
			found = append(found, k.game)
		}
	})
	slices.SortFunc(found, func(a, b api.KeptGame) int {
		return cmp.Or(cmp.Compare(b.Began, a.Began), strings.Compare(a.Game, b.Game))
	})
	slices.SortFunc(out.Unread, func(a, b api.Unread) int { return strings.Compare(a.File, b.File) })
	out.Total, out.Unread = len(found), out.Unread[:min(len(out.Unread), MaxListed)]
	from := min(a.From, len(found))
	out.Games = append(out.Games, found[from:min(len(found), from+min(cmp.Or(a.Most, pageSize), 500))]...)
	return out, nil
}

// Game returns the entry of a game; false if there is none.
func (x *Index) Game(id string) (api.KeptGame, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k, ok := x.cards.Known(id)
	return k.game, ok
}

// Tallies counts the results against the engine: of all games, and by board, smallest board first.
func (x *Index) Tallies() (all api.Tally, sizes []api.Tally, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(); err != nil {
		return all, nil, api.Refuse("internal", "%v", err)
	}
	by := map[[2]int]*api.Tally{}
	x.cards.Each(func(_ string, k indexed, err error) {
		if err != nil || k.game.Won == "" && k.game.Moves == 0 { // opened only
			return
		}
		t := by[k.game.Size]
		if t == nil {
			t = &api.Tally{Size: fmt.Sprintf("%dx%d", k.game.Size[0], k.game.Size[1])}
			by[k.game.Size] = t
		}
		for _, sum := range []*api.Tally{t, &all} {
			count := map[string]*int{"yes": &sum.Won, "no": &sum.Lost, "drawn": &sum.Drawn, "": &sum.Open}
			*count[k.game.Won]++
		}
	})
	smaller := func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0]*a[1], b[0]*b[1]), cmp.Compare(a[0], b[0])) }
	for _, size := range slices.SortedFunc(maps.Keys(by), smaller) {
		sizes = append(sizes, *by[size])
	}
	return all, sizes, nil
}

// IDs returns the IDs of all games, including damaged ones.
func (x *Index) IDs() (ids []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err = x.refresh()
	x.cards.Each(func(id string, _ indexed, _ error) { ids = append(ids, id) })
	slices.Sort(ids)
	return ids, err
}

// Saved describes the games in a backup: the records, which have the date and the opponent in their
// file names, and the journals, which merge restores.
func (x *Index) Saved(merge func(e Entry, do bool) (fresh, all int, err error)) []Saved {
	path := func(ext string) func(id string) string {
		return func(id string) string { return x.folder.Path("games", id, ext) }
	}
	name := func(id string) string {
		g, ok := x.Game(id)
		if !ok {
			return id + ".sgf"
		}
		return fmt.Sprintf("kosumi-%s-%dx%d-%s-%s.sgf", time.Unix(g.Began, 0).Format("2006-01-02-1504"), g.Size[0], g.Size[1], cmp.Or(g.Seat.Level, "full"), id[:6])
	}
	return []Saved{{IDs: x.IDs, Name: name, Most: wire.MaxSGF, Path: path(".sgf")},
		{Kind: "games", Dir: "games/", Ext: ".jsonl", Most: maxJournal, IDs: x.IDs, Path: path(".jsonl"), Merge: merge}}
}
