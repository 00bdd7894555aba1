package drill

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/review"
)

// view shows a problem in an orientation, possibly with colours exchanged, and holds the moves that
// were played so far.
type view struct {
	size  board.Size // size of the problem's board
	turn  board.Symmetry
	swap  bool     // colours are exchanged
	moves []string // moves of both sides so far
	best  Answer   // the right answer in the present position
	began time.Time
}

func viewOf(p *Problem, random *rand.Rand) *view {
	v := &view{size: board.Size{W: p.Width, H: p.Height}, best: p.Answers[0], began: time.Now()}
	if random != nil {
		v.turn, v.swap = board.Symmetry(random.IntN(v.size.Symmetries())), random.IntN(2) == 1
	}
	return v
}

// vertex converts a move of the problem into one of the shown board.
func (v *view) vertex(move string) string {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return move
	}
	return v.size.Vertex(v.size.SymMap(v.turn, p))
}

// inWords names the moves of a line on the shown board.
func (v *view) inWords(line []string) (text string) {
	for _, m := range line {
		text += " " + v.vertex(m)
	}
	return text
}

// reason says, in coordinates of the shown board, why the move of the game was a mistake.
func (v *view) reason(p *Problem) string {
	side := p.ToMove
	if v.swap {
		side = review.Opponent(side)
	}
	return review.Say(v.claims(p, p.Claims), side, v.vertex(p.Played))
}

// claims converts the points and regions in a problem's claims to the shown board, as far as the
// sentences of the claims need them.
func (v *view) claims(p *Problem, list []review.Claim) (out []review.Claim) {
	turned := func(vertices []string) []string { return strings.Fields(v.inWords(vertices)) }
	for _, c := range list {
		c.Stones, c.Others, c.Area, c.Move = turned(c.Stones), turned(c.Others), turned(c.Area), v.vertex(c.Move)
		about := p.vertices(c.Area)
		if len(about) == 0 {
			about = p.vertices([]string{c.Move})
		}
		if c.Region != "" && len(about) > 0 {
			c.Region = review.Region(v.size, about)
		}
		if c.Of != nil {
			c.Of = &v.claims(p, []review.Claim{*c.Of})[0]
		}
		out = append(out, c)
	}
	return out
}

// parse converts a move of the shown board into one of the problem.
func (v *view) parse(move string) (string, error) {
	p, err := v.size.ParseVertex(move)
	if err != nil {
		return "", err
	}
	return v.size.Vertex(v.size.SymMap(v.turn.Inverse(), p)), nil
}

// line returns the number of a move's line, counted from 1 at the nearest edge; 0 for a pass.
func (v *view) line(move string) int {
	p, err := v.size.ParseVertex(move)
	if err != nil || p == board.Pass {
		return 0
	}
	return v.size.Line(p)
}

// show writes the position.
func (v *view) show(w io.Writer, p *Problem) {
	shown, lastMove := make([]byte, len(p.Stones)), p.Last
	g, err := p.After(v.moves)
	if err != nil {
		return // cannot happen: the problem was checked, and the moves were legal
	}
	if n := len(v.moves); n > 0 {
		lastMove = v.moves[n-1]
	}
	for i := range shown {
		c := g.At(board.Point(i))
		if v.swap {
			c = c.Opponent()
		}
		shown[v.size.SymMap(v.turn, board.Point(i))] = ".XO"[c]
	}
	last := board.NoPoint
	if at, err := v.size.ParseVertex(lastMove); err == nil {
		last = v.size.SymMap(v.turn, at)
	}
	fmt.Fprintln(w, "    "+v.size.Letters())
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
		if last == v.size.Point(v.size.W-1, y) {
			row += ")"
		}
		fmt.Fprintln(w, row)
	}
	side, mark := "Black", "X"
	if (p.ToMove == "w") != v.swap {
		side, mark = "White", "O"
	}
	if side += " (" + mark + ")"; len(v.moves) > 0 {
		fmt.Fprintln(w, side+" to play.")
		return
	}
	fmt.Fprintln(w, p.question(side))
	if p.Text != "" {
		fmt.Fprintln(w, p.Text)
	}
	if len(p.Group) > 0 {
		fmt.Fprintf(w, "The group stands at %s.\n", v.vertex(p.Group[0]))
	}
}
