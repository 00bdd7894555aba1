package selfplay

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn/features"
	"kosumi/sgf"
	"kosumi/train/rows"
)

// Writer writes finished games into files: <folder>/tdata/<number>.npz with the rows, and
// <folder>/sgfs/<number>.sgfs with the games, one a line. The number, 16 hex digits, is how many games
// were filed before, so names sort by age. A file appears whole or not at all. Rows are written after
// their games, so rows without games do not occur.
type Writer struct {
	conf  WriterConfig
	info  rows.Info
	build *rows.Builder
	set   *rows.Set
	sgfs  strings.Builder
	rng   *rand.PCG
}

// Filing numbers the games in a folder in the order in which writers file them. One writer at a time files games.
type Filing struct {
	mu   sync.Mutex
	Next uint64 // number of the next game to be filed
}

// FileInfo describes a file of rows; First is the number of its first game in order of filing.
type FileInfo struct {
	rows.Info
	Path string
	Rows int
}

// ReadFileInfo reads the header of a file of rows.
func ReadFileInfo(path string) (FileInfo, error) {
	f, err := rows.OpenFile(path)
	if err != nil {
		return FileInfo{}, err
	}
	f.Close()
	return FileInfo{f.Info, path, f.N}, nil
}

// Filed names the games in the file.
func (f *FileInfo) Filed() (list []Filed) {
	for _, id := range f.IDs {
		list = append(list, Filed{ID{id[0], int(id[1])}, id[2] == 1})
	}
	return list
}

// WriterConfig describes where and how games are written.
type WriterConfig struct {
	Dir      string
	Encoding features.Encoding // encoding of the network to be trained
	Side     int               // side of the arrays
	PerFile  int               // games a file; 0 means 64
	Filing   *Filing           // shared with other writers; nil: the first game filed is number 0
	Network  string            // name of the network that plays, and the sha256 of its file
	SHA256   string
	Seed     uint64
	Settings Config
	// Written, if not nil, is called after each file.
	Written func(FileInfo)
}

// NewWriter makes the folders and removes game records without rows, which a crash may leave.
func NewWriter(c WriterConfig) (*Writer, error) {
	l := rows.Layout{Encoding: c.Encoding, Side: c.Side}
	b, err := rows.NewBuilder(l)
	if err != nil {
		return nil, err
	}
	c.PerFile, c.Filing = cmp.Or(c.PerFile, 64), cmp.Or(c.Filing, new(Filing))
	w := &Writer{conf: c, info: rows.Info{Seed: c.Seed}, build: b, set: rows.NewSet(l), rng: new(rand.PCG)}
	if err := w.SetSettings(c.Settings); err != nil {
		return nil, err
	}
	return w, w.SetNetwork(c.Dir, c.Network, c.SHA256)
}

// SetSettings sets the recipe that new files contain.
func (w *Writer) SetSettings(c Config) error {
	text, err := toml.Marshal(c)
	w.info.Settings = string(text)
	return err
}

