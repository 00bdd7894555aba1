package store

import (
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// edit is a change of a document, which can be undone until it is saved.
type edit struct {
	*Document
	undo  []func()
	count int // number of nodes before the edit
	place int
	was   board.Rules
	set   []*treeNode
	gone  []int
}

// keep must be called before a node changes. It saves the node's state for undo, and lists the node
// as changed for pages.
func (e *edit) keep(n *treeNode) {
	if slices.Contains(e.set, n) {
		return
	}
	e.set = append(e.set, n)
	properties, children, kids := slices.Clone(n.sgf.Properties), slices.Clone(n.sgf.Children), slices.Clone(n.kids)
	e.undo = append(e.undo, func() { n.sgf.Properties, n.sgf.Children, n.kids = properties, children, kids })
}

// grow adds a node below parent.
func (e *edit) grow(parent *treeNode, child *sgf.Node) *treeNode {
	e.keep(parent)
	parent.sgf.Children = append(parent.sgf.Children, child)
	n := e.add(child, parent)
	e.set = append(e.set, n)
	return n
}

// takeBack undoes the edit.
func (e *edit) takeBack() {
	for _, undo := range slices.Backward(e.undo) {
		undo()
	}
	e.nodes, e.at, e.rules = e.nodes[:e.count], e.place, e.was
}

// commit saves the document, then publishes the change.
func (e *edit) commit() error {
	if len(e.set) == 0 {
		return nil
	}
	if err := e.save(); err != nil {
		return api.NotSaved(err)
	}
	e.rev++
	ch := api.DocChange{Doc: e.id, Rev: e.rev, Rules: wire.RulesName(e.rules), Komi: float64(e.rules.Komi), Set: []api.Node{}, Gone: e.gone}
	for _, n := range e.set {
		ch.Set = append(ch.Set, e.wire(n))
	}
	e.home.pages.Publish("doc:"+e.id, api.DocNews.Of(ch))
	return nil
}

func (e *edit) perform(n *treeNode, op *api.TreeOp) (*api.NodeRef, error) {
	switch op.Op {
	case "goto":
		e.at = op.Node
		return nil, nil
	case "play":
		return e.play(n, op)
	case "delete":
		return nil, e.cut(n)
	case "promote":
		e.promote(n)
		return nil, nil
	case "note":
		if len(op.Note) > maxNote {
			return nil, api.Tell("limit", "note_long", "n", maxNote)
		}
		e.keep(n)
		n.sgf.SetText("C", op.Note)
		return nil, nil
	case "marks":
		return nil, e.setMarks(n, op.Marks)
	case "setup":
		return e.setup(n, op)
	case "info":
		return nil, e.setInfo(op)
	}
	return nil, api.Refuse("unsupported", "unknown operation %q", wire.Shown(op.Op, 20))
}

// play adds moves below a node. If a move is there already, play follows it.
func (e *edit) play(n *treeNode, op *api.TreeOp) (*api.NodeRef, error) {
	line := op.Line
	if op.Move != "" {
		line = append([]string{op.Move}, line...)
	}
	if len(line) == 0 || len(line) > 1000 {
		return nil, api.Refuse("bad_request", "one move at least, and at most 1000")
	}
	g, _, err := e.game(n)
	if err != nil {
		return nil, api.Refuse("bad_request", "%v", err)
	}
	for i, v := range line {
		p, err := e.size.ParseVertex(v)
		if err != nil {
			return nil, api.RefuseWith("illegal", "board", "no such point")
		}
		c := g.ToMove()
		if named := wire.ParseColour(op.C); i == 0 && named != board.Empty {
			g.SetToMove(named)
			c = named
		}
		if kid := e.follow(n, c, p); kid != nil {
			n = kid
			if err := g.PlayTolerant(c, p); err != nil {
				return nil, wire.Illegal(err)
			}
			continue
		}
		if err := g.Play(c, p); err != nil {
			return nil, wire.Illegal(err)
		}
		if len(e.nodes) >= wire.MaxNodes {
			return nil, api.Tell("limit", "tree_full", "n", wire.MaxNodes)
		}
		child := new(sgf.Node)
		child.Set(strings.ToUpper(wire.Letter(c)), sgf.FormatPoint(e.size, p))
		n = e.grow(n, child)
	}
	e.at = n.id
	return &api.NodeRef{Node: n.id}, nil
}

func (d *Document) follow(n *treeNode, c board.Color, p board.Point) *treeNode {
	for _, k := range n.kids {
		if kc, kp, ok := d.move(k); ok && kc == c && kp == p {
			return k
		}
	}
	return nil
}

// cut removes a node and all below it.
func (e *edit) cut(n *treeNode) error {
	if n.parent == nil {
		return api.Tell("bad_request", "root_stays")
	}
	p := n.parent
	e.keep(p)
	p.kids = slices.DeleteFunc(p.kids, func(k *treeNode) bool { return k == n })
	p.sgf.Children = slices.DeleteFunc(p.sgf.Children, func(k *sgf.Node) bool { return k == n.sgf })
	var out []*treeNode
	for todo := []*treeNode{n}; len(todo) > 0; {
		m := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], m.kids...)
		out = append(out, m)
		e.gone = append(e.gone, m.id)
		e.nodes[m.id] = nil
		if e.at == m.id {
			e.at = p.id
		}
	}
	e.undo = append(e.undo, func() {
		for _, m := range out {
			e.nodes[m.id] = m
		}
	})
	return nil
}

