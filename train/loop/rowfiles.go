package loop

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// dataFile is a file of self-play on disk.
type dataFile struct {
	path    string
	first   uint64
	games   int
	rows    int
	moves   int
	network string // network that played, or randomPlayer
	// ids identify the games of an exchange's players.
	ids []selfplay.Filed
}

// rowFiles lists the files of self-play in a loop's folder. It keeps their headers, so listing
// them again is cheap.
type rowFiles struct {
	dir   string // folder of the loop
	seed  uint64
	known map[string]dataFile // files by path
}

func openRowFiles(dir string, seed uint64) *rowFiles {
	return &rowFiles{dir: dir, seed: seed, known: map[string]dataFile{}}
}

// list returns the files, oldest first, and an error for each unreadable one.
func (f *rowFiles) list() (list []dataFile, bad []error) {
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
	slices.SortFunc(list, func(a, b dataFile) int { return strings.Compare(filepath.Base(a.path), filepath.Base(b.path)) })
	return list, bad
}

func readDataFile(path string, seed uint64) (dataFile, error) {
	f, err := rows.OpenFile(path)
	if err != nil {
		return dataFile{}, err
	}
	f.Close()
	d := dataFile{path: path, first: f.Info.First, games: f.Info.Games, rows: f.N, moves: f.Info.Moves, network: f.Info.Network}
	if f.Info.Seed == exchangeSeed(seed) {
		for _, id := range f.Info.IDs {
			d.ids = append(d.ids, selfplay.Filed{ID: selfplay.ID{Number: id[0], Fork: int(id[1])}, More: id[2] == 1})
		}
	}
	return d, nil
}

// clean removes the remains of a crash.
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
		all = append(all, d.ids...)
	}
	return all
}

// surplus returns the oldest files, those not needed for the given number of rows.
func (f *rowFiles) surplus(most int) []dataFile {
	list, _ := f.list()
	for kept := 0; len(list) > 0 && kept < most; list = list[:len(list)-1] {
		kept += list[len(list)-1].rows
	}
	return list
}

// remove removes files with their game records, and empty folders of earlier networks.
func (f *rowFiles) remove(files []dataFile, current string) error {
	for _, d := range files {
		folder := filepath.Dir(filepath.Dir(d.path))
		games := filepath.Join(folder, "sgfs", strings.TrimSuffix(filepath.Base(d.path), ".npz")+".sgfs")
		for _, path := range []string{d.path, games} {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		delete(f.known, d.path)
		if filepath.Base(folder) == current {
			continue
		}
		for _, empty := range []string{filepath.Join(folder, "tdata"), filepath.Join(folder, "sgfs"), folder} {
			_ = os.Remove(empty) // fails if the folder is not empty
		}
	}
	return nil
}