// SetNetwork writes the games so far, and files new ones in another folder.
func (w *Writer) SetNetwork(dir, network, sha256 string) error {
	if err := w.Flush(); err != nil {
		return err
	}
	w.conf.Dir, w.info.Network, w.info.SHA256 = dir, network, sha256
	for _, sub := range []string{"tdata", "sgfs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	return CleanFolder(dir)
}

// CleanFolder removes the remains of a crash from a folder of self-play: temporary files, and game
// records without rows.
func CleanFolder(dir string) error {
	for _, sub := range []string{"tdata", "sgfs"} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !os.IsNotExist(err) { // one of the two may have been removed already
			return err
		}
		for _, f := range list {
			path := filepath.Join(dir, sub, f.Name())
			orphan := false
			if name, isSGF := strings.CutSuffix(f.Name(), ".sgfs"); isSGF {
				_, err := os.Stat(filepath.Join(dir, "tdata", name+".npz"))
				orphan = os.IsNotExist(err)
			}
			if orphan || strings.HasSuffix(f.Name(), ".tmp") {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Add adds a game and returns the number of its rows, which depend on the game alone.
func (w *Writer) Add(f *Finished) (int, error) {
	w.rng.Seed(f.Game.Hash[0], f.Game.Hash[1])
	n, err := w.build.Append(w.set, f.Game, rand.New(w.rng))
	if err != nil {
		return 0, err
	}
	if f.Changed {
		w.set.MarkChanged(w.set.N-n, w.set.N)
	}
	f.NoteIn(&w.info)
	if err := w.record(f); err != nil {
		return 0, err
	}
	if w.info.Games >= w.conf.PerFile {
		return n, w.Flush()
	}
	return n, nil
}

// NoteIn adds the game to the description of a file.
func (f *Finished) NoteIn(info *rows.Info) {
	id := [3]uint64{f.ID.Number, uint64(f.ID.Fork)}
	if f.More {
		id[2] = 1
	}
	info.Games++
	info.Moves += f.Final.NumMoves()
	info.IDs = append(info.IDs, id)
}

// Flush writes the games that are not in a file yet.
func (w *Writer) Flush() error {
	if w.info.Games == 0 {
		return nil
	}
	filing := w.conf.Filing
	filing.mu.Lock()
	defer filing.mu.Unlock()
	w.info.First = filing.Next
	name := fmt.Sprintf("%016x", w.info.First)
	w.set.Info = w.info
	if err := file.WriteBytes(filepath.Join(w.conf.Dir, "sgfs", name+".sgfs"), []byte(w.sgfs.String())); err != nil {
		return err
	}
	path := filepath.Join(w.conf.Dir, "tdata", name+".npz")
	if err := w.set.WriteFile(path); err != nil {
		return err
	}
	told := FileInfo{w.info, path, w.set.N}
	filing.Next += uint64(w.info.Games)
	w.Discard()
	if w.conf.Written != nil {
		w.conf.Written(told)
	}
	return nil
}

// Discard drops the games that are not in a file yet.
func (w *Writer) Discard() {
	w.info.Games, w.info.Moves, w.info.IDs = 0, 0, nil
	w.set.Reset()
	w.sgfs.Reset()
}

func (w *Writer) record(f *Finished) error {
	g := f.Final
	rules := g.Rules()
	r := sgf.Record{Size: g.Size(), Komi: float64(rules.Komi), HasKomi: true, Rules: rules.JSON(),
		Application: "Kosumi", Event: "self-play", Name: strconv.FormatUint(f.ID.Number, 10), Result: result(f)}
	r.Black.Name, r.White.Name = w.info.Network, w.info.Network
	r.Comment = fmt.Sprintf("startTurnIdx=%d,gameHash=%016X%016X,mode=%d,seed=%d,sha256=%s",
		f.Game.FirstTurn, f.Game.Hash[1], f.Game.Hash[0], f.Game.Mode, w.info.Seed, w.info.SHA256)
	start := f.Game.Start.NumMoves()
	comments := make([]string, g.NumMoves())
	for i := range f.Game.Turns {
		t := &f.Game.Turns[i]
		if t.HasRoot && start+i < len(comments) {
			comments[start+i] = fmt.Sprintf("%.2f %.2f %.2f %.1f v=%d weight=%.2f", t.Root.Win, t.Root.Loss, t.Root.NoResult, t.Root.Score, t.Visits, t.Weight)
		}
	}
	r.Steps = sgf.Steps(g.Moves(), comments)
	text, err := sgf.Marshal(r.Tree())
	if err != nil {
		return err
	}
	w.sgfs.WriteString(strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", ""))
	w.sgfs.WriteByte('\n')
	return nil
}

func result(f *Finished) string {
	e := &f.Game.End
	name := map[board.Color]string{board.Black: "B+", board.White: "W+"}
	switch {
	case e.NoResult:
		return "Void"
	case e.Winner == board.Empty:
		return "0"
	case !e.Scored:
		return name[e.Winner] + "R"
	}
	return sgf.ScoreResult(float64(e.Score))
}
