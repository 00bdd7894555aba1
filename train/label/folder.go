package label

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

type folder struct {
	dir         string
	files, rows int
	next        uint64          // number of the next file
	info        rows.Info       // header of the first file
	played      map[uint64]bool // numbers of the games in the folder
	reached     map[string]int  // index of the first unlabelled unit of each source file, by the file's sha256
}

// openFolder reads the headers of the files. An unreadable file is an error, since its positions
// are unknown.
func openFolder(dir string, log *slog.Logger) (*folder, error) {
	f := &folder{dir: dir, played: map[uint64]bool{}, reached: map[string]int{}}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		name, isRows := strings.CutSuffix(e.Name(), ".npz")
		if !isRows {
			continue
		}
		number, err := strconv.ParseUint(name, 16, 64)
		if err != nil || len(name) != 16 || number >= 1<<53 {
			return nil, bad("%s is not a file of labels: name a folder of its own", path)
		}
		r, err := selfplay.ReadFileInfo(path)
		if err != nil {
			return nil, fmt.Errorf("%w; remove the file to label its positions again", err)
		}
		f.add(number, &r.Info, r.Rows)
	}
	if f.files > 0 {
		log.Info("going on", "files", f.files, "labels", f.rows)
	}
	return f, nil
}

func (f *folder) add(number uint64, info *rows.Info, n int) {
	if f.files == 0 {
		f.info = *info
	}
	f.files++
	f.rows += n
	f.next = max(f.next, number+1)
	for _, id := range info.IDs {
		f.played[id[0]] = true
	}
	for _, o := range info.Origins {
		f.reached[o.SHA256] = max(f.reached[o.SHA256], o.From+o.N)
	}
}
