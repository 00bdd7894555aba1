package drill

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"kosumi/board"
)

// view is how a problem is shown: turned, mirrored, with colours exchanged.
type view struct {
	size board.Size // of the problem
	turn board.Symmetry
	swap bool
}

func viewOf(p *Problem, random *rand.Rand) *view {
	v := &view{size: board.Size{W: p.Width, H: p.Height}}
	if random != nil {
		v.turn, v.swap = board.Symmetry(random.IntN(v.size.Symmetries())), random.IntN(2) == 1
	}
	return v
}

// vertex turns a move of the problem into one of what is shown.
func (v *view) vertex(move string) string {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return move
	}
	return v.size.Vertex(v.size.SymMap(v.turn, p))
}

// parse turns a move of what is shown into one of the problem.
func (v *view) parse(move string) (string, error) {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return "", err
	}
	return v.size.Vertex(v.size.SymMap(v.turn.Inverse(), p)), nil
}

// line counts how far a move of the problem is from the nearest edge, from 1; 0 for a pass.
func (v *view) line(move string) int {
	p, err := v.size.ParseVertex(move)
	if err != nil || p == board.Pass {
		return 0
	}
	x, y := v.size.XY(p)
	return 1 + min(x, y, v.size.W-1-x, v.size.H-1-y)
}

// show writes the position.
func (v *view) show(w io.Writer, p *Problem) {
	shown := make([]byte, len(p.Stones))
	for i := range len(p.Stones) {
		c := p.Stones[i]
		if v.swap && c != '.' {
			c = 'X' + 'O' - c
		}
		shown[v.size.SymMap(v.turn, board.Point(i))] = c
	}
	last := board.NoPoint
	if p.Last != "" {
		if at, err := v.size.ParseVertex(p.Last); err == nil {
			last = v.size.SymMap(v.turn, at)
		}
	}
	columns := "   "
	for x := range v.size.W {
		columns += " " + strings.TrimRight(v.size.Vertex(v.size.Point(x, 0)), "0123456789")
	}
	fmt.Fprintln(w, columns)
	for y := range v.size.H {
		row := fmt.Sprintf("%3d", v.size.H-y)
		for x := range v.size.W {
			at := v.size.Point(x, y)
			switch {
			case at == last:
				row += "(" + string(shown[at])
			case x > 0 && v.size.Point(x-1, y) == last:
				row += ")" + string(shown[at])
			default:
				row += " " + string(shown[at])
			}
		}
		if last >= 0 && last == v.size.Point(v.size.W-1, y) {
			row += ")"
		}
		fmt.Fprintln(w, row)
	}
	side, mark := "Black", "X"
	if (p.ToMove == "w") != v.swap {
		side, mark = "White", "O"
	}
	fmt.Fprintln(w, p.question(side+" ("+mark+")"))
	if len(p.Group) > 0 {
		fmt.Fprintf(w, "The group stands at %s.\n", v.vertex(p.Group[0]))
	}
}
