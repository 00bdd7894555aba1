package drill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// Version is the version of the JSON form of [Set].
const Version = 1

// Set is a problem set: positions in which a mistake was made.
type Set struct {
	Version  int       `json:"version"`
	Problems []Problem `json:"problems"`
}

// Problem asks for a better move than the one that was played.
type Problem struct {
	// ID is the same for the same position, rules and komi.
	ID     string  `json:"id"`
	Game   string  `json:"game"`             // where it comes from
	Number int     `json:"number"`           // of the move
	Player string  `json:"player,omitempty"` // who made it, as the record says
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Stones string  `json:"stones"` // X, O and dots from the top left
	ToMove string  `json:"toMove"` // "b" or "w"
	Rules  string  `json:"rules"`  // as JSON, without komi
	Komi   float64 `json:"komi"`
	// Played is what was played and lost Loss points.
	Played string      `json:"played"`
	Loss   float64     `json:"loss"`
	Last   string      `json:"last,omitempty"` // the opponent's move before
	Kind   review.Kind `json:"kind"`
	Reason string      `json:"reason"`
	// Task is Live or Kill for a problem of life and death about Group, which one move alone
	// solves, proved; empty for a better move. Level is 1 to 5 in the collection.
	Task  string   `json:"task,omitempty"`
	Group []string `json:"group,omitempty"`
	Level int      `json:"level,omitempty"`
	// Assumed names chains that the proof takes for alive; none: those around the group.
	Assumed []string `json:"assumed,omitempty"`
	// Answers are the moves that were searched well enough to be judged, best
	// first.
	Answers []Answer `json:"answers"`
}

// Answer is a move that a problem can be answered with.
type Answer struct {
	Move string  `json:"move"`
	Loss float64 `json:"loss"` // in points, 0 for the best
	// WinrateLoss is the mover's, 0..1.
	WinrateLoss float64  `json:"winrateLoss"`
	Accepted    bool     `json:"accepted"`
	Line        []string `json:"line,omitempty"`
}

// Conditions for a mistake to be a problem.
const (
	drillLoss     = 3   // points that it lost, or one of the worst drillWorst
	drillWorst    = 3   // of a game
	drillSure     = 1.5 // points that it lost at least, error taken off
	drillLead     = 30  // points that neither side is ahead by more
	drillChance   = 0.05
	drillObvious  = 0.9  // prior of the best move: no choice at all
	drillFindable = 0.01 // prior of the best move, at least
	judgedVisits  = 3    // of a move
)

// Accepts reports whether an answer is good enough for a problem whose mistake lost
// so much: several moves may be.
func Accepts(answerLoss, winrateLoss, mistakeLoss float64) bool {
	return answerLoss <= max(1, 0.25*mistakeLoss) && winrateLoss <= 0.04
}

// Collect adds the mistakes of a game that make problems, in place of those that an
// earlier review of the same file made. It returns the mistakes among the worst drillWorst
// that make none although they lost drillLoss points.
func (d *Set) Collect(res *review.Result) (left []review.LeftOut) {
	d.Version = Version
	d.Forget(res.Game.File)
	for rank, t := range res.Mistakes {
		m := &res.Moves[t]
		if m.Loss < drillLoss && rank >= drillWorst {
			continue
		}
		if slices.ContainsFunc(res.Only, func(o review.Only) bool { return o.Ply == t && o.Line[0] != m.Move }) {
			continue // it is asked as a problem of life and death
		}
		if why := unfit(res, t); why != "" {
			if m.Loss >= drillLoss && rank < drillWorst {
				left = append(left, review.LeftOut{Ply: t, Why: why})
			}
			continue
		}
		problem := ProblemOf(res, t)
		if !slices.ContainsFunc(d.Problems, func(old Problem) bool { return old.ID == problem.ID }) {
			d.Problems = append(d.Problems, problem)
		}
	}
	for i := range res.Only {
		if o := &res.Only[i]; o.Line[0] == res.Moves[o.Ply].Move {
			continue // it was found in the game
		}
		problem := lifeProblem(res, &res.Only[i])
		if !slices.ContainsFunc(d.Problems, func(old Problem) bool { return old.ID == problem.ID }) {
			d.Problems = append(d.Problems, problem)
		}
	}
	return left
}

// Forget takes the problems out that were made of a game.
func (d *Set) Forget(game string) {
	d.Problems = slices.DeleteFunc(d.Problems, func(p Problem) bool { return p.Game == game })
}

