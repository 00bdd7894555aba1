package selfplay

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/train/rows"
)

// Positions starts some games at positions of game records, such as games lost to an opponent that saw
// more than the network (like KataGo's start and hint positions, cpp/configs/training). Only the
// position is used; the network learns its value by playing on.
type Positions struct {
	// Records are files and folders of game records, .sgf and .sgfs. Relative paths are relative
	// to the folder given to [Config.LoadPositions].
	Records []string `toml:"records" json:"-"`
	// Share is the fraction of the games, 0 to 1, that begin at a position.
	Share float64 `toml:"share" range:"0 to 1"`
	// From and To bound the place of a position in its game, from 0 (empty board) to 1 (the last
	// move but one). All turns in between are equally likely.
	From float64 `toml:"from" range:"0 to 1"`
	To   float64 `toml:"to" range:"0 to 1"`

	// Lines are the moves of the records. They are sent to other machines with the recipe.
	Lines []Line `toml:"-" json:"lines,omitempty"`
}

// Line is a game as a list of moves: Black begins on the empty board and turns alternate.
type Line struct {
	Width  int    `json:"w"`
	Height int    `json:"h"`
	Moves  []byte `json:"m"` // policy indices of two bytes each, little-endian; no passes
}

// maxLineMoves bounds the moves of all lines, to keep the recipe small.
const maxLineMoves = 150_000

// LoadPositions reads the records, up to the first pass of each; relative names are below dir. It skips records
// on boards that the recipe does not play, with stones set up, with two moves of a colour in a row or with fewer
// than two moves. If the rest has too many moves, it keeps an evenly spread selection. It returns how many records it
// left out. With a share of 0 it reads nothing.
func (c *Config) LoadPositions(dir string) (left int, err error) {
	p := &c.Positions
	if p.Share == 0 || len(p.Records) == 0 {
		return 0, nil
	}
	var roots []string
	for _, name := range p.Records {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		roots = append(roots, name)
	}
	paths, err := rows.ListFolders(roots...)()
	if err != nil {
		return 0, fmt.Errorf("positions: %w", err)
	}
	slices.Sort(paths)
	p.Lines = nil
	moves := 0
	for _, path := range paths {
		if !strings.HasPrefix(filepath.Ext(path), ".sgf") {
			continue
		}
		games, err := sgf.ReadFile(path)
		if err != nil {
			return 0, fmt.Errorf("positions: %w", err)
		}
		for _, root := range games {
			line, ok := c.lineOf(root)
			if !ok {
				left++
				continue
			}
			p.Lines = append(p.Lines, line)
			moves += line.len()
		}
	}
	if moves > maxLineMoves {
		kept := thin(p.Lines, float64(maxLineMoves)/float64(moves))
		left += len(p.Lines) - len(kept)
		p.Lines = kept
	}
	if len(p.Lines) == 0 {
		return left, fmt.Errorf("positions: no game to begin from in %s (%d left out: another board size, stones set up, or no moves)",
			strings.Join(roots, ", "), left)
	}
	return left, nil
}

// lineOf reads the moves of a record, and reports whether games can begin from it.
func (c *Config) lineOf(root *sgf.Node) (Line, bool) {
	record, err := sgf.RecordOf(root)
	if err != nil || record.Setup != nil || !c.plays(record.Size) {
		return Line{}, false
	}
	line := Line{Width: record.Size.W, Height: record.Size.H}
	next := board.Black
	for _, s := range record.Steps {
		if s.Setup != nil || s.Move.Color != next {
			return Line{}, false
		}
		if s.Move.Point == board.Pass {
			break
		}
		line.Moves = binary.LittleEndian.AppendUint16(line.Moves, uint16(record.Size.Index(s.Move.Point)))
		next = next.Opponent()
	}
	return line, line.len() > 1
}

func (c *Config) plays(size board.Size) bool {
	return slices.ContainsFunc(c.Boards, func(b BoardShare) bool { return b.Size() == size && b.Share > 0 })
}

// thin keeps a share of lines, evenly spread.
func thin(lines []Line, share float64) []Line {
	var kept []Line
	for i, l := range lines {
		if math.Floor(float64(i+1)*share) > math.Floor(float64(i)*share) {
			kept = append(kept, l)
		}
	}
	return kept
}

func (l *Line) len() int { return len(l.Moves) / 2 }

// game plays the first n moves, or as many as the rules allow.
func (l *Line) game(rules board.Rules, n int) (*board.Game, error) {
	size := board.Size{W: l.Width, H: l.Height}
	g, err := board.NewGame(size, rules)
	if err != nil {
		return nil, err
	}
	for i := range min(n, l.len()) {
		if g.Play(g.ToMove(), size.FromIndex(int(binary.LittleEndian.Uint16(l.Moves[2*i:])))) != nil {
			break // a ko that these rules forbid
		}
	}
	return g, nil
}

func (p *Positions) validate(c *Config) (errs []error) {
	if p.Share > 0 && len(p.Records) == 0 && len(p.Lines) == 0 {
		errs = append(errs, fmt.Errorf("positions.share is %v and positions.records names no game records: name files or folders", p.Share))
	}
	if !(p.From >= 0 && p.From <= p.To && p.To <= 1) {
		errs = append(errs, fmt.Errorf("positions.from %v, to %v: 0 <= from <= to <= 1", p.From, p.To))
	}
	for i, l := range p.Lines {
		size := board.Size{W: l.Width, H: l.Height}
		if !c.plays(size) || l.len() < 2 || len(l.Moves)%2 != 0 {
			return append(errs, fmt.Errorf("positions: line %d: %d bytes of moves on %dx%d", i+1, len(l.Moves), l.Width, l.Height))
		}
		for at := 0; at < len(l.Moves); at += 2 {
			if int(binary.LittleEndian.Uint16(l.Moves[at:])) >= size.Area() {
				return append(errs, fmt.Errorf("positions: line %d: move %d is not on the board", i+1, at/2+1))
			}
		}
	}
	return errs
}

// position returns the position at which this game begins, nil for the empty board.
func (p *player) position() (*board.Game, error) {
	c := &p.c.Positions
	if c.Share == 0 || len(c.Lines) == 0 || p.rng.Float64() >= c.Share {
		return nil, nil
	}
	line := &c.Lines[p.rng.IntN(len(c.Lines))]
	at := c.From + (c.To-c.From)*p.rng.Float64()
	g, err := line.game(p.drawRules(), int(at*float64(line.len())))
	if err != nil {
		return nil, err
	}
	p.record.Mode = rows.ModeSGF
	return g, nil
}
