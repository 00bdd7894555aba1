package reviews

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"io/fs"
	"os"
	"strings"
	"time"

	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
)

// archive has the finished reviews. Its users hold the mu of [Reviews].
type archive struct {
	folder *drill.Folder
	done   store.Cache[finished] // by names of files
	byID   map[string]string     // names of files
	read   struct {              // the result that was read last
		version string
		res     *review.Result
	}
}

// finished is a review whose files are in the folder.
type finished struct {
	card    api.ReviewCard
	changed time.Time
	network string
	sums    [2]sums // Black's, White's
}

func newArchive(folder *drill.Folder) archive {
	return archive{folder: folder, done: store.Cache[finished]{Read: func(name string, info fs.FileInfo) (finished, error) {
		res, err := folder.Read(name)
		if err != nil {
			return finished{}, err
		}
		d := finished{card: cardOf(res), changed: info.ModTime(), network: res.Network, sums: [2]sums{sumsOf(&res.Players[0]), sumsOf(&res.Players[1])}}
		d.card.Review, d.card.Changed, d.card.Name = idOf(name), info.ModTime().Unix(), cmp.Or(d.card.Name, name)
		return d, nil
	}}}
}

// idOf is the ID of a file that somebody else may have named.
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
