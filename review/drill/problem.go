package drill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// Version is the version of the JSON form of [Set].
const Version = 1

// Set is a problem set, with the version of its JSON form.
type Set struct {
	Version  int       `json:"version"`
	Problems []Problem `json:"problems"`
}

// Problem asks for a better move than the played one, for the move that saves or kills a group, or
// for the author's answer.
type Problem struct {
	// ID is the same for the same position, rules and komi.
	ID     string `json:"id"`
	Game   string `json:"game"`             // the game with the mistake, or the name of the collection
	Number int    `json:"number"`           // number of the move that was a mistake, or of the problem
	Player string `json:"player,omitempty"` // the player's name in the record
	// Against names the opponent, with the rank if the record has it. If the opponent is this
	// program, it is the rank alone.
	Against string  `json:"against,omitempty"`
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Stones  string  `json:"stones"` // X, O and dots from the top left
	ToMove  string  `json:"toMove"` // "b" or "w"
	Rules   string  `json:"rules"`  // rules as JSON, without komi
	Komi    float64 `json:"komi"`
	// Played is the move of the game, which lost Loss points.
	Played string      `json:"played"`
	Loss   float64     `json:"loss"`
	Last   string      `json:"last,omitempty"` // the opponent's last move
	Kind   review.Kind `json:"kind"`
	Reason string      `json:"reason"`
	// Claims are the claims that make up Reason.
	Claims []review.Claim `json:"claims,omitempty"`
	// Task is Live or Kill: save or kill Group, with one proved solution. It is empty for other
	// problems. Level is 1 to 5 in the built-in collection, 0 elsewhere.
	Task  string   `json:"task,omitempty"`
	Group []string `json:"group,omitempty"`
	Level int      `json:"level,omitempty"`
	// Assumed names the chains that the proof assumes alive. If it is empty, these are the chains
	// around the group.
	Assumed []string `json:"assumed,omitempty"`
	// Answers are the judged moves, best first.
	Answers []Answer `json:"answers"`
	// Text is the author's comment on a problem from the player's own files. answers is the node above
	// the author's answers, nil for other problems.
	Text    string `json:"text,omitempty"`
	answers *sgf.Node
	takes   bool // the first move takes the group; known only for the built-in collection
}

// Answer is a judged answer to a problem.
type Answer struct {
	Move string  `json:"move"`
	Loss float64 `json:"loss"` // points lost, 0 for the best move
	// WinrateLoss is the mover's loss of winrate, 0..1.
	WinrateLoss float64  `json:"winrateLoss"`
	Accepted    bool     `json:"accepted"`
	Line        []string `json:"line,omitempty"`
}

// Conditions for a mistake to become a problem.
const (
	drillLoss     = 3    // minimum loss in points, except for a game's drillWorst worst mistakes
	drillWorst    = 3    // number of a game's worst mistakes exempt from drillLoss
	drillSure     = 1.5  // minimum difference between the loss and its error, in points
	drillLead     = 30   // maximum lead of either side, in points
	drillChance   = 0.05 // minimum winrate of either side
	drillObvious  = 0.9  // maximum prior of the best move
	drillFindable = 0.01 // minimum prior of the best move
	judgedVisits  = 3    // minimum number of visits of an answer
)

// Accepts reports whether an answer is good enough, by its loss and the mistake's loss, in points,
// and its winrate loss (0..1).
func Accepts(answerLoss, winrateLoss, mistakeLoss float64) bool {
	return answerLoss <= max(1, 0.25*mistakeLoss) && winrateLoss <= 0.04
}

// Collect replaces the problems of a game by those of its new review. Of the drillWorst worst
// mistakes it returns those that lost drillLoss points or more but are unfit as problems.
func (d *Set) Collect(res *review.Result) (left []review.LeftOut) {
	d.Version = Version
	d.Forget(res.Game.File)
	for rank, t := range res.Mistakes {
		m := &res.Moves[t]
		if m.Loss < drillLoss && rank >= drillWorst {
			continue
		}
		if slices.ContainsFunc(res.Only, func(o review.Only) bool { return o.Ply == t && o.Line[0] != m.Move }) {
			continue // the mistake becomes a problem of life and death
		}
		if why := unfit(res, t); why != "" {
			if m.Loss >= drillLoss && rank < drillWorst {
				left = append(left, review.LeftOut{Ply: t, Why: why})
			}
			continue
		}
		d.add(ProblemOf(res, t))
	}
	for i := range res.Only {
		if o := &res.Only[i]; o.Line[0] == res.Moves[o.Ply].Move {
			continue // the player found the only move
		}
		d.add(lifeProblem(res, &res.Only[i]))
	}
	return left
}

