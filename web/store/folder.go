// Package store keeps the files of a server in one folder, which one server at a time holds: games
// against the engine, game trees that people edit, and the player's profile. A change is on the
// disk before the call returns. The package does not use the engine.
//
// A game is a journal of steps ([Journal]) with an SGF file beside it; [Game] is the state
// that its steps lead to. A [Document] is an SGF file.
//
// Lock order: a Document's mu, then Documents.mu.
package store

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/internal/file"
)

// ErrTaken is the error for a folder that another server uses; see [TakenError].
var ErrTaken = errors.New("a server is already running for this folder")

// TakenError names the page of the server that has the folder.
type TakenError struct{ Address string }

// Error says where the other server is.
func (e *TakenError) Error() string { return fmt.Sprintf("%v: %s", ErrTaken, e.Address) }

// Unwrap returns ErrTaken.
func (e *TakenError) Unwrap() error { return ErrTaken }

// DefaultFolder is the folder of games unless another is configured: KOSUMI_HOME if it is set, else [file.Config].
func DefaultFolder() (string, error) {
	if dir := os.Getenv("KOSUMI_HOME"); dir != "" {
		return dir, nil
	}
	return file.Config()
}

// Folder is the folder of a server: it holds a lock, the server's address, games and documents.
type Folder struct {
	Dir  string
	hold *file.Hold
}

// addressFile holds a server's address, for the next server.
type addressFile struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
}

// OpenFolder makes the folder if needed, and locks it. Errors wrap [ErrTaken] if another server
// has it.
func OpenFolder(dir string) (*Folder, error) {
	for _, sub := range []string{"", "games", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("the folder for games cannot be made: %w", err)
		}
	}
	f := &Folder{Dir: dir}
	var err error
	if f.hold, err = file.LockFolder(dir); errors.Is(err, file.ErrTaken) {
		return nil, &TakenError{Address: f.address().Address}
	}
	return f, err
}

// Close releases the folder.
func (f *Folder) Close() error { return f.hold.Release() }

func (f *Folder) address() addressFile {
	var a addressFile
	if data, err := file.ReadPlain(f.Dir, "address.json", 1<<10); err == nil {
		json.Unmarshal(data, &a) // a damaged file is ignored
	}
	return a
}

// LastPort is the port of the last server on this folder, 0 if it is not known.
func (f *Folder) LastPort() int { return f.address().Port }

// KeepAddress stores the address for the next server.
func (f *Folder) KeepAddress(address string, port int) error {
	data, err := json.Marshal(addressFile{address, port})
	if err != nil {
		return err
	}
	return file.WritePrivate(filepath.Join(f.Dir, "address.json"), data)
}

// Path returns the name of a file of this folder; id must be valid.
func (f *Folder) Path(kind, id, ext string) string { return filepath.Join(f.Dir, kind, id+ext) }

// Read returns the content of a file of this folder. id must be valid; most is the limit of the
// file's size, in bytes.
func (f *Folder) Read(kind, id, ext string, most int64) ([]byte, error) {
	return file.ReadPlain(filepath.Join(f.Dir, kind), id+ext, most)
}

// files returns the files of a kind, by ID.
func (f *Folder) files(kind, ext string) (map[string]fs.FileInfo, error) {
	entries, err := os.ReadDir(filepath.Join(f.Dir, kind))
	if err != nil {
		return nil, err
	}
	all := make(map[string]fs.FileInfo, len(entries))
	for _, e := range entries {
		id, ok := ParseName(e.Name(), ext)
		if info, err := e.Info(); ok && err == nil { // otherwise the file is gone
			all[id] = info
		}
	}
	return all, nil
}

// MaxListed is the maximum number of files in a list.
const MaxListed = 60

// Newest returns the IDs of the most recently changed files of a kind, up to the given number.
func (f *Folder) Newest(kind, ext string, most int) ([]string, error) {
	files, err := f.files(kind, ext)
	ids := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return files[b].ModTime().Compare(files[a].ModTime()) })
	return ids[:min(most, len(ids))], err
}

// NewID returns 128 random bits as text that can be a file name.
func NewID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b))
}

// ValidID reports whether text can be an ID. Text from a client becomes part of a path only if it
// is valid.
func ValidID(text string) bool {
	return len(text) == 26 && !strings.ContainsFunc(text, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '2' || c > '7') })
}

// ParseName returns the ID in the name of a file; false if the name has none.
func ParseName(file, ext string) (string, bool) {
	id, ok := strings.CutSuffix(file, ext)
	return id, ok && ValidID(id)
}

// Pauses between attempts to write to a failing disk.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 4 * time.Second
)

// LongerPause returns the pause after another failed try; pause is the last pause, 0 at first.
func LongerPause(pause time.Duration) time.Duration { return min(max(2*pause, firstPause), lastPause) }
