package drill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// OwnKind is the kind for problems from the player's own files.
const OwnKind = "own"

// Own holds the records of a file, sorted by kind.
type Own struct {
	Problems []Problem
	Games    []*sgf.Node // games rather than problems
	Unsolved []*sgf.Node // positions without a right answer
	Turned   int         // number of problems whose record and answers disagree on the side to move
	Errors   []error     // errors of unreadable records
}

// mostAnswered is the maximum length, in moves, of a problem's main line. A record with a longer
// main line is a game.
const mostAnswered = 60

// ReadOwn sorts the records of a file. A problem is a set-up position with answers; name is the
// collection's name.
func ReadOwn(name string, roots []*sgf.Node) (o Own) {
	seen := map[string]bool{}
	number := 0
	for _, file := range roots {
		for _, root := range split(file) {
			number++
			record, err := sgf.RecordOf(root)
			if err != nil {
				o.Errors = append(o.Errors, err)
				continue
			}
			start := root
			for len(start.Children) > 0 && !moves(start.Children[0]) {
				start = start.Children[0]
			}
			if isGame(record, root, start) {
				o.Games = append(o.Games, root)
				continue
			}
			p, turned, err := ownProblem(record, root, start)
			switch {
			case errors.Is(err, errUnsolved):
				o.Unsolved = append(o.Unsolved, root)
			case err != nil:
				o.Errors = append(o.Errors, err)
			case !seen[p.ID]:
				if seen[p.ID] = true; turned {
					o.Turned++
				}
				p.Game, p.Number = name, number
				o.Problems = append(o.Problems, p)
			}
		}
	}
	return o
}

// isGame reports whether a record is a game rather than a problem; its moves begin below start. A
// position of handicap stones alone counts as a game.
func isGame(r *sgf.Record, root, start *sgf.Node) bool {
	s, n := r.Setup, len(r.Moves())
	if s == nil || moves(root) || n > mostAnswered {
		return true
	}
	for n := range start.All() {
		if n.Has("TE") || n.Has("BM") || saidRight(n) || saidWrong(n) {
			return r.Handicap > 0 && len(s.White) == 0
		}
	}
	return n > 0 && r.Result != "" || len(s.White) == 0 || len(s.Black) == 0
}

// split returns the records in a tree: in some files all problems are branches below an empty
// board.
func split(root *sgf.Node) []*sgf.Node {
	n := root
	for len(n.Children) == 1 && !placed(n) && !moves(n) {
		n = n.Children[0]
	}
	if placed(n) || moves(n) || !slices.ContainsFunc(n.Children, placed) {
		return []*sgf.Node{root}
	}
	var list []*sgf.Node
	for _, c := range n.Children {
		list = append(list, &sgf.Node{Properties: root.Properties, Children: []*sgf.Node{c}})
	}
	return list
}

func placed(n *sgf.Node) bool { return n.Has("AB") || n.Has("AW") }
func moves(n *sgf.Node) bool  { return n.Has("B") || n.Has("W") }

var errUnsolved = errors.New("the position has no right answer")

