package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kosumi/internal/file"
)

// ErrTaken says that another server has the folder; the error's text is where.
var ErrTaken = errors.New("a server is already running for this folder")

// TakenError names the page of the server that has the folder.
type TakenError struct{ Address string }

// Error says where the other server is.
func (e *TakenError) Error() string { return fmt.Sprintf("%v: %s", ErrTaken, e.Address) }

// Unwrap returns ErrTaken.
func (e *TakenError) Unwrap() error { return ErrTaken }

// store is the folder of a server: its lock, its address, games and documents.
type store struct {
	dir  string
	hold *file.Hold
}

// addressFile is what a server leaves for the next one.
type addressFile struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
}

func openStore(dir string) (*store, error) {
	for _, sub := range []string{"", "games", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("the folder for games cannot be made: %w", err)
		}
	}
	st := &store{dir: dir}
	var err error
	if st.hold, err = file.LockFolder(dir); errors.Is(err, file.ErrTaken) {
		return nil, &TakenError{Address: st.address().Address}
	}
	return st, err
}

func (st *store) close() error { return st.hold.Release() }

func (st *store) address() addressFile {
	var a addressFile
	if data, err := file.ReadPlain(st.dir, "address.json", 1<<10); err == nil {
		json.Unmarshal(data, &a) // a damaged file is as good as none
	}
	return a
}

func (st *store) lastPort() int { return st.address().Port }

func (st *store) keepAddress(address string, port int) error {
	data, err := json.Marshal(addressFile{address, port})
	if err != nil {
		return err
	}
	return file.WritePrivate(filepath.Join(st.dir, "address.json"), data)
}

// path returns the name of a file of this store; id must be valid.
func (st *store) path(kind, id, ext string) string { return filepath.Join(st.dir, kind, id+ext) }

// read returns what a file of this store holds, most bytes at the most; id must be
// valid.
func (st *store) read(kind, id, ext string, most int64) ([]byte, error) {
	return file.ReadPlain(filepath.Join(st.dir, kind), id+ext, most)
}

// list returns the IDs of all files of a kind.
func (st *store) list(kind, ext string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(st.dir, kind))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := trimExt(e.Name(), ext); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// newest returns the IDs of the files of a kind that changed last.
func (st *store) newest(kind, ext string, most int) ([]string, error) {
	ids, err := st.list(kind, ext)
	if err != nil {
		return nil, err
	}
	at := map[string]time.Time{}
	for _, id := range ids {
		if info, err := os.Stat(st.path(kind, id, ext)); err == nil {
			at[id] = info.ModTime()
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return at[b].Compare(at[a]) })
	return ids[:min(most, len(ids))], nil
}
