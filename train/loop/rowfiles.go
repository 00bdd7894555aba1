package loop

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/train/selfplay"
)

// rowFiles lists the files of self-play in a loop's folder. It keeps their headers, so listing
// them again is cheap.
type rowFiles struct {
	dir   string // folder of the loop
	seed  uint64
	known map[string]selfplay.FileInfo // files by path
}

func openRowFiles(dir string, seed uint64) *rowFiles {
	return &rowFiles{dir: dir, seed: seed, known: map[string]selfplay.FileInfo{}}
}

// list returns the files, oldest first, and an error for each unreadable one.
func (f *rowFiles) list() (list []selfplay.FileInfo, bad []error) {
	paths, err := filepath.Glob(filepath.Join(f.dir, "selfplay", "*", "tdata", "*.npz"))
	if err != nil {
		return nil, []error{err}
	}
	for _, path := range paths {
		d, ok := f.known[path]
		if !ok {
			if d, err = readDataFile(path, f.seed); err != nil {
				bad = append(bad, err)
				continue
			}
			f.known[path] = d
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b selfplay.FileInfo) int { return strings.Compare(filepath.Base(a.Path), filepath.Base(b.Path)) })
	return list, bad
}

// readDataFile describes a file. It keeps the IDs of games only if an exchange filed them.
func readDataFile(path string, seed uint64) (selfplay.FileInfo, error) {
	d, err := selfplay.ReadFileInfo(path)
	if d.Seed != exchangeSeed(seed) {
		d.IDs = nil
	}
	return d, err
}

func (f *rowFiles) clean() error {
	folders, err := filepath.Glob(filepath.Join(f.dir, "selfplay", "*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		if err := selfplay.CleanFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// stored returns the exchange's games in the files.
func (f *rowFiles) stored() []selfplay.Filed {
	var all []selfplay.Filed
	for _, d := range f.known {
		all = append(all, d.Filed()...)
	}
	return all
}

// surplus returns the oldest files, those not needed for the given number of rows.
func (f *rowFiles) surplus(most int) []selfplay.FileInfo {
	list, _ := f.list()
	for kept := 0; len(list) > 0 && kept < most; list = list[:len(list)-1] {
		kept += list[len(list)-1].Rows
	}
	return list
}

// remove removes files with their game records, and empty folders of earlier networks.
func (f *rowFiles) remove(files []selfplay.FileInfo, current string) error {
	for _, d := range files {
		folder := filepath.Dir(filepath.Dir(d.Path))
		games := filepath.Join(folder, "sgfs", strings.TrimSuffix(filepath.Base(d.Path), ".npz")+".sgfs")
		for _, path := range []string{d.Path, games} {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		delete(f.known, d.Path)
		if filepath.Base(folder) == current {
			continue
		}
		for _, empty := range []string{filepath.Join(folder, "tdata"), filepath.Join(folder, "sgfs"), folder} {
			_ = os.Remove(empty) // fails if the folder is not empty
		}
	}
	return nil
}
