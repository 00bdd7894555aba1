package reviews

import (
	"crypto/sha256"
	"encoding/base32"
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
	done   map[string]finished
	byID   map[string]string // names of files
	read   struct {          // the result that was read last
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
	unread  error
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
	there := map[string]bool{}
	for _, name := range names {
		info, err := os.Lstat(a.folder.Path(name, ".json"))
		if err != nil {
			continue
		}
		there[name] = true
		if d, ok := a.done[name]; ok && d.changed.Equal(info.ModTime()) {
			continue
		}
		d := finished{changed: info.ModTime()}
		if res, err := a.folder.Read(name); err != nil {
			d.unread = err
		} else {
			d.card, d.network = cardOf(res), res.Network
			d.sums = [2]sums{sumsOf(&res.Players[0]), sumsOf(&res.Players[1])}
			d.card.Review, d.card.Changed = idOf(name), info.ModTime().Unix()
			if d.card.Name == "" {
				d.card.Name = name
			}
		}
		a.done[name] = d
		a.byID[idOf(name)] = name
	}
	for name := range a.done {
		if !there[name] {
			delete(a.done, name)
			delete(a.byID, idOf(name))
		}
	}
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
	version := name + a.done[name].changed.String()
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
