package sgf

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrProperty means that a tree has a property whose name cannot be written.
var ErrProperty = errors.New("bad property name")

// wide is the line length at which the next node starts a new line.
const wide = 72

// Write writes game trees as a collection. Values that could not stand between
// brackets are escaped; a property without values is left out. Nothing is
// written when it returns ErrProperty.
func Write(w io.Writer, roots ...*Node) error {
	text, err := Marshal(roots...)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("cannot write sgf: %w", err)
	}
	return nil
}

// Marshal returns what Write writes.
func Marshal(roots ...*Node) ([]byte, error) {
	var w writer
	for _, root := range roots {
		w.tree(root)
		w.newline()
	}
	return w.out, w.err
}

type writer struct {
	out  []byte
	line int // index in out where the current line starts
	err  error
}

func (w *writer) newline() {
	w.out = append(w.out, '\n')
	w.line = len(w.out)
}

// tree writes a game tree without recursion: open holds the branchings on the way to the
// current node, each with the index of its next child.
func (w *writer) tree(root *Node) {
	type branching struct {
		at   *Node
		next int
	}
	var open []branching
	w.out = append(w.out, '(')
	for n := root; ; {
		w.node(n)
		if len(n.Children) == 1 {
			n = n.Children[0]
			continue
		}
		if len(n.Children) == 0 {
			w.out = append(w.out, ')')
			for len(open) > 0 && open[len(open)-1].next == len(open[len(open)-1].at.Children) {
				open = open[:len(open)-1]
				w.out = append(w.out, ')')
			}
			if len(open) == 0 {
				return
			}
		} else {
			open = append(open, branching{at: n})
		}
		top := &open[len(open)-1]
		n = top.at.Children[top.next]
		top.next++
		w.newline()
		w.out = append(w.out, '(')
	}
}

func (w *writer) node(n *Node) {
	if len(w.out)-w.line > wide {
		w.newline()
	}
	w.out = append(w.out, ';')
	for _, p := range n.Properties {
		if len(p.Values) == 0 {
			continue
		}
		if !validID(p.ID) {
			w.err = errors.Join(w.err, fmt.Errorf("%w: %q", ErrProperty, p.ID))
			return
		}
		w.out = append(w.out, p.ID...)
		for _, v := range p.Values {
			w.out = append(w.out, '[')
			w.out = append(w.out, mended(p.ID, v)...)
			w.out = append(w.out, ']')
			if i := strings.LastIndexByte(v, '\n'); i >= 0 {
				w.line = len(w.out) - (len(v) - i)
			}
		}
	}
}

// validID reports whether reading returns the name unchanged.
func validID(id string) bool {
	if id == "" || len(id) > maxID || !isLetter(id[0]) {
		return false
	}
	for i := range len(id) {
		if !isIdent(id[i]) {
			return false
		}
	}
	return capitals(id) == id
}
