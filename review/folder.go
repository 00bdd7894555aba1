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

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/sgf"
)

// Folder is a folder of reviews: NAME.html, NAME.sgf and NAME.json of each game, and the
// stores of searches, from which later reviews resume.
type Folder struct{ dir string }

// Names in a folder of reviews.
const (
	DrillsName  = "drills"   // name of the problem set, without extension
	SearchesDir = "searches" // the folder of stores
)

const mostFile = 256 << 20 // maximum size of a review file in bytes

func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, SearchesDir), 0o755); err != nil {
		return nil, err
	}
	return &Folder{dir}, nil
}

// Searches returns the folder of stores, see [OpenStore].
func (f *Folder) Searches() string { return filepath.Join(f.dir, SearchesDir) }

func (f *Folder) Path(name, ext string) string { return filepath.Join(f.dir, name+ext) }

// WriteHTML writes an HTML page. Without the page's bundle it does nothing, see
// [handout.Built].
func (f *Folder) WriteHTML(name string, write func(io.Writer) error) error {
	if err := file.Write(f.Path(name, ".html"), write); !errors.Is(err, handout.ErrNotBuilt) {
		return err
	}
	return nil
}

// Write writes the page, the record and then the data of a game. application becomes
// property AP of the record.
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

func (f *Folder) Read(name string) (*Result, error) {
	data, err := file.ReadPlain(f.dir, name+".json", mostFile)
	if err != nil {
		return nil, err
	}
	res, err := ReadResult(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return res, nil
}

// ReadResult reads a review as JSON.
func ReadResult(data []byte) (*Result, error) {
	res := new(Result)
	if err := json.Unmarshal(data, res); err != nil {
		return nil, fmt.Errorf("not a review: %w", err)
	}
	if !res.fits() {
		return nil, errors.New("not a review that this program reads")
	}
	return res, nil
}

// fits reports whether a result from a file is consistent, so that using it cannot fail.
func (r *Result) fits() bool {
	size := board.Size{W: r.Game.Width, H: r.Game.Height}
	if r.Version != Version || size.Check() != nil || len(r.Positions) != len(r.Moves)+1 {
		return false
	}
	for i := range r.Positions {
		if len(r.Positions[i].Stones) != size.Area() {
			return false
		}
	}
	for i := range r.Moves {
		if _, err := size.ParseVertex(r.Moves[i].Move); err != nil {
			return false
		}
	}
	for _, o := range r.Only {
		if o.Ply < 0 || o.Ply >= len(r.Moves) || len(o.Line) == 0 {
			return false
		}
	}
	return !slices.ContainsFunc(slices.Concat(r.Mistakes, r.Turning), func(t int) bool { return t < 0 || t >= len(r.Moves) })
}

// Names returns the names, without extension, of the files that may be reviews of games, in
// alphabetical order.
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

// Remove removes the files of a game, but not its searches.
func (f *Folder) Remove(name string) error {
	var errs []error
	for _, ext := range []string{".json", ".html", ".sgf"} {
		if err := os.Remove(f.Path(name, ext)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
