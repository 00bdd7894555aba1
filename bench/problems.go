package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/search"
	"kosumi/sgf"
)

// ErrProblem marks a file that holds no problems as ReadProblems wants them.
var ErrProblem = errors.New("bad problem")

// Problem is a position with the moves that are right in it.
type Problem struct {
	Name  string
	Kind  string // the name of its file, without the ending
	Game  *board.Game
	Right []board.Point
	// Line is the solution: the first right move, and how the game goes on.
	Line []board.Move
}

// ReadProblems reads game trees whose roots are positions (AB, AW, PL, KM) and
// whose right first moves are the root's children with TE. The main line below the
// first of them is the solution.
func ReadProblems(file string) ([]Problem, error) {
	roots, err := sgf.ReadFile(file)
	if err != nil {
		return nil, err
	}
	kind := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var list []Problem
	for i, root := range roots {
		p, err := problemOf(root)
		if err != nil {
			return nil, fmt.Errorf("%s: problem %d: %w", file, i+1, err)
		}
		if p.Kind = kind; p.Name == "" {
			p.Name = fmt.Sprintf("%s %d", kind, i+1)
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %s holds none", ErrProblem, file)
	}
	return list, nil
}

func problemOf(root *sgf.Node) (Problem, error) {
	bad := func(format string, args ...any) (Problem, error) {
		return Problem{}, fmt.Errorf("%w: "+format, append([]any{ErrProblem}, args...)...)
	}
	r, err := sgf.StrictRecordOf(root)
	if err != nil {
		return Problem{}, err
	}
	g, err := r.Game(board.Chinese(), 0)
	if err != nil {
		return Problem{}, err
	}
	if r.HasKomi {
		g.SetKomi(float32(r.Komi))
	}
	p := Problem{Game: g, Name: r.Name}
	for _, child := range root.Children {
		if !child.Has("TE") {
			continue
		}
		id := "B"
		if g.ToMove() == board.White {
			id = "W"
		}
		if !child.Has(id) {
			return bad("a right move (TE) is not a move of %v, whose turn it is", g.ToMove())
		}
		at, err := sgf.ParsePoint(g.Size(), child.Get(id))
		if err != nil {
			return Problem{}, err
		}
		if err := g.Legal(g.ToMove(), at); err != nil {
			return bad("the right move %s: %w", g.Size().Vertex(at), err)
		}
		p.Right = append(p.Right, at)
	}
	if len(p.Right) == 0 {
		return bad("no first move is marked as right (TE)")
	}
	if all := r.Moves(); len(all) > 0 && slices.Contains(p.Right, all[0].Point) {
		p.Line = all
	}
	return p, nil
}

// Solved says how many positions of a kind were solved: each problem in every
// orientation.
type Solved struct {
	Kind      string `json:"kind"`
	Problems  int    `json:"problems"`
	Positions int    `json:"positions"`
	Alone     int    `json:"network"` // by the network's likeliest move
	Searched  int    `json:"search"`  // by a search
}

// Solve asks the network alone and a search of so many visits, and counts by kind
// in the order in which kinds appear. progress, if there is one, is told how many positions are done.
func Solve(ctx context.Context, params search.Params, e nn.Evaluator, problems []Problem, visits int64, progress func(done, of int)) ([]Solved, error) {
	tree, err := search.New(params, e, nil)
	if err != nil {
		return nil, err
	}
	total, done := 0, 0
	for i := range problems {
		total += problems[i].Game.Size().Symmetries()
	}
	var list []Solved
	var out nn.Output
	for i := range problems {
		p := &problems[i]
		at := slices.IndexFunc(list, func(s Solved) bool { return s.Kind == p.Kind })
		if at < 0 {
			at = len(list)
			list = append(list, Solved{Kind: p.Kind})
		}
		s := &list[at]
		s.Problems++
		for k := range p.Game.Size().Symmetries() {
			g, right, err := p.turned(board.Symmetry(k))
			if err != nil {
				return nil, err
			}
			if err := e.Evaluate(ctx, &nn.Query{Game: g, Meta: &features.Amateurs}, &out); err != nil {
				return nil, err
			}
			tree.Reset(g)
			r, err := tree.Search(ctx, search.Limits{Visits: visits})
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			s.Positions++
			if slices.Contains(right, likeliest(&out, g)) {
				s.Alone++
			}
			if slices.Contains(right, r.Choose(0, nil)) {
				s.Searched++
			}
			if done++; progress != nil {
				progress(done, total)
			}
		}
	}
	return list, nil
}

// likeliest is the move of the highest probability.
func likeliest(o *nn.Output, g *board.Game) board.Point {
	size := g.Size()
	best := 0
	for i := range size.Area() + 1 {
		if o.Policy[i] > o.Policy[best] {
			best = i
		}
	}
	if best == size.Area() {
		return board.Pass
	}
	return size.FromIndex(best)
}

// turned is the problem in another orientation.
func (p *Problem) turned(k board.Symmetry) (*board.Game, []board.Point, error) {
	size := p.Game.Size()
	var stones [2][]board.Point
	for i := range size.Area() {
		at := size.FromIndex(i)
		if c := p.Game.At(at); c != board.Empty {
			side := 0
			if c == board.White {
				side = 1
			}
			stones[side] = append(stones[side], size.SymMap(k, at))
		}
	}
	g, err := board.NewGame(size, p.Game.Rules())
	if err != nil {
		return nil, nil, err
	}
	right := make([]board.Point, len(p.Right))
	for i, at := range p.Right {
		right[i] = size.SymMap(k, at)
	}
	return g, right, g.Setup(stones[0], stones[1], p.Game.ToMove())
}

// PrintSolved writes a table.
func PrintSolved(w io.Writer, list []Solved, visits int64) {
	fmt.Fprintf(w, "right first moves of problems, in all orientations: the network alone, and a search of %d visits\n", visits)
	var all Solved
	line := func(name string, s *Solved) {
		of := float64(max(1, s.Positions)) / 100
		fmt.Fprintf(w, "  %-16s %3d problems  %3.0f %%  %3.0f %%\n", name, s.Problems, float64(s.Alone)/of, float64(s.Searched)/of)
	}
	for i := range list {
		s := &list[i]
		line(s.Kind, s)
		all.Problems, all.Positions = all.Problems+s.Problems, all.Positions+s.Positions
		all.Alone, all.Searched = all.Alone+s.Alone, all.Searched+s.Searched
	}
	if len(list) > 1 {
		line("all", &all)
	}
}