// add adds a problem unless the set has a problem with the same ID.
func (d *Set) add(p Problem) {
	if !slices.ContainsFunc(d.Problems, func(old Problem) bool { return old.ID == p.ID }) {
		d.Problems = append(d.Problems, p)
	}
}

func (d *Set) Forget(game string) {
	d.Problems = slices.DeleteFunc(d.Problems, func(p Problem) bool { return p.Game == game })
}

// ProblemOf returns the problem that asks for a better move than ply t, which must have been
// judged.
func ProblemOf(res *review.Result, t int) Problem {
	m, p := &res.Moves[t], &res.Positions[t]
	q := Problem{Game: res.Game.File, Number: m.Number, Width: res.Game.Width, Height: res.Game.Height, Stones: p.Stones, ToMove: m.Color,
		Rules: res.Game.Rules, Komi: res.Game.Komi, Played: m.Move, Loss: m.Loss, Kind: m.Kind, Reason: m.Reason, Claims: m.Claims}
	g := res.Game
	q.Player, q.Against = g.Black, opponent(g.White, g.WhiteRank)
	if m.Color == "w" {
		q.Player, q.Against = g.White, opponent(g.Black, g.BlackRank)
	}
	if t > 0 {
		q.Last = res.Moves[t-1].Move
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%dx%d %s %s %s %g", q.Width, q.Height, q.Stones, q.ToMove, q.Rules, q.Komi)))
	q.ID = hex.EncodeToString(sum[:8])
	q.Answers = answersOf(m.Best, m)
	return q
}

func opponent(name, rank string) string {
	if name == "Kosumi" && rank != "" {
		name = ""
	}
	return strings.TrimSpace(name + " " + rank)
}

// Title names the origin of a problem.
func (p *Problem) Title() string {
	switch {
	case p.Level > 0:
		return fmt.Sprintf("life and death %d, level %d", p.Number, p.Level)
	case p.answers != nil:
		return fmt.Sprintf("%s, problem %d", p.Game, p.Number)
	case p.Player == "You" && p.Against != "":
		return fmt.Sprintf("your game against %s, move %d", p.Against, p.Number)
	case p.Player != "" && p.Against != "":
		return fmt.Sprintf("%s against %s, move %d", p.Player, p.Against, p.Number)
	}
	return fmt.Sprintf("%s, move %d", p.Game, p.Number)
}

// unfit returns the reason why a mistake is unfit as a problem, "" if it is fit.
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
	case slices.ContainsFunc(answersOf(m.Best, m), func(a Answer) bool { return a.Move == "pass" && a.Accepted }):
		return "to pass is as good as any move"
	case best.Prior > drillObvious:
		return "the better move is obvious"
	case best.Prior < drillFindable:
		return "the better move is too hard to find"
	}
	return ""
}

// answersOf judges the moves of a search by comparison with the best move.
func answersOf(best []review.Candidate, m *review.Move) []Answer {
	sign := review.Sign(m.Color)
	var answers []Answer
	for i := range best {
		c := &best[i]
		a := Answer{Move: c.Move, Loss: review.Round(max(0, sign*(best[0].Lead-c.Lead)), 2), WinrateLoss: review.Round(max(0, sign*(best[0].Winrate-c.Winrate)), 4), Line: c.Line}
		if c.Move == m.Move {
			a.Loss, a.WinrateLoss = m.Loss, m.WinrateLoss // the loss found by searching the next position
			a.Line = append([]string{m.Move}, m.Refutation...)
		} else if i > 0 && c.Visits < judgedVisits { // the best move is an answer even with few visits
			continue
		}
		a.Accepted = c.Move != m.Move && Accepts(a.Loss, a.WinrateLoss, m.Loss)
		answers = append(answers, a)
	}
	return answers
}

// Answer returns the judgement of a move, or nil if it was not judged. In a problem of life
// and death all moves but the solution are wrong.
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

// Position returns a game that begins with the problem. Errors wrap those of package board.
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

// vertices returns the points with these names.
func (p *Problem) vertices(names []string) (points []board.Point) {
	for _, v := range names {
		if at, err := (board.Size{W: p.Width, H: p.Height}).ParseVertex(v); err == nil && at != board.Pass {
			points = append(points, at)
		}
	}
	return points
}

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
	if p.Played != "" {
		add([]string{p.Played}, fmt.Sprintf("Played in the game: loses %s.", review.Points(p.Loss, 0)), false)
	}
	return root
}

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
