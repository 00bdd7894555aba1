package opening

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/sgf"
)

// ErrFile is wrapped by errors about what a file of openings says.
var ErrFile = errors.New("bad openings")

// maxOpenings bounds how many openings a file may hold.
const maxOpenings = 100_000

// Read reads a file of openings for a board size. A file called *.sgf
// is a collection of games, in which every path from root to leaf is an opening;
// set-up stones are not allowed. Any other file is text, see Parse.
func Read(name string, size board.Size) ([][]board.Move, error) {
	var openings [][]board.Move
	if strings.EqualFold(filepath.Ext(name), ".sgf") {
		roots, err := sgf.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFile, err)
		}
		for _, root := range roots {
			if notes := root.Notes(); len(notes) > 0 {
				return nil, fmt.Errorf("%w: %s is damaged: %s", ErrFile, name, notes[0])
			}
			if openings, err = addTree(openings, root, size); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrFile, name, err)
			}
		}
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFile, err)
		}
		defer f.Close()
		if openings, err = Parse(f, size); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(openings) == 0 {
		return nil, fmt.Errorf("%w: %s holds none", ErrFile, name)
	}
	return openings, nil
}

// addTree appends the paths of one game tree.
func addTree(openings [][]board.Move, root *sgf.Node, size board.Size) ([][]board.Move, error) {
	if root.Has("SZ") {
		is, err := sgf.SizeOf(root)
		if err != nil {
			return nil, err
		}
		if is != size {
			return nil, fmt.Errorf("opening for a board of %s, the match is on %s", is, size)
		}
	}
	type place struct {
		at   *sgf.Node
		path []board.Move
	}
	open := []place{{at: root}}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		path, err := addMoves(p.path, p.at, size)
		if err != nil {
			return nil, err
		}
		if len(p.at.Children) == 0 {
			openings = append(openings, path)
			if len(openings) > maxOpenings {
				return nil, fmt.Errorf("more than %d openings", maxOpenings)
			}
		}
		for i := len(p.at.Children) - 1; i >= 0; i-- {
			open = append(open, place{p.at.Children[i], path})
		}
	}
	return openings, nil
}

// addMoves returns the path with the moves of a node; the path itself, which
// other variations share, stays as it is.
func addMoves(path []board.Move, n *sgf.Node, size board.Size) ([]board.Move, error) {
	path = path[:len(path):len(path)]
	for _, p := range n.Properties {
		color := board.Black
		switch p.ID {
		case "AB", "AW", "AE":
			return nil, errors.New("set-up stones in an opening: write them as moves")
		case "W":
			color = board.White
		case "B":
		default:
			continue
		}
		for _, v := range p.Values[:min(len(p.Values), 1)] {
			at, err := sgf.ParsePoint(size, v)
			if err != nil {
				return nil, err
			}
			path = append(path, board.Move{Color: color, Point: at})
		}
		if len(path) > board.MaxMoves {
			return nil, fmt.Errorf("opening of more than %d moves", board.MaxMoves)
		}
	}
	return path, nil
}

// Parse reads openings as text. A line is an opening: vertices with or
// without colours before them ("D4 Q16" or "b D4 w Q16"; without, Black begins
// and the players alternate). A file of GTP commands is read too: play commands
// make an opening, clear_board or an empty line ends it, boardsize is checked
// and other commands do not matter. Text behind # is a comment.
func Parse(r io.Reader, size board.Size) ([][]board.Move, error) {
	p := parser{size: size}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		if err := p.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFile, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: after line %d: %w", ErrFile, number, err)
	}
	p.end()
	return p.openings, nil
}

type parser struct {
	size     board.Size
	openings [][]board.Move
	played   []board.Move // by play commands
}

// end finishes the opening that play commands made.
func (p *parser) end() {
	if len(p.played) > 0 {
		p.openings = append(p.openings, p.played)
	}
	p.played = nil
}

func (p *parser) line(text string) error {
	text, _, commented := strings.Cut(text, "#")
	fields := strings.Fields(text)
	if len(fields) == 0 {
		if !commented {
			p.end()
		}
		return nil
	}
	if len(p.openings) > maxOpenings {
		return fmt.Errorf("more than %d openings", maxOpenings)
	}
	switch strings.ToLower(fields[0]) {
	case "play":
		moves, err := p.moves(fields[1:])
		if err != nil || len(moves) != 1 || len(fields) != 3 {
			return fmt.Errorf("want play COLOUR VERTEX, have %q", clipLine(text))
		}
		p.played = append(p.played, moves...)
		if len(p.played) > board.MaxMoves {
			return fmt.Errorf("opening of more than %d moves", board.MaxMoves)
		}
		return nil
	case "clear_board":
		p.end()
		return nil
	case "boardsize", "rectangular_boardsize":
		is := strings.Join(fields[1:], "x")
		if is != p.size.String() && !(len(fields) == 2 && is+"x"+is == p.size.String()) {
			return fmt.Errorf("openings for a board of %s, the match is on %s", is, p.size)
		}
		return nil
	case "komi", "name", "version", "quit", "showboard", "list_commands", "protocol_version", "time_settings":
		return nil
	}
	moves, err := p.moves(fields)
	if err != nil {
		return err
	}
	p.end()
	p.openings = append(p.openings, moves)
	return nil
}

// moves reads vertices with optional colours.
func (p *parser) moves(words []string) ([]board.Move, error) {
	var moves []board.Move
	color := board.Black
	for i := 0; i < len(words); i++ {
		if c, err := board.ParseColor(words[i]); err == nil && i+1 < len(words) {
			color = c
			i++
		}
		at, err := p.size.ParseVertex(words[i])
		if err != nil {
			return nil, err
		}
		moves = append(moves, board.Move{Color: color, Point: at})
		color = color.Opponent()
	}
	if len(moves) > board.MaxMoves {
		return nil, fmt.Errorf("opening of more than %d moves", board.MaxMoves)
	}
	return moves, nil
}

// clipLine shortens a line for a message.
func clipLine(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