// ownProblem makes a problem from a record whose answers begin below start. The side that
// plays the answers is to move; turned reports whether the record says that the other side is.
func ownProblem(r *sgf.Record, root, start *sgf.Node) (p Problem, turned bool, err error) {
	rules, _ := r.RulesOr(board.Chinese())
	p = Problem{Kind: OwnKind, Width: r.Size.W, Height: r.Size.H, Stones: stonesIn(r), Rules: rules.JSON(), Komi: float64(rules.Komi), answers: start}
	toMove := board.Empty
	for _, c := range start.Children { // the side of the first right answer, or else of the first answer
		side := board.Black
		if c.Has("W") {
			side = board.White
		}
		if good := right(c); moves(c) && (good || toMove == board.Empty) {
			if toMove = side; good {
				break
			}
		}
	}
	if toMove == board.Empty {
		return p, false, errUnsolved
	}
	p.ToMove = toMove.String()[:1]
	for n := root; ; n = n.Children[0] {
		if p.Text = strings.TrimSpace(p.Text + "\n" + strings.TrimSpace(n.Text("C"))); n == start {
			break
		}
	}
	g, err := p.Position()
	if err != nil {
		return p, false, err
	}
	for _, c := range rightOf(g, start) {
		p.Answers = append(p.Answers, authors(g, c))
	}
	if len(p.Answers) == 0 {
		return p, false, errUnsolved
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%dx%d %s %s", p.Width, p.Height, p.Stones, p.ToMove)))
	p.ID = "own-" + hex.EncodeToString(sum[:8])
	return p, r.Setup.ToMove != board.Empty && r.Setup.ToMove != toMove, nil
}

// Patterns for words in comments that mark a line as right or wrong. A line ends at its last RIGHT,
// as on goproblems.com.
var (
	rightWords = regexp.MustCompile(`\bRIGHT\b|\bC(?:ORRECT|orrect)\b|^\W*(?:[Rr]ight|correct)\W*(?:$|[.!,:;])|正解|正确|正確|정답`)
	marks      = regexp.MustCompile(`^(?:RIGHT|CORRECT|WRONG|INCORRECT|FORCE|CHOICE|NOTTHIS)\b[.!:,\s]*`)
	wrongWords = regexp.MustCompile(`\bWRONG\b|\bI(?:NCORRECT|ncorrect)\b|\bWrong\b|^\W*(?:wrong|incorrect)\b|(?i:\bnot (?:quite )?(?:correct|right)\b)|不正解|不正确|不正確|失敗|失败|错误|錯誤|오답|실패`)
)

// said returns the text of a comment after the marks at its beginning.
func said(n *sgf.Node) string {
	return strings.TrimSpace(marks.ReplaceAllString(strings.TrimSpace(n.Text("C")), ""))
}

func saidWrong(n *sgf.Node) bool { return wrongWords.MatchString(n.Text("C")) }
func saidRight(n *sgf.Node) bool { return !saidWrong(n) && rightWords.MatchString(n.Text("C")) }

// right reports whether an answer, or a line beginning with it, is marked as right.
func right(n *sgf.Node) bool { return !wrong(n) && (n.Has("TE") || saidRight(n) || below(n, false)) }

func wrong(n *sgf.Node) bool { return n.Has("BM") || saidWrong(n) }

// below reports whether a line below n is marked as right. ours tells whether the children of n are
// the solver's moves. TE and BM on the opponent's moves say nothing about the answer.
func below(n *sgf.Node, ours bool) bool {
	return slices.ContainsFunc(n.Children, func(c *sgf.Node) bool {
		if ours {
			return right(c)
		}
		return !saidWrong(c) && (saidRight(c) || below(c, true))
	})
}

// rightOf returns the right answers at a node: those marked as right, themselves or later in their
// lines, otherwise the first answer not marked as wrong.
func rightOf(g *board.Game, n *sgf.Node) (list []*sgf.Node) {
	var first *sgf.Node
	for _, c := range n.Children {
		switch {
		case moveOf(g, c) == "" || wrong(c):
		case right(c):
			list = append(list, c)
		case first == nil:
			first = c
		}
	}
	if list == nil && first != nil {
		list = []*sgf.Node{first}
	}
	return list
}

// moveOf returns a node's move if it is legal for the side to move in g, else "".
func moveOf(g *board.Game, n *sgf.Node) string {
	id := strings.ToUpper(g.ToMove().String()[:1])
	at, err := sgf.ParsePoint(g.Size(), n.Get(id))
	if !n.Has(id) || err != nil || g.Legal(g.ToMove(), at) != nil {
		return ""
	}
	return g.Size().Vertex(at)
}

// authors returns the author's line from a node as an answer, at most mostPlayed moves long.
func authors(g *board.Game, n *sgf.Node) (a Answer) {
	for n := range n.MainLine() {
		v := moveOf(g, n)
		if v == "" || len(a.Line) == mostPlayed {
			break
		}
		a.Line = append(a.Line, v)
		g, _ = after(g, v) // cannot fail: the move is legal
	}
	a.Move, a.Accepted = a.Line[0], true
	return a
}

// playTree does the work of Play for a problem with the author's answers. before is the position
// before the last move.
func (p *Problem) playTree(ctx context.Context, played []string, before *board.Game, j Judge) (t Turn, err error) {
	n := p.answers
	g, err := p.Position()
	if err != nil {
		return t, err
	}
	for _, v := range played[:len(played)-1] {
		i := slices.IndexFunc(n.Children, func(c *sgf.Node) bool { return moveOf(g, c) == v })
		if i < 0 {
			return t, fmt.Errorf("problem %s has no answer after %s", p.ID, v)
		}
		n = n.Children[i]
		g, _ = after(g, v)
	}
	move, best := played[len(played)-1], rightOf(before, n)
	if len(best) > 0 {
		t.Best = authors(before, best[0])
	}
	i := slices.IndexFunc(n.Children, func(c *sgf.Node) bool { return moveOf(before, c) == move })
	if i < 0 {
		t.Answer, err = p.beside(ctx, before, t.Best.Move, move, j)
		return t, err
	}
	c := n.Children[i]
	t.Answer, t.Text = authors(before, c), said(c)
	if t.Accepted = slices.Contains(best, c); !t.Accepted || saidRight(c) && !below(c, false) {
		return t, nil
	}
	g, _ = after(before, move)
	replies := slices.DeleteFunc(slices.Clone(c.Children), func(r *sgf.Node) bool { return moveOf(g, r) == "" || saidWrong(r) })
	if len(replies) == 0 {
		return t, nil
	}
	r := replies[max(0, slices.IndexFunc(replies, func(r *sgf.Node) bool { return below(r, true) }))]
	v := moveOf(g, r)
	g, _ = after(g, v)
	if next := rightOf(g, r); len(next) > 0 {
		t.Reply, t.Best, t.Text = v, authors(g, next[0]), said(r)
	}
	return t, nil
}

// mostGroups is the maximum number of nearby groups for which a proof is tried.
const mostGroups = 4

// beside judges a move that the author does not mention: by a proof if the best move is needed to
// save or kill a nearby group, otherwise by searches: a right move is as good as the best one, and better than a pass.
func (p *Problem) beside(ctx context.Context, before *board.Game, best, move string, j Judge) (Answer, error) {
	size, me := before.Size(), before.ToMove()
	at, _ := size.ParseVertex(best)
	tried, err := after(before, move)
	if err != nil {
		return Answer{}, err
	}
	for _, group := range near(before, at) {
		q := *p
		q.Stones, q.Task, q.Group = review.Stones(before), Live, []string{size.Vertex(group)}
		if before.At(group) != me {
			q.Task = Kill
		}
		f := q.fight(ctx, j.Life)
		c, done, _, err := f.ask(before, me)
		if err != nil {
			return Answer{}, err
		}
		if !done || !slices.Contains(c.Moves, best) {
			continue
		}
		if _, _, failed, err := f.ask(before, me.Opponent()); err != nil || !failed {
			continue // the group needs no move
		}
		found, done, failed, err := f.ask(tried, me.Opponent())
		if err != nil || done || failed {
			a := Answer{Move: move, Accepted: done, Line: []string{move}}
			if failed {
				a.Line = append(a.Line, found.line(size, me.Opponent())...)
			}
			return a, err
		}
	}
	a, err := j.compare(ctx, before, best, move, p.Loss)
	if err == nil && a.Accepted { // but where a pass is as good, the author's answer gains nothing, and any move would be right
		pass, e := j.compare(ctx, before, move, "pass", p.Loss)
		a.Accepted, err = !pass.Accepted, e
	}
	return a, err
}

// near returns a stone of each chain that has stones within two lines of a point, the largest chain
// first.
func near(g *board.Game, at board.Point) (list []board.Point) {
	x, y := g.Size().XY(max(at, 0))
	b := g.Board()
	for p := range board.Point(g.Size().Area()) {
		px, py := g.Size().XY(p)
		if head := b.ChainHead(p); head >= 0 && max(x-px, px-x, y-py, py-y) <= 2 && !slices.Contains(list, head) {
			list = append(list, head)
		}
	}
	slices.SortStableFunc(list, func(p, q board.Point) int { return b.ChainSize(q) - b.ChainSize(p) })
	return list[:min(len(list), mostGroups)]
}
