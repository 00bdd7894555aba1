package drill

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/review"
	"kosumi/sgf"
)

// Folder is a folder of reviews with a problem set and the answers to it.
type Folder struct{ *review.Folder }

func OpenFolder(dir string) (*Folder, error) {
	f, err := review.OpenFolder(dir)
	return &Folder{f}, err
}

// Drills reads the problem set; without a file it is empty.
func (f *Folder) Drills() (*Set, error) {
	file, err := os.Open(f.Path(review.DrillsName, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return &Set{Version: Version}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file)
}

// WriteDrills writes the problem set as JSON, as an HTML page and as a game record. It returns the
// JSON file's name.
func (f *Folder) WriteDrills(d *Set) (string, error) {
	d.Version = Version
	return f.Path(review.DrillsName, ".json"), errors.Join(
		file.WriteJSON(f.Path(review.DrillsName, ".json"), d, "  "),
		f.WriteHTML(review.DrillsName, func(w io.Writer) error { return WriteDrillPage(w, d) }),
		file.Write(f.Path(review.DrillsName, ".sgf"), func(w io.Writer) error { return sgf.Write(w, d.Trees()...) }),
	)
}

// Answers opens the file of answers to the problem set.
func (f *Folder) Answers() (*Log, error) {
	return OpenLog(AnswersFile(f.Path(review.DrillsName, ".json")))
}

// AnswersFile returns the default file of the answers to a problem set.
func AnswersFile(drills string) string {
	return strings.TrimSuffix(drills, filepath.Ext(drills)) + "-answers.jsonl"
}

// WriteDrillPage writes a self-contained HTML page that asks problems, see
// [review.WritePage].
func WriteDrillPage(w io.Writer, d *Set) error {
	return handout.Write(w, "Problems", review.Page{Kind: "drills", Loss: review.ClassBounds, Classes: review.Classes, Data: d})
}

// collector adds problems to the set of a folder.
type collector struct {
	*Set
	to *Folder
}

// CollectIn returns a collector of problems for the set of a folder.
func CollectIn(dir string) (review.Problems, error) {
	f, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	d, err := f.Drills()
	return &collector{d, f}, err
}

func (c *collector) Write() (file string, problems int, err error) {
	file, err = c.to.WriteDrills(c.Set)
	return file, len(c.Problems), err
}
