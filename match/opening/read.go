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

// ErrFile is wrapped by errors in a file of openings.
var ErrFile = errors.New("bad openings")

// maxOpenings bounds how many openings a file may hold.
const maxOpenings = 100_000

// Read reads a file of openings for a board size. In a file named *.sgf every path from a
// root to a leaf is an opening; set-up stones are not allowed. Any other file is text, see
// [Parse].
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
	is, err := sgf.SizeOf(root)
	if err != nil {
		return nil, err
	}
	if root.Has("SZ") && is != size {
		return nil, fmt.Errorf("opening for a board of %s, the match is on %s", is, size)
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

// addMoves returns path with the moves of a node appended. It copies path, since other variations
// continue from it.
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

// Parse reads openings as text, one a line: vertices with or without colours before
// them ("D4 Q16" or "b D4 w Q16"; without colours, Black begins and the players
// alternate). A line "boardsize 9" is checked against size. # begins a comment.
func Parse(r io.Reader, size board.Size) (openings [][]board.Move, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		opening, err := parseLine(lines.Text(), size)
		if err == nil && len(openings) == maxOpenings {
			err = fmt.Errorf("more than %d openings", maxOpenings)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFile, number, err)
		}
		if opening != nil {
			openings = append(openings, opening)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: after line %d: %w", ErrFile, number, err)
	}
	return openings, nil
}

// parseLine reads one line; nil if it holds no opening.
func parseLine(text string, size board.Size) (moves []board.Move, err error) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "\ufeff"), "#") // a file may begin with a byte order mark
	words := strings.Fields(text)
	if len(words) > 0 && strings.EqualFold(words[0], "boardsize") {
		is := strings.Join(words[1:], "x")
		if is != size.String() && !(len(words) == 2 && is+"x"+is == size.String()) {
			return nil, fmt.Errorf("openings for a board of %s, the match is on %s", is, size)
		}
		return nil, nil
	}
	color := board.Black
	for i := 0; i < len(words); i++ {
		if c, err := board.ParseColor(words[i]); err == nil && i+1 < len(words) {
			color = c
			i++
		}
		at, err := size.ParseVertex(words[i])
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
