package life

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
	"kosumi/sgf"
)

// Properties of the root of an answer's game record. The first holds the proof file, the second the checksum of the
// record without the second property itself.
const (
	proofProperty = "KP"
	sumProperty   = "KS"
)

// PositionOf returns the position of the main line after a number of moves, or at its end if move
// is negative. Before the first move, the position may contain chains without liberties, which must
// be assumed alive. The caller sets Targets and Assumed.
func PositionOf(root *sgf.Node, move int) (*Question, error) {
	size, err := sgf.SizeOf(root)
	if err != nil {
		return nil, err
	}
	q := &Question{Size: size, Stones: make([]board.Color, size.Area()), Ko: board.NoPoint}
	rec, err := sgf.RecordOf(root)
	if err != nil {
		return nil, err
	}
	rules, err := rec.BoardRules()
	if err != nil {
		rules = board.TrompTaylor()
		rules.Suicide = false
	}
	q.Suicide = rules.Suicide
	n := len(rec.Moves())
	if move > n {
		return nil, fmt.Errorf("%w: move %d: the record has %d moves", ErrQuestion, move, n)
	}
	if move >= 0 {
		n = move
	}
	if n == 0 {
		if rec.Setup != nil {
			for _, p := range rec.Setup.Black {
				q.Stones[p] = board.Black
			}
			for _, p := range rec.Setup.White {
				q.Stones[p] = board.White
			}
		}
		return q, rec.Fault
	}
	g, err := rec.Game(rules, n)
	if err != nil {
		return nil, err
	}
	return QuestionOf(g), nil
}

// QuestionOf returns the position of a game. The caller sets Targets and Assumed.
func QuestionOf(g *board.Game) *Question {
	q := &Question{Size: g.Size(), Stones: make([]board.Color, g.Size().Area()), Suicide: g.Rules().Suicide, Ko: board.NoPoint}
	for p := range q.Stones {
		q.Stones[p] = g.At(board.Point(p))
	}
	if b := g.Board(); b.KoPoint() != board.NoPoint {
		q.Ko, q.KoSide = b.KoPoint(), g.ToMove()
	}
	return q
}

// ProofIn returns the proof file in data. The data must be a proof file or a game record that contains one.
func ProofIn(data []byte) ([]byte, error) {
	if len(data) >= len(check.Magic) && string(data[:len(check.Magic)]) == check.Magic {
		return data, nil
	}
	roots, err := sgf.Parse(data)
	if err != nil || len(roots) != 1 || !roots[0].Has(proofProperty) {
		return nil, fmt.Errorf("%w: neither a proof file nor a game record with a proof in it", check.ErrProof)
	}
	root := roots[0]
	sum := root.Get(sumProperty)
	root.Remove(sumProperty)
	if err := sign(root); err != nil {
		return nil, err
	}
	if again, err := sgf.Marshal(roots...); err != nil || sum != root.Get(sumProperty) || !bytes.Equal(again, data) {
		return nil, fmt.Errorf("%w: the game record was changed since it was written", check.ErrProof)
	}
	return []byte(root.Text(proofProperty)), nil
}

// sign sets the checksum of a record.
func sign(root *sgf.Node) error {
	data, err := sgf.Marshal(root)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	root.Set(sumProperty, hex.EncodeToString(sum[:]))
	return nil
}

// mostNodes limits the nodes below the root of an answer's game record.
const mostNodes = 2000

// record returns an answer as a game record to play through, with the proof in its root. For each
// first mover, the line of longest resistance comes first.
func (a *asker) record(out *Answer, cards [2]*Card) (*sgf.Node, error) {
	q := a.q
	root := &sgf.Node{}
	root.Set("GM", "1")
	root.Set("FF", "4")
	root.SetText("CA", "UTF-8")
	root.Set("SZ", fmt.Sprint(q.Size.W))
	if q.Size.W != q.Size.H {
		root.Set("SZ", fmt.Sprintf("%d:%d", q.Size.W, q.Size.H))
	}
	var stones [3][]board.Point
	for p, c := range q.Stones {
		stones[c] = append(stones[c], board.Point(p))
	}
	a.mark(root, "AB", stones[board.Black])
	a.mark(root, "AW", stones[board.White])
	a.mark(root, "TR", q.Targets)
	a.mark(root, "SQ", q.Assumed)
	root.SetText("C", out.Text())
	root.SetText(proofProperty, string(out.Proof))
	for first, c := range cards {
		if c == nil || !c.Proved {
			continue
		}
		for _, cl := range a.claims {
			if cl.first == solver.Side(first) && len(cl.after) == 0 && !cl.evaded && cl.threat == [2]uint8{} {
				left := mostNodes / 2
				a.line(root, cl.proof, &left)
				break
			}
		}
	}
	return root, sign(root)
}

// mark sets a property to a list of points, without duplicates.
func (a *asker) mark(n *sgf.Node, id string, points []board.Point) {
	var values []string
	for i, p := range points {
		if !slices.Contains(points[:i], p) {
			values = append(values, sgf.FormatPoint(a.q.Size, p))
		}
	}
	if len(values) > 0 {
		n.Set(id, values...)
	}
}

// line adds the moves of a proof below a node. The counter left holds how many more nodes may be added.
func (a *asker) line(n *sgf.Node, at int32, left *int) {
	r := a.s.Proof(at)
	switch r.Kind {
	case solver.LeafTaken:
		n.SetText("C", "taken")
		return
	case solver.LeafSafe:
		n.SetText("C", "pass-alive, or joined to a chain that is alive by assumption")
		return
	case solver.LeafDoomed:
		n.SetText("C", "no room for two eyes is left")
		return
	case solver.WinnerMoves:
		if child := a.add(n, r.At.Mover, r.Move, left); child != nil {
			a.line(child, r.Next, left)
		}
		return
	}
	// Replies that were proved last come first: they needed the longest search.
	replies := slices.Clone(r.Replies)
	slices.SortFunc(replies, func(x, y solver.Reply) int { return int(y.To - x.To) })
	share := *left / max(1, len(replies))
	for i, x := range replies {
		part := share
		if i == 0 {
			part = max(share, *left/2)
		}
		part = min(part, *left)
		rest := *left - part
		child := a.add(n, r.At.Mover, x.Move, &part)
		switch {
		case child == nil:
		case x.To == solver.Stopped:
			child.SetText("C", "nothing else helps; both pass")
		default:
			a.line(child, x.To, &part)
		}
		*left = rest + part
	}
}

// add adds a move below a node; it returns nil if no more nodes may be added.
func (a *asker) add(n *sgf.Node, c solver.Side, m int16, left *int) *sgf.Node {
	if *left <= 0 {
		return nil
	}
	*left--
	child := n.NewChild()
	id := [...]string{board.Black: "B", board.White: "W"}[a.l.color(c)]
	point := board.Pass
	if m >= 0 {
		point = a.l.point[m]
	}
	child.Set(id, sgf.FormatPoint(a.q.Size, point))
	return child
}
