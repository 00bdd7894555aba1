package sgf

import (
	"fmt"
	"slices"

	"kosumi/board"
)

// Walk plays all lines of a game tree, variations included, and calls visit before
// each move: with the game as it stands, the move, and the comment of its node. Moves
// are played as [Record.Game] plays them; one out of turn begins the game anew
// ([board.GameOptions.ForgetOutOfTurn]). The error is the first move or set-up that
// cannot be played; what came before it has been visited.
func Walk(root *Node, rules board.Rules, visit func(g *board.Game, m board.Move, comment string)) error {
	size, err := SizeOf(root)
	if err != nil {
		return err
	}
	g, err := board.NewGame(size, rules)
	if err != nil {
		return err
	}
	o := g.Options()
	o.ForgetOutOfTurn = true
	g.ContinueWith(o)
	w := walk{rec: Record{Size: size}, visit: visit}
	return w.from(root, g, 0)
}

type walk struct {
	rec   Record // for its size
	visit func(g *board.Game, m board.Move, comment string)
}

// mostInside is how many variations may lie inside each other; each holds a game.
const mostInside = 1000

// from plays a node and all below it on g, which is the walk's to change. depth is
// how many variations it lies in.
func (w *walk) from(n *Node, g *board.Game, depth int) error {
	if depth > mostInside {
		return fmt.Errorf("%w: more than %d variations inside each other", ErrTooLarge, mostInside)
	}
	for {
		if err := w.play(n, g); err != nil {
			return err
		}
		if len(n.Children) == 0 {
			return nil
		}
		last := len(n.Children) - 1
		for _, child := range n.Children[:last] {
			var branch board.Game
			branch.CopyFrom(g)
			if err := w.from(child, &branch, depth+1); err != nil {
				return err
			}
		}
		n = n.Children[last]
	}
}

func (w *walk) play(n *Node, g *board.Game) error {
	setup, err := w.rec.setupOf(n)
	if err == nil && setup != nil {
		err = change(g, setup)
	}
	if err != nil {
		return err
	}
	for _, p := range n.Properties {
		color := moveColor(p)
		if color == board.Empty {
			continue
		}
		at, err := ParsePoint(w.rec.Size, p.Values[0])
		if err != nil {
			return err
		}
		if w.rec.Size.Contains(at) && g.At(at) != board.Empty {
			return fmt.Errorf("%w: move %d, %s %s: there is a stone", ErrPoint, g.NumMoves()+1, color, w.rec.Size.Vertex(at))
		}
		w.visit(g, board.Move{Color: color, Point: at}, n.Text("C"))
		if err := g.PlayTolerant(color, at); err != nil {
			return fmt.Errorf("%w: move %d, %s %s: %w", ErrPoint, g.NumMoves()+1, color, w.rec.Size.Vertex(at), err)
		}
	}
	return nil
}

// SplitMoves gives every move of a tree a node of its own, with what stands behind it,
// where files have several in one.
func SplitMoves(root *Node) {
	for n := range root.All() {
		seen := false
		for i, p := range n.Properties {
			if moveColor(p) == board.Empty {
				continue
			}
			if seen {
				n.Children = []*Node{{Properties: slices.Clone(n.Properties[i:]), Children: n.Children}}
				n.Properties = n.Properties[:i:i]
				break
			}
			seen = true
		}
	}
}
