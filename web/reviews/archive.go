package reviews

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// archive holds the finished reviews. Callers hold the mu of [Reviews].
type archive struct {
	folder *drill.Folder
	done   store.Cache[finished] // by file name
	byID   map[string]string     // file names
	read   struct {              // the result read last
		version string
		res     *review.Result
	}
}

// finished is a review whose files are in the folder.
type finished struct {
	card    api.ReviewCard
	changed time.Time
	network string
	game    string           // see resultSum
	players [2]review.Player // Black, White
}

func newArchive(folder *drill.Folder) archive {
	return archive{folder: folder, done: store.Cache[finished]{Read: func(name string, info fs.FileInfo) (finished, error) {
		res, err := folder.Read(name)
		if err != nil {
			return finished{}, err
		}
		d := finished{card: cardOf(res), changed: info.ModTime(), network: res.Network, game: resultSum(res), players: res.Players}
		d.card.Review, d.card.Changed, d.card.Name = idOf(name), info.ModTime().Unix(), cmp.Or(d.card.Name, name)
		return d, nil
	}}}
}

// sumOf returns the same text for records of the same game: board, komi, rules, players and moves.
func sumOf(i *review.Info, stones string, moves []string) string {
	return fmt.Sprintf("%dx%d %g %s %q %q %s %s", i.Width, i.Height, i.Komi, i.Rules, strings.TrimSpace(i.Black), strings.TrimSpace(i.White), stones, strings.Join(moves, " "))
}

func resultSum(r *review.Result) string {
	var moves []string
	for i := range r.Moves {
		moves = append(moves, r.Moves[i].Color+r.Moves[i].Move)
	}
	return sumOf(&r.Game, wire.ReviewedStones(r.Positions[0].Stones), moves)
}

func gameSum(g *review.Game) string {
	var moves []string
	for _, m := range g.Moves {
		moves = append(moves, wire.Letter(m.Color)+g.Record.Size.Vertex(m.Point))
	}
	i, stones := g.Info(), ""
	if start, err := g.Position(0); err == nil {
		stones = wire.Stones(start)
	}
	return sumOf(&i, stones, moves)
}

// idOf returns the ID of a review: the name of its file, or a hash of the name if the name is not a valid ID.
func idOf(name string) string {
	if store.ValidID(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// refresh reads the reviews in the folder that have changed.
func (a *archive) refresh() error {
	names, err := a.folder.Names()
	if err != nil {
		return err
	}
	files := map[string]fs.FileInfo{}
	a.byID = map[string]string{}
	for _, name := range names {
		if info, err := os.Lstat(a.folder.Path(name, ".json")); err == nil {
			files[name], a.byID[idOf(name)] = info, name
		}
	}
	a.done.Refresh(files)
	return nil
}

// result reads a finished review.
func (a *archive) result(id string) (*review.Result, error) {
	if err := a.refresh(); err != nil {
		return nil, err
	}
	name, ok := a.byID[id]
	if !ok {
		return nil, api.Refuse("not_found", "no such review")
	}
	known, _ := a.done.Known(name)
	version := name + known.changed.String()
	if a.read.version == version {
		return a.read.res, nil
	}
	res, err := a.folder.Read(name)
	if err != nil {
		return nil, api.Refuse("not_found", "%v", err)
	}
	a.read.version, a.read.res = version, res
	return res, nil
}
