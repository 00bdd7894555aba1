package store

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kosumi/internal/file"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Bounds of a backup.
const (
	MaxBackup    = 256 << 20 // bytes of the file
	mostUnpacked = 2 << 30   // size of all files in the backup when unpacked, in bytes
	mostEntries  = 200_000
)

const (
	backupVersion = 1
	manifestName  = "kosumi.json"
)

// Manifest is the first file of a backup.
type Manifest struct {
	Version  int             `json:"version"`
	By       string          `json:"by"` // version of the program
	Made     time.Time       `json:"made"`
	Persons  []string        `json:"persons"` // the player's random names
	Names    []string        `json:"names,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"` // settings of the page
}

// Saved describes the files of one kind in a backup. They are named Dir + ID + Ext; if Dir is empty,
// there is one file, named Ext. Files are not restored if Merge is nil.
type Saved struct {
	Kind     string // the kind under which new items are counted
	Dir, Ext string
	Named    bool  // IDs are names given by people
	Most     int64 // maximum size of a file, in bytes
	IDs      func() ([]string, error)
	Path     func(id string) string // path of the file on this server
	Name     func(id string) string // name in the backup, in place of Dir + ID + Ext
	// Merge returns how many items a file of a backup has, and how many of them are missing here.
	// If do is true, it restores the missing ones. An [api.Error] ends the restore; any other error
	// means that this file is damaged.
	Merge func(e Entry, do bool) (fresh, all int, err error)
}

// Entry is a file of a backup. Beside returns the file with the same ID and another ending.
type Entry struct {
	ID      string
	Data    []byte
	Changed time.Time
	Beside  func(ext string) ([]byte, error)
}

// id returns the ID in the name of a file of this kind.
func (k *Saved) id(name string) (string, bool) {
	if k.Merge == nil || k.Dir == "" {
		return "", k.Merge != nil && name == k.Ext
	}
	name, ok := strings.CutPrefix(name, k.Dir)
	if id, cut := strings.CutSuffix(name, k.Ext); ok && cut && (ValidID(id) || k.Named && id != "" && !strings.Contains(id, "/")) {
		return id, true
	}
	return "", false
}

// read returns the content of a file on this server, and the time of its last change.
func (k *Saved) read(id string) (data []byte, changed time.Time, err error) {
	path := k.Path(id)
	info, err := os.Stat(path)
	if err == nil {
		data, err = file.ReadPlain(filepath.Dir(path), filepath.Base(path), k.Most)
		changed = info.ModTime()
	}
	return data, changed, err
}

// WriteBackup writes a ZIP of all files. A text file in the ZIP names the files that cannot be
// read.
func WriteBackup(w io.Writer, m Manifest, kinds []Saved) error {
	m.Version, m.Made = backupVersion, time.Now().Round(time.Second)
	z := zip.NewWriter(w)
	add := func(name string, at time.Time, data []byte) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at})
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	head, err := json.Marshal(m)
	if err == nil {
		err = add(manifestName, m.Made, head)
	}
	var missing []string
	for i := range kinds {
		k := &kinds[i]
		ids := []string{""}
		if err == nil && k.IDs != nil {
			ids, err = k.IDs()
		}
		for _, id := range ids {
			if err != nil {
				return err
			}
			name := k.Dir + id + k.Ext
			if k.Name != nil {
				name = k.Name(id)
			}
			switch data, at, failed := k.read(id); {
			case errors.Is(failed, fs.ErrNotExist): // for example the record of a game without a move
			case failed != nil:
				missing = append(missing, fmt.Sprintf("%s: %v\n", name, failed))
			default:
				err = add(name, at, data)
			}
		}
	}
	if err == nil && len(missing) > 0 {
		err = add("not-read.txt", m.Made, []byte(strings.Join(missing, "")))
	}
	return errors.Join(err, z.Close())
}

// Backup is an open ZIP. If Manifest is nil, the ZIP is not a backup, but may hold game records.
type Backup struct {
	Manifest *Manifest
	files    []*zip.File
	byName   map[string]*zip.File
}

// OpenBackup reads the list of files of a ZIP. Errors are refusals: a torn file, a newer version, or
// names and sizes that Kosumi never writes.
func OpenBackup(data []byte) (*Backup, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, api.Tell("bad_request", "backup_torn")
	}
	b := &Backup{files: z.File, byName: map[string]*zip.File{}}
	size, odd := uint64(0), ""
	for _, f := range z.File {
		key := strings.ToLower(f.Name)
		if b.byName[key] != nil || !fs.ValidPath(strings.TrimSuffix(f.Name, "/")) || strings.Contains(f.Name, `\`) {
			odd = f.Name
		}
		b.byName[key] = f
		size += min(f.UncompressedSize64, mostUnpacked+1)
	}
	if size > mostUnpacked || len(z.File) > mostEntries {
		return nil, api.Tell("limit", "backup_large", "n", mostUnpacked>>20)
	}
	head := b.byName[manifestName]
	if head == nil {
		return b, nil
	}
	text, err := readEntry(head, 1<<20)
	m := new(Manifest)
	if err != nil || json.Unmarshal(text, m) != nil || m.Version < 1 {
		return nil, api.Tell("bad_request", "backup_torn")
	}
	if m.Version > backupVersion {
		return nil, api.Tell("unsupported", "backup_newer", "by", wire.Shown(m.By, 40))
	}
	if odd != "" {
		return nil, api.Tell("bad_request", "backup_odd", "name", wire.Shown(odd, 80))
	}
	b.Manifest = m
	return b, nil
}

// readEntry unpacks a file. most is the limit of its size, in bytes.
func readEntry(f *zip.File, most int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(most) || f.Flags&1 != 0 {
		return nil, fmt.Errorf("encrypted, or more than %d bytes", most)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, most+1)) // zip compares the length and checksum
}

// Records calls f for each game record in a ZIP; err is set if one is damaged or larger than most bytes.
func (b *Backup) Records(most int64, f func(name string, data []byte, err error)) {
	for _, z := range b.files {
		if strings.HasSuffix(strings.ToLower(z.Name), ".sgf") && !strings.HasPrefix(z.Name, "__MACOSX/") {
			data, err := readEntry(z, most)
			f(z.Name, data, err)
		}
	}
}

// Merge compares all files with those here. If do is true, it restores the new items. It counts the
// new items and all items by kind, and names files that are damaged and left out. Errors are
// refusals.
func (b *Backup) Merge(kinds []Saved, do bool) (fresh, all map[string]int, damaged []string, err error) {
	fresh, all = map[string]int{}, map[string]int{}
	for i := range kinds {
		k := &kinds[i]
		for _, f := range b.files {
			id, ok := k.id(f.Name)
			if !ok {
				continue
			}
			data, err := readEntry(f, k.Most)
			n, of := 0, 0
			if err == nil {
				n, of, err = k.Merge(Entry{id, data, f.Modified, func(ext string) ([]byte, error) {
					other := b.byName[k.Dir+id+ext]
					if other == nil {
						return nil, fs.ErrNotExist
					}
					return readEntry(other, k.Most)
				}}, do)
			}
			if refusal := new(api.Error); errors.As(err, refusal) {
				return fresh, all, damaged, err
			}
			if err != nil {
				damaged = append(damaged, f.Name)
			}
			fresh[k.Kind] += n
			all[k.Kind] += of
		}
	}
	return fresh, all, damaged, nil
}
