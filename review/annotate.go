package review

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/sgf"
)

// Marks by which a review recognises, and replaces, the additions of an earlier review to a record.
const (
	commentBegin = "--- Kosumi ---"
	commentEnd   = "--- end of review ---"
	lineName     = "Kosumi: better" // name (N) of the added variations
	marksID      = "KOSUMI"         // lists the review's additions to a node: property HO, or MA:dd for value dd of MA
	replaced     = " was "          // in marksID, stands between a removed property and its old value: "DO was 1"
)

// Limits of an annotated record.
const (
	hotSpots   = 5   // maximum number of moves marked as hot spots (HO)
	alsoWithin = 0.5 // largest difference in points between the first choice and an alternative that is shown
	farAway    = 5   // minimum distance on the board between first choice and alternative
)

// Annotated returns a copy of the game tree with the review: winrate and lead after each move
// (SBKV, SBKS, V), comments, marks of mistakes (DO, BM, HO, MA on the better point) and the
// better lines as variations. It keeps the record's own comments and variations and replaces
// the additions of an earlier review. application becomes property AP, the name of the program.
func Annotated(g *Game, res *Result, application string) *sgf.Node {
	root, copies := copyTree(g.root)
	for n := range root.All() {
		dropReview(n)
	}
	root.SetText("AP", application)
	root.Set("CA", "UTF-8")
	addComment(root, overview(res))
	if res.Positions[0].Visits > 0 && g.nodes[0] != g.root {
		setValues(root, &res.Positions[0])
	}
	parents := map[*sgf.Node]*sgf.Node{}
	var last *sgf.Node
	for n := range root.MainLine() {
		parents[n], last = last, n
	}
	hot := res.Mistakes[:min(hotSpots, len(res.Mistakes))]
	for t := range res.Moves {
		m, n := &res.Moves[t], copies[g.nodes[t]]
		if p := &res.Positions[t+1]; p.Visits > 0 {
			setValues(n, p)
			addComment(n, moveText(m, p)+settledText(res, t+1))
		}
		if !m.Listed {
			continue
		}
		for _, id := range []string{"BM", "DO", "IT", "TE"} { // a node may have only one of these
			if n.Has(id) && !slices.Contains(n.Values(marksID), id) {
				ours(n, id+replaced+n.Get(id))
			}
			n.Remove(id)
		}
		switch m.Class {
		case Inaccuracy:
			mark(n, "DO", "")
		case Mistake:
			mark(n, "BM", "1")
		default:
			mark(n, "BM", "2")
		}
		if slices.Contains(hot, t) && !n.Has("HO") {
			mark(n, "HO", "1")
		}
		markBetter(g, m, n)
		if parent := parents[n]; parent != nil {
			addLines(g, m, parent)
		}
	}
	return root
}

// copyTree returns a copy of a game tree, and a map from the nodes to their copies.
func copyTree(root *sgf.Node) (*sgf.Node, map[*sgf.Node]*sgf.Node) {
	copies := map[*sgf.Node]*sgf.Node{}
	for n := range root.All() {
		c := &sgf.Node{}
		for _, p := range n.Properties {
			c.Properties = append(c.Properties, sgf.Property{ID: p.ID, Values: slices.Clone(p.Values)})
		}
		copies[n] = c
	}
	for n, c := range copies {
		for _, child := range n.Children {
			c.Children = append(c.Children, copies[child])
		}
	}
	return copies[root], copies
}

// dropReview removes an earlier review from a node.
func dropReview(n *sgf.Node) {
	n.Children = slices.DeleteFunc(n.Children, func(c *sgf.Node) bool { return strings.HasPrefix(c.SimpleText("N"), lineName) })
	for text := n.Text("C"); ; {
		from := strings.Index(text, commentBegin)
		length := strings.Index(text[max(from, 0):], commentEnd)
		if from < 0 || length < 0 {
			break
		}
		text = strings.TrimSpace(text[:from] + text[from+length+len(commentEnd):])
		n.SetText("C", text)
	}
	marks := n.Values(marksID)
	for _, id := range marks {
		if strings.Contains(id, replaced) {
			continue
		}
		id, at, listed := strings.Cut(id, ":")
		rest := slices.DeleteFunc(slices.Clone(n.Values(id)), func(v string) bool { return !listed || v == at })
		if len(rest) > 0 {
			n.Set(id, rest...)
		} else {
			n.Remove(id)
		}
	}
	for _, id := range marks {
		if id, was, ok := strings.Cut(id, replaced); ok {
			n.Set(id, was)
		}
	}
	n.Remove(marksID)
}

// mark sets a property and lists it as an addition of the review.
func mark(n *sgf.Node, id, value string) {
	n.Set(id, value)
	ours(n, id)
}

// ours lists a property in marksID as an addition of the review.
func ours(n *sgf.Node, id string) {
	if marks := n.Values(marksID); !slices.Contains(marks, id) {
		n.Set(marksID, append(slices.Clone(marks), id)...)
	}
}