// promote makes the line through a node the main line.
func (e *edit) promote(n *treeNode) {
	for ; n.parent != nil; n = n.parent {
		p := n.parent
		if i := slices.Index(p.kids, n); i > 0 {
			e.keep(p)
			p.kids = slices.Insert(slices.Delete(p.kids, i, i+1), 0, n)
			p.sgf.Children = slices.Insert(slices.Delete(p.sgf.Children, i, i+1), 0, n.sgf)
		}
	}
}

// markKinds are the properties that hold marks.
var markKinds = []string{"TR", "SQ", "CR", "MA", "LB"}

func (e *edit) setMarks(n *treeNode, marks []api.Mark) error {
	if len(marks) > e.size.Area() {
		return api.Tell("bad_request", "marks_many")
	}
	values := map[string][]string{}
	for _, m := range marks {
		p, err := e.size.ParseVertex(m.Point)
		id := strings.ToUpper(m.Kind)
		if err != nil || p == board.Pass || !slices.Contains(markKinds, id) {
			return api.Refuse("bad_request", "not a mark")
		}
		v := sgf.FormatPoint(e.size, p)
		if id == "LB" {
			v += ":" + sgf.Escape(m.Label)
		}
		values[id] = append(values[id], v)
	}
	e.keep(n)
	for _, id := range markKinds {
		if n.sgf.Remove(id); len(values[id]) > 0 {
			n.sgf.Set(id, values[id]...)
		}
	}
	return nil
}

// setup changes the set-up stones of a node; for a node with a move or children it adds a node.
func (e *edit) setup(n *treeNode, op *api.TreeOp) (*api.NodeRef, error) {
	_, _, isMove := e.move(n)
	fresh := isMove || len(n.kids) > 0
	child := &sgf.Node{}
	if !fresh {
		child.Properties = slices.Clone(n.sgf.Properties)
	}
	seen := map[board.Point]bool{}
	for _, part := range []struct {
		id     string
		points []string
	}{{"AB", op.Black}, {"AW", op.White}, {"AE", op.Empty}} {
		var values []string
		for _, v := range part.points {
			p, err := e.size.ParseVertex(v)
			if err != nil || p == board.Pass || seen[p] {
				return nil, api.RefuseWith("illegal", "board", wire.Shown(v, 20)+" is no point, or is named twice: name each point once, as black, white or empty")
			}
			seen[p] = true
			values = append(values, sgf.FormatPoint(e.size, p))
		}
		if child.Remove(part.id); len(values) > 0 {
			child.Set(part.id, values...)
		}
	}
	if child.Remove("PL"); wire.ParseColour(op.Turn) != board.Empty {
		child.Set("PL", strings.ToUpper(op.Turn))
	}
	trial := &treeNode{sgf: child, parent: n.parent}
	if fresh {
		trial.parent = n
	}
	if _, _, err := e.game(trial); err != nil {
		return nil, api.RefuseWith("illegal", "board", err.Error())
	}
	if fresh {
		n = e.grow(n, child)
		e.at = n.id
	} else {
		e.keep(n)
		n.sgf.Properties = child.Properties
	}
	return &api.NodeRef{Node: n.id}, nil
}

// setInfo changes the rules, the komi or both in the record, and keeps the one that op leaves out.
func (e *edit) setInfo(op *api.TreeOp) error {
	rules := e.rules
	if op.Rules != "" {
		var err error
		if rules, err = board.ParseRules(op.Rules); err != nil {
			return api.Refuse("bad_request", "%v", err)
		}
		rules.Komi = e.rules.Komi
	}
	if op.Komi != nil {
		rules.Komi = float32(*op.Komi)
		if err := wire.CheckRules(rules); err != nil {
			return err
		}
	}
	if err := rules.Check(); err != nil {
		return api.Refuse("bad_request", "%v", err)
	}
	root := e.root
	e.keep(e.nodes[0])
	if op.Rules != "" {
		root.SetText("RU", wire.RecordedRules(rules, op.Rules))
	}
	if says, err := sgf.RecordOf(root); op.Komi != nil || err != nil || !says.HasKomi || float32(says.Komi) != rules.Komi {
		root.Set("KM", wire.Decimal(float64(rules.Komi)))
	}
	e.rules = rules
	return nil
}

// Edit changes a document. On return the change is on the disk, or the document is as it was.
func (ds *Documents) Edit(op *api.TreeOp) (*api.NodeRef, error) {
	d, err := ds.lock(op.Doc)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	n, ok := d.node(op.Node)
	if !ok {
		return nil, api.Refuse("not_found", "the node is gone")
	}
	e := &edit{Document: d, count: len(d.nodes), place: d.at, was: d.rules}
	answer, err := e.perform(n, op)
	if err == nil {
		err = e.commit()
	}
	if err != nil {
		e.takeBack()
		return nil, err
	}
	return answer, nil
}
