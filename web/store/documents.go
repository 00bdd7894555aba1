package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Documents are the documents of one server. Make them with [NewDocuments].
type Documents struct {
	*Shelf[*Document]
	pages *wire.Hub

	mu     sync.Mutex
	places map[string]int // current nodes of closed documents
	cards  Cache[api.DocCard]
}

// NewDocuments returns the documents in a folder.
func NewDocuments(f *Folder, p *wire.Hub, w *wire.Warnings) *Documents {
	ds := &Documents{pages: p, places: map[string]int{}, cards: Cache[api.DocCard]{Read: func(id string, info fs.FileInfo) (api.DocCard, error) {
		d, err := readDocument(f, id, info)
		if err != nil {
			return api.DocCard{}, api.Refuse("not_found", "%v", err)
		}
		return d.card(), nil
	}}}
	ds.Shelf = NewShelf(f, w, "docs", ".sgf", "document", ds.read)
	return ds
}

// lock opens a document and locks its mu for the caller.
func (ds *Documents) lock(id string) (*Document, error) {
	for {
		d, err := ds.Open(id)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		if !d.left {
			return d, nil
		}
		d.mu.Unlock()
	}
}

// readDocument reads a document from its file, whose state is info.
func readDocument(f *Folder, id string, info fs.FileInfo) (*Document, error) {
	data, err := f.Read("docs", id, ".sgf", wire.MaxSGF)
	if err != nil {
		return nil, err
	}
	d, err := parseDocument(id, data)
	if err == nil {
		d.changed = info.ModTime()
	}
	return d, err
}

// read opens a document.
func (ds *Documents) read(id string) (*Document, error) {
	info, err := os.Stat(ds.folder.Path("docs", id, ".sgf"))
	if err != nil {
		return nil, err
	}
	d, err := readDocument(ds.folder, id, info)
	if err != nil {
		return nil, err
	}
	d.home = ds
	ds.mu.Lock()
	d.at = ds.places[id]
	ds.mu.Unlock()
	return d, nil
}

// New makes a document from record, else from SGF text, else an empty one. If the game in record
// already has a document, New adds the game's further moves to that document and returns its ID.
func (ds *Documents) New(n *api.NewDoc, record *sgf.Node) (a api.ID, err error) {
	if n.SGF != "" && record == nil {
		made, err := ds.Import([]byte(n.SGF))
		return api.ID{ID: made.ID, Known: made.Known}, api.BadRequest(err)
	}
	root := record
	if root == nil {
		root, err = emptyTree(n)
	}
	var d *Document
	if err == nil {
		d, err = newDocument(NewID(), root)
	}
	if err != nil {
		return a, api.Refuse("bad_request", "%v", err)
	}
	if record != nil {
		d.at = d.lastOfMainLine()
		if a.ID = ds.twin(d, true); a.ID != "" {
			a.Known = true
			return a, nil
		}
	}
	return api.ID{ID: d.id}, ds.add(d)
}

// Import makes a document of the first game of a file, or names the existing document of that game.
func (ds *Documents) Import(data []byte) (a api.Imported, err error) {
	d, err := parseDocument(NewID(), data)
	if err != nil {
		return a, err
	}
	if id := ds.twin(d, false); id != "" {
		return api.Imported{Kind: "doc", ID: id, Known: true}, nil
	}
	return api.Imported{Kind: "doc", ID: d.id}, ds.add(d)
}

// add saves a new document and lists it.
func (ds *Documents) add(d *Document) error {
	d.home = ds
	if err := d.save(); err != nil {
		return api.NotSaved(err)
	}
	ds.Put(d.id, d)
	ds.publishList()
	return nil
}