// addComment appends a review's text to a node's comment.
func addComment(n *sgf.Node, text string) {
	text = commentBegin + "\n" + text + "\n" + commentEnd
	if old := strings.TrimSpace(n.Text("C")); old != "" {
		text = old + "\n\n" + text
	}
	n.SetText("C", text)
}

// setValues writes Black's winrate and lead: SBKV in percent and SBKS in points for Sabaki, and
// V as in FF[4].
func setValues(n *sgf.Node, p *Position) {
	n.SetTenths("SBKV", 100*p.Winrate)
	n.SetTenths("SBKS", p.Lead)
	n.SetTenths("V", p.Lead)
	for _, id := range []string{"SBKV", "SBKS", "V"} {
		ours(n, id)
	}
}

func overview(res *Result) string {
	var b strings.Builder
	fmt.Fprintln(&b, res.Summary)
	for i, side := range []string{"Black", "White"} {
		p := &res.Players[i]
		fmt.Fprintf(&b, "%s: accuracy %.0f, %.2f points a move lost, first choice %.0f %%.\n", side, Round(p.Accuracy, 0), p.Mean, Round(100*p.First, 0))
	}
	for i := range res.Groups {
		fmt.Fprintln(&b, res.Groups[i].text())
	}
	fmt.Fprintf(&b, "Judged by %s, %d visits.", res.Network, res.Visits)
	for _, note := range res.Notes {
		fmt.Fprintf(&b, "\n%s", note)
	}
	return b.String()
}

// leadText names the side that is ahead, with its lead and winrate.
func leadText(p *Position) string {
	who, points, chance := leaderOf(p.Lead, p.Winrate)
	if points == 0 {
		return fmt.Sprintf("even (%s %.0f %%)", who, 100*chance)
	}
	return fmt.Sprintf("%s +%.1f (%.0f %%)", who, points, 100*chance)
}

func moveText(m *Move, p *Position) string {
	text := fmt.Sprintf("%s, %d visits", leadText(p), p.Visits)
	if !m.Judged {
		return text
	}
	if m.Loss > 0 {
		text += fmt.Sprintf(". %s%s: lost %s (±%.1f)", m.Move, m.Class.Mark(), Points(m.Loss, 0), m.Error)
	} else if m.Order == 0 {
		text += ". First choice"
	}
	if m.Listed {
		text += ".\n" + m.Reason
		if len(m.Best) > 0 {
			text += "\nBetter: " + strings.Join(m.Best[0].Line, " ")
		}
	}
	return text
}

// markBetter marks the better point with a cross.
func markBetter(g *Game, m *Move, n *sgf.Node) {
	if len(m.Best) == 0 {
		return
	}
	p, err := g.Record.Size.ParseVertex(m.Best[0].Move)
	if err != nil || p < 0 {
		return
	}
	for _, id := range []string{"TR", "SQ", "CR", "SL", "MA", "LB"} { // a point has at most one mark
		for _, v := range n.Values(id) {
			if id == "LB" {
				v, _, _ = strings.Cut(v, ":")
			}
			if marked, _ := sgf.AppendPoints(nil, g.Record.Size, v); slices.Contains(marked, p) {
				return
			}
		}
	}
	at := sgf.FormatPoint(g.Record.Size, p)
	n.Set("MA", append(slices.Clone(n.Values("MA")), at)...)
	ours(n, "MA:"+at)
}

// addLines adds up to two variations: the best line, and one that is almost as good but begins
// far from the best move.
func addLines(g *Game, m *Move, parent *sgf.Node) {
	size := g.Record.Size
	first, err := size.ParseVertex(m.Best[0].Move)
	if err != nil {
		return
	}
	addLine(g, m, &m.Best[0], parent)
	for i := range m.Best[1:min(len(m.Best), linesKept)] {
		c := &m.Best[i+1]
		p, err := size.ParseVertex(c.Move)
		if err != nil || p < 0 || first < 0 || c.Move == m.Move || Sign(m.Color)*(m.Best[0].Lead-c.Lead) > alsoWithin {
			continue
		}
		x, y := size.XY(first)
		px, py := size.XY(p)
		if max(x-px, px-x)+max(y-py, py-y) >= farAway {
			addLine(g, m, c, parent)
			return
		}
	}
}

// addLine adds a variation unless the record has one that begins with the same move.
func addLine(g *Game, m *Move, c *Candidate, parent *sgf.Node) {
	if len(c.Line) == 0 {
		return
	}
	n, color := parent, m.Color
	for i, v := range c.Line {
		id := strings.ToUpper(color)
		p, err := g.Record.Size.ParseVertex(v)
		if err != nil {
			return
		}
		at := sgf.FormatPoint(g.Record.Size, p)
		if i == 0 && slices.ContainsFunc(parent.Children, func(old *sgf.Node) bool { return old.Has(id) && old.Get(id) == at }) {
			return
		}
		n = n.NewChild()
		n.Set(id, at)
		if i == 0 {
			n.SetText("N", lineName)
		}
		color = Opponent(color)
	}
	n.SetText("C", leadText(&Position{Lead: c.Lead, Winrate: c.Winrate})+fmt.Sprintf(", %d visits", c.Visits))
}
