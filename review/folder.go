package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/sgf"
)

// Folder is a folder of reviews: NAME.html, NAME.sgf and NAME.json of each game, and
// what was searched. Later reviews into the same folder resume from those searches.
type Folder struct{ dir string }

// The files of a folder that belong to no single game.
const (
	// DrillsName is the name of the problem set in a folder.
	DrillsName = "drills"
	mostFile   = 256 << 20
	// SearchesDir is in each folder of reviews.
	SearchesDir = "searches"
)

// OpenFolder makes the folder where there is none.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, SearchesDir), 0o755); err != nil {
		return nil, err
	}
	return &Folder{dir}, nil
}

// Searches is where stores belong, see [OpenStore].
func (f *Folder) Searches() string { return filepath.Join(f.dir, SearchesDir) }

// Path returns the name of a file of a game.
func (f *Folder) Path(name, ext string) string { return filepath.Join(f.dir, name+ext) }

// WriteHTML writes an HTML page, where the program can make one.
func (f *Folder) WriteHTML(name string, write func(io.Writer) error) error {
	if err := file.Write(f.Path(name, ".html"), write); !errors.Is(err, handout.ErrNotBuilt) {
		return err
	}
	return nil
}

// Write writes the three files of a game: page, record and data, which comes last
// and only where the others are there. application is named in the record. A program
// without the page's bundle writes no page, see [handout.Built].
func (f *Folder) Write(name string, g *Game, res *Result, application string) error {
	err := errors.Join(
		f.WriteHTML(name, func(w io.Writer) error { return WritePage(w, res) }),
		file.Write(f.Path(name, ".sgf"), func(w io.Writer) error { return sgf.Write(w, Annotated(g, res, application)) }),
	)
	if err != nil {
		return err
	}
	return file.Write(f.Path(name, ".json"), func(w io.Writer) error { return json.NewEncoder(w).Encode(res) })
}

// Read reads the review of a game.
func (f *Folder) Read(name string) (*Result, error) {
	data, err := file.ReadPlain(f.dir, name+".json", mostFile)
	if err != nil {
		return nil, err
	}
	res := new(Result)
	if err := json.Unmarshal(data, res); err != nil {
		return nil, fmt.Errorf("%s: not a review: %w", name, err)
	}
	if res.Version != Version || len(res.Positions) != len(res.Moves)+1 || res.Game.Width*res.Game.Height == 0 {
		return nil, fmt.Errorf("%s: not a review that this program reads", name)
	}
	return res, nil
}

// Names lists what may be reviews of games, in alphabetical order: [Folder.Read]
// tells.
func (f *Folder) Names() ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if ok && !e.IsDir() && name != "summary" && name != DrillsName {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Remove removes the files of a game. Its searches stay.
func (f *Folder) Remove(name string) error {
	var errs []error
	for _, ext := range []string{".json", ".html", ".sgf"} {
		if err := os.Remove(f.Path(name, ext)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
