package label

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/sgf"
	"kosumi/train/rows"
)

// files is a source of existing positions: rows and game records. A file is identified by its
// content, not by its name.
type files struct {
	run   *run
	paths []string // yet to be opened
	open  *opened
	fits  map[board.Size]error // nil if the teacher serves the size, else the reason
}

// opened is the file that is being read.
type opened struct {
	path, sum string
	at, end   int        // next unit, and number of units: rows, or games
	rows      *rows.File // rows of an npz file
	games     []*sgf.Node
}

func (r *run) openSources() (source, error) {
	for _, from := range r.From {
		if _, err := os.Stat(from); err != nil {
			return nil, bad("sources to label: %w", err)
		}
		if inside(r.Out, from) {
			return nil, bad("%s is labelled, and the labels would go there too: name another folder", from)
		}
	}
	paths, err := rows.ListFolders(r.From...)()
	if err != nil {
		return nil, bad("%w", err)
	}
	if len(paths) == 0 {
		return nil, bad("no file of rows (.npz) or game records (.sgf, .sgfs) is there to be labelled")
	}
	slices.Sort(paths)
	return &files{run: r, paths: paths, fits: map[board.Size]error{}}, nil
}

func inside(dir, other string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir, err := filepath.Abs(dir)
	for err == nil && !file.Same(dir, other) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return err == nil && file.Same(dir, other)
}

// next fills a chunk from one source file after another, while their rows have the same layout.
func (f *files) next(ctx context.Context, labels int) (*chunk, error) {
	c := new(chunk)
	for more := true; more && len(c.lessons) < labels && (f.open != nil || len(f.paths) > 0) && ctx.Err() == nil; {
		var err error
		if f.open == nil {
			err = f.advance()
		} else {
			more, err = f.fill(c, labels)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(c.units) == 0 {
		return nil, nil
	}
	return c, nil
}

// advance opens the next file at its first unit without a label. It skips an unreadable or
// damaged file with a warning.
func (f *files) advance() error {
	path := f.paths[0]
	f.paths = f.paths[1:]
	o, err := openSource(path)
	if err != nil {
		f.leaveOut(1, err)
		return nil
	}
	if o.at = f.run.dir.reached[o.sum]; o.at > 0 {
		f.run.known = true
	}
	if o.rows != nil && o.at < o.end {
		if _, err := o.rows.Read(o.end-1, 1); err != nil { // this checks the sums of all rows
			f.leaveOut(1, err)
			o.at = o.end
		}
	}
	if o.at >= o.end {
		return o.close()
	}
	f.open = o
	return nil
}

func (f *files) leaveOut(n int, err error) {
	f.run.report.LeftOut += n
	f.run.Log.Warn("left out", "error", err)
}

func openSource(path string) (*opened, error) {
	sum, err := file.SHA256(path)
	if err != nil {
		return nil, err
	}
	o := &opened{path: path, sum: sum}
	if strings.EqualFold(filepath.Ext(path), ".npz") {
		if o.rows, err = rows.OpenFile(path); err == nil {
			o.end = o.rows.N
		}
		return o, err
	}
	o.games, err = sgf.ReadFile(path)
	o.end = len(o.games)
	return o, err
}

func (o *opened) close() error {
	if o.rows != nil {
		return o.rows.Close()
	}
	return nil
}

// fill adds units of the open file to a chunk. more is false if the next unit's layout differs from the chunk's.
func (f *files) fill(c *chunk, labels int) (more bool, err error) {
	o := f.open
	if o.rows != nil {
		more, err = f.fillRows(c, labels-len(c.lessons))
	} else {
		more, err = f.fillGames(c, labels)
	}
	if err == nil && o.at >= o.end {
		f.open = nil
		err = o.close()
	}
	return more, err
}

func (f *files) fillRows(c *chunk, most int) (more bool, err error) {
	o := f.open
	if len(c.units) > 0 && c.layout != o.rows.Layout {
		return false, nil
	}
	c.layout = o.rows.Layout
	if len(c.units) == 0 {
		c.info.Network, c.info.SHA256 = o.rows.Info.Network, o.rows.Info.SHA256
	}
	set, err := o.rows.Read(o.at, min(most, o.end-o.at))
	if err != nil {
		return false, err
	}
	for i := range set.N {
		err := set.Check(i)
		var shown *nn.Encoded
		var game *board.Game
		var banned []board.Point
		if err == nil {
			shown, game, banned, err = set.Position(i)
		}
		if err == nil {
			err = f.serves(game.Size())
		}
		if err == nil {
			if spec, _ := f.run.Teacher.Spec(game.Size()); spec.Encoding != shown.Encoding {
				return false, bad("%s: the rows are %v and the teacher reads %v: label the records of these games", o.path, shown.Encoding, spec.Encoding)
			}
		}
		u := unit{file: o.note(o.at)}
		if err != nil {
			f.leaveOut(1, fmt.Errorf("%s: %w", o.path, err))
		} else {
			u.lessons = 1
			c.lessons = append(c.lessons, lesson{game: game, shown: shown, banned: banned, rows: set, row: i})
		}
		c.units = append(c.units, u)
		o.at++
	}
	return true, nil
}

// fillGames adds games until the chunk has enough labels.
func (f *files) fillGames(c *chunk, labels int) (more bool, err error) {
	o, side := f.open, 0
	for ; o.at < o.end && len(c.lessons) < labels; o.at++ {
		g, err := rows.FromRecord(o.games[o.at])
		if err == nil {
			size := g.Start.Size()
			side, err = max(size.W, size.H), f.serves(size)
		}
		if err == nil && len(c.units) > 0 && c.layout.Side > 0 && c.layout != (rows.Layout{Encoding: f.run.Encoding, Side: side}) {
			return false, nil // a board size other than the chunk's
		}
		file := o.note(o.at)
		if err != nil {
			f.leaveOut(1, fmt.Errorf("%s: game %d: %w", o.path, o.at+1, err))
			c.units = append(c.units, unit{file: file})
			continue
		}
		c.layout = rows.Layout{Encoding: f.run.Encoding, Side: side}
		if err := c.addGame(g, &f.run.Config, file); err != nil {
			return false, err
		}
	}
	return true, nil
}

// serves returns an error if the teacher does not serve a board size. It remembers the answer.
func (f *files) serves(size board.Size) error {
	err, known := f.fits[size]
	if !known {
		err = fit(f.run.Teacher, size)
		f.fits[size] = err
	}
	return err
}

// note returns a function that records a unit of this file in the info of a label file.
func (o *opened) note(at int) func(*rows.Info) {
	name, sum := filepath.Base(o.path), o.sum
	return func(info *rows.Info) {
		if n := len(info.Origins); n > 0 && info.Origins[n-1].SHA256 == sum && info.Origins[n-1].From+info.Origins[n-1].N == at {
			info.Origins[n-1].N++
			return
		}
		info.Origins = append(info.Origins, rows.Origin{Name: name, SHA256: sum, From: at, N: 1})
	}
}