// ProblemOf asks for a better move than ply t, which must have been judged.
func ProblemOf(res *review.Result, t int) Problem {
	m, p := &res.Moves[t], &res.Positions[t]
	q := Problem{Game: res.Game.File, Number: m.Number, Width: res.Game.Width, Height: res.Game.Height, Stones: p.Stones, ToMove: m.Color,
		Rules: res.Game.Rules, Komi: res.Game.Komi, Played: m.Move, Loss: m.Loss, Kind: m.Kind, Reason: m.Reason}
	if q.Player = res.Game.Black; m.Color == "w" {
		q.Player = res.Game.White
	}
	if t > 0 {
		q.Last = res.Moves[t-1].Move
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%dx%d %s %s %s %g", q.Width, q.Height, q.Stones, q.ToMove, q.Rules, q.Komi)))
	q.ID = hex.EncodeToString(sum[:8])
	q.Answers = answersOf(m.Best, m)
	return q
}

// unfit says why a mistake is no problem to learn from, "" where it is one.
func unfit(res *review.Result, t int) string {
	m, p := &res.Moves[t], &res.Positions[t]
	chance := p.Winrate
	if m.Color == "w" {
		chance = 1 - chance
	}
	best := &m.Best[0]
	switch {
	case m.Loss-m.Error < drillSure:
		return "its loss is not sure enough"
	case slices.ContainsFunc(res.Only, func(o review.Only) bool { return o.Ply == t }):
		return "it is proved to be the only move"
	case math.Abs(p.Lead) > drillLead || chance < drillChance || chance > 1-drillChance:
		return "the game was decided"
	case best.Prior > drillObvious:
		return "the better move is obvious"
	case best.Prior < drillFindable:
		return "the better move is too hard to find"
	}
	return ""
}

// answersOf judges the moves of one search against its best.
func answersOf(best []review.Candidate, m *review.Move) []Answer {
	sign := 1.0
	if m.Color == "w" {
		sign = -1
	}
	var answers []Answer
	for i := range best {
		c := &best[i]
		a := Answer{Move: c.Move, Loss: review.Round(max(0, sign*(best[0].Lead-c.Lead)), 2), WinrateLoss: review.Round(max(0, sign*(best[0].Winrate-c.Winrate)), 4), Line: c.Line}
		if c.Move == m.Move {
			a.Loss, a.WinrateLoss = m.Loss, m.WinrateLoss // from a search of its own
		} else if c.Visits < judgedVisits {
			continue
		}
		a.Accepted = c.Move != m.Move && Accepts(a.Loss, a.WinrateLoss, m.Loss)
		answers = append(answers, a)
	}
	return answers
}

// Answer returns what is known of a move, or nil. Where one move alone solves a problem,
// of every other it is known that it does not.
func (p *Problem) Answer(move string) *Answer {
	for i := range p.Answers {
		if p.Answers[i].Move == move {
			return &p.Answers[i]
		}
	}
	if p.Task != "" {
		return &Answer{Move: move, Loss: p.Loss}
	}
	return nil
}

// Position returns the game at the problem. Errors wrap board's.
func (p *Problem) Position() (*board.Game, error) {
	rules, err := board.ParseRules(p.Rules)
	if err != nil {
		return nil, err
	}
	rules.Komi = float32(p.Komi)
	g, err := board.NewGame(board.Size{W: p.Width, H: p.Height}, rules)
	if err != nil {
		return nil, err
	}
	black, white := p.points('X'), p.points('O')
	toMove, err := board.ParseColor(p.ToMove)
	if err != nil {
		return nil, err
	}
	if len(p.Stones) != p.Width*p.Height {
		return nil, fmt.Errorf("problem %s: %d points on a board of %d", p.ID, len(p.Stones), p.Width*p.Height)
	}
	return g, g.Setup(black, white, toMove)
}

func (p *Problem) points(stone byte) []board.Point {
	var points []board.Point
	for i := range len(p.Stones) {
		if p.Stones[i] == stone {
			points = append(points, board.Point(i))
		}
	}
	return points
}

// vertices are the points with these names.
func (p *Problem) vertices(names []string) (points []board.Point) {
	for _, v := range names {
		if at, err := (board.Size{W: p.Width, H: p.Height}).ParseVertex(v); err == nil && at != board.Pass {
			points = append(points, at)
		}
	}
	return points
}

// Search judges a move that the problem has no answer for: the positions after it
// and after the best move are searched with equal visits.
func (p *Problem) Search(judge func(*board.Game) (*review.Eval, error), move string) (*Answer, error) {
	start, err := p.Position()
	if err != nil {
		return nil, err
	}
	size := start.Size()
	evals := [2]*review.Eval{}
	for i, v := range []string{p.Answers[0].Move, move} {
		at, err := size.ParseVertex(v)
		if err != nil {
			return nil, err
		}
		var g board.Game
		g.CopyFrom(start)
		if err := g.Play(g.ToMove(), at); err != nil {
			return nil, err
		}
		if evals[i], err = judge(&g); err != nil {
			return nil, err
		}
	}
	sign := 1.0
	if p.ToMove == "w" {
		sign = -1
	}
	a := &Answer{Move: move, Loss: review.Round(max(0, sign*(evals[0].Lead-evals[1].Lead)), 2), WinrateLoss: review.Round(max(0, sign*(evals[0].Winrate-evals[1].Winrate)), 4)}
	a.Accepted = Accepts(a.Loss, a.WinrateLoss, p.Loss)
	if len(evals[1].Moves) > 0 {
		a.Line = append([]string{move}, evals[1].Moves[0].Line...)
	}
	return a, nil
}

// Trees returns the problems as game trees: the position, and below it the good
// answers and the mistake. Without a problem there is one tree that says so, since a file of
// records is never empty.
func (d *Set) Trees() []*sgf.Node {
	if len(d.Problems) == 0 {
		return []*sgf.Node{(&sgf.Record{Size: board.Square(19), Application: "Kosumi", Comment: "There is no problem yet: no mistake was large and sure enough."}).Tree()}
	}
	var trees []*sgf.Node
	for i := range d.Problems {
		trees = append(trees, d.Problems[i].tree())
	}
	return trees
}

func (p *Problem) tree() *sgf.Node {
	size := board.Size{W: p.Width, H: p.Height}
	toMove, _ := board.ParseColor(p.ToMove)
	root := (&sgf.Record{Size: size, Komi: p.Komi, HasKomi: true, Name: fmt.Sprintf("%s, move %d", p.Game, p.Number), Application: "Kosumi",
		Comment: p.question(sideName(toMove)),
		Setup:   &sgf.Setup{Black: p.points('X'), White: p.points('O'), ToMove: toMove}}).Tree()
	var group []string
	for _, at := range p.vertices(p.Group) {
		group = append(group, sgf.FormatPoint(size, at))
	}
	if group != nil {
		root.Set("TR", group...)
	}
	add := func(line []string, comment string, good bool) {
		n, color := root, toMove
		for i, v := range line {
			at, err := size.ParseVertex(v)
			if err != nil {
				return
			}
			n = n.NewChild()
			n.Set(sideName(color)[:1], sgf.FormatPoint(size, at))
			if i == 0 {
				n.SetText("C", comment)
				if good {
					n.Set("TE", "1")
				} else {
					n.Set("BM", "1")
				}
			}
			color = color.Opponent()
		}
	}
	for _, a := range p.Answers {
		if a.Accepted {
			add(lineOf(a), fmt.Sprintf("Good. %s", p.Reason), true)
		}
	}
	if p.Played == "" {
		return root
	}
	add([]string{p.Played}, fmt.Sprintf("Played in the game: loses %s.", review.Points(p.Loss, 0)), false)
	return root
}

// sideName names a colour: "Black" or "White".
func sideName(c board.Color) string {
	if c == board.White {
		return "White"
	}
	return "Black"
}

// lineOf is the continuation of an answer, at least the move itself.
func lineOf(a Answer) []string {
	if len(a.Line) == 0 {
		return []string{a.Move}
	}
	return a.Line
}

// Read reads a problem set.
func Read(r io.Reader) (*Set, error) {
	var d Set
	if err := json.NewDecoder(io.LimitReader(r, 256<<20)).Decode(&d); err != nil {
		return nil, fmt.Errorf("not a problem set: %w", err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("a problem set of version %d; this program reads %d", d.Version, Version)
	}
	for i := range d.Problems {
		p := &d.Problems[i]
		if _, err := p.Position(); err != nil {
			return nil, fmt.Errorf("problem %d: %w", i+1, err)
		}
		if len(p.Answers) == 0 {
			return nil, fmt.Errorf("problem %d has no answer", i+1)
		}
		if group := p.vertices(p.Group); p.Task != "" && (len(group) == 0 || p.Stones[group[0]] == '.') {
			return nil, fmt.Errorf("problem %d asks about a group that is not there", i+1)
		}
	}
	return &d, nil
}