// Delete removes a document with its file.
func (ds *Documents) Delete(v *api.ID) error {
	d, err := ds.lock(v.ID)
	if err != nil {
		return err
	}
	err = os.Remove(ds.folder.Path("docs", v.ID, ".sgf"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err == nil {
		d.left = true
		ds.Drop(v.ID)
	}
	d.mu.Unlock()
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	ds.publishList()
	return nil
}

// manyNodes is the number of nodes above which [Documents.Release] returns their memory to the
// system.
const manyNodes = 50_000

// Release closes documents that no page has watched for wire.AloneFor. An edited document stays
// open: reading it again would change the IDs of its nodes.
func (ds *Documents) Release(now time.Time, watched map[string]bool) {
	freed := 0
	for id, d := range ds.All() {
		d.mu.Lock()
		switch {
		case watched["doc:"+id]:
			d.alone = time.Time{}
		case d.alone.IsZero():
			d.alone = now
		case now.Sub(d.alone) > wire.AloneFor && d.rev == 0:
			d.left = true
			ds.mu.Lock()
			ds.places[id] = d.at
			ds.mu.Unlock()
			ds.Drop(id)
			freed += len(d.nodes)
		}
		d.mu.Unlock()
	}
	if freed > manyNodes {
		debug.FreeOSMemory()
	}
}

// List returns the newest documents. It opens none.
func (ds *Documents) List() (*api.Docs, error) {
	open := ds.All()
	cards, unread, err := List(ds.Shelf, func(id string) (api.DocCard, error) {
		if d, ok := open[id]; ok {
			return d.card(), nil
		}
		info, err := os.Stat(ds.folder.Path("docs", id, ".sgf"))
		if err != nil {
			return api.DocCard{}, err
		}
		ds.mu.Lock()
		defer ds.mu.Unlock()
		return ds.cards.Get(id, info)
	})
	return &api.Docs{Docs: cards, Unread: unread}, err
}

func (ds *Documents) publishList() {
	if !ds.pages.Watched("docs") {
		return
	}
	if list, err := ds.List(); err == nil {
		ds.pages.Publish("docs", api.DocsNews.Of(*list))
	}
}

// SGF returns a document as SGF, and the present time.
func (ds *Documents) SGF(id string) (data []byte, at time.Time, err error) {
	d, err := ds.Open(id)
	if err != nil {
		return nil, at, err
	}
	data, _, err = d.Record()
	return data, time.Now(), err
}

// Saved describes the documents in a backup. When a backup is restored, the newer version of each
// document is kept.
func (ds *Documents) Saved() Saved {
	return Saved{Kind: "docs", Dir: "docs/", Ext: ".sgf", Most: wire.MaxSGF,
		IDs: func() ([]string, error) {
			files, err := ds.folder.files("docs", ".sgf")
			return slices.Sorted(maps.Keys(files)), err
		},
		Path:  func(id string) string { return ds.folder.Path("docs", id, ".sgf") },
		Merge: ds.merge}
}

func (ds *Documents) merge(e Entry, do bool) (fresh, all int, err error) {
	d, err := parseDocument(e.ID, e.Data)
	if err != nil {
		return 0, 1, errors.New("not a game record")
	}
	path := ds.folder.Path("docs", e.ID, ".sgf")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if ds.twin(d, false) != "" {
			return 0, 1, nil
		}
	case err != nil:
		return 0, 1, api.NotSaved(err)
	case !e.Changed.After(info.ModTime()):
		return 0, 1, nil
	default:
		here, err := ds.folder.Read("docs", e.ID, ".sgf", wire.MaxSGF)
		if err == nil && bytes.Equal(here, e.Data) {
			return 0, 1, nil
		}
	}
	if !do {
		return 1, 1, nil
	}
	open, absent := ds.lock(e.ID)
	if absent == nil {
		defer open.mu.Unlock()
	}
	if err := file.WritePrivate(path, e.Data); err != nil {
		return 0, 1, api.NotSaved(err)
	}
	if absent == nil {
		open.left = true
		ds.Drop(e.ID)
	}
	_ = os.Chtimes(path, e.Changed, e.Changed) // otherwise the document counts as changed now
	return 1, 1, nil
}
