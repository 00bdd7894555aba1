package web

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
)

// saveAfter is how long changes of a document gather before they are written.
const saveAfter = 500 * time.Millisecond

// treeOp changes a document.
func (c *conn) treeOp(op *api.TreeOp) (any, error) {
	d, err := c.s.hold(op.Doc)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	n, ok := d.node(op.Node)
	if !ok {
		return nil, refuse("not_found", "the node is gone")
	}
	switch op.Op {
	case "goto":
		d.at = op.Node
		return nil, nil
	case "play":
		return d.play(n, op)
	case "delete":
		return nil, d.cut(n)
	case "promote":
		return nil, d.promote(n)
	case "note":
		if len(op.Note) > maxNote {
			return nil, refuse("limit", "a note has at most %d bytes", maxNote)
		}
		n.sgf.SetText("C", op.Note)
		d.touch(n)
		return nil, nil
	case "marks":
		return nil, d.setMarks(n, op.Marks)
	case "setup":
		return d.setup(n, op)
	case "info":
		return nil, d.setInfo(op)
	}
	return nil, refuse("unsupported", "unknown operation %q", shown(op.Op, 20))
}

// touch tells pages of changed nodes and has the document saved soon.
func (d *doc) touch(changed ...*docNode) {
	ch := api.DocChange{Doc: d.id}
	for _, n := range changed {
		ch.Set = append(ch.Set, d.wire(n))
	}
	d.publish(ch)
}

func (d *doc) publish(ch api.DocChange) {
	d.rev++
	d.changed, d.dirty = time.Now(), true
	ch.Rev = d.rev
	if ch.Set == nil {
		ch.Set = []api.Node{}
	}
	if d.saver == nil {
		d.saver = time.AfterFunc(saveAfter, func() {
			if err := d.save(); err != nil {
				d.s.complain(fmt.Sprintf("document %s is not saved: %v", d.id, err), "doc")
			}
			d.mu.Lock()
			d.saver = nil
			d.mu.Unlock()
		})
	}
	d.s.publish("doc:"+d.id, api.Event{T: "doc.change", D: ch})
}

// play adds moves below a node, or follows those that are there.
func (d *doc) play(n *docNode, op *api.TreeOp) (any, error) {
	line := op.Line
	if op.Move != "" {
		line = append([]string{op.Move}, line...)
	}
	if len(line) == 0 || len(line) > 1000 {
		return nil, refuse("bad_request", "one move at least")
	}
	g, _, err := d.game(n)
	if err != nil {
		return nil, refuse("bad_request", "%v", err)
	}
	var changed []*docNode
	for i, v := range line {
		p, err := d.size.ParseVertex(v)
		if err != nil {
			return nil, refuseWith("illegal", "board", "no such point")
		}
		c := g.ToMove()
		if named := parseColour(op.C); i == 0 && named != board.Empty && named != c {
			g.SetToMove(named)
			c = named
		}
		if kid := d.follow(n, c, p); kid != nil {
			n = kid
			if err := g.PlayTolerant(c, p); err != nil {
				return nil, illegal(err)
			}
			continue
		}
		if err := g.Play(c, p); err != nil {
			if len(changed) > 0 {
				d.touch(changed...)
			}
			return nil, illegal(err)
		}
		if len(d.nodes) >= maxNodes {
			return nil, refuse("limit", "the tree has %d nodes", maxNodes)
		}
		child := n.sgf.NewChild()
		child.Set(strings.ToUpper(letter(c)), sgf.FormatPoint(d.size, p))
		kid := d.add(child, n)
		changed = append(changed, n, kid)
		n = kid
	}
	d.at = n.id
	if len(changed) > 0 {
		d.touch(uniq(changed)...)
	}
	return api.NodeRef{Node: n.id}, nil
}

func uniq(nodes []*docNode) []*docNode {
	var out []*docNode
	for _, n := range nodes {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func (d *doc) follow(n *docNode, c board.Color, p board.Point) *docNode {
	for _, k := range n.kids {
		if kc, kp, ok := d.move(k); ok && kc == c && kp == p {
			return k
		}
	}
	return nil
}

// cut takes a node and all below it out.
func (d *doc) cut(n *docNode) error {
	if n.parent == nil {
		return refuse("bad_request", "the beginning cannot be deleted")
	}
	p := n.parent
	p.kids = slices.DeleteFunc(p.kids, func(k *docNode) bool { return k == n })
	p.sgf.Children = slices.DeleteFunc(p.sgf.Children, func(k *sgf.Node) bool { return k == n.sgf })
	ch := api.DocChange{Doc: d.id, Set: []api.Node{d.wire(p)}}
	for todo := []*docNode{n}; len(todo) > 0; {
		m := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], m.kids...)
		ch.Gone = append(ch.Gone, m.id)
		d.nodes[m.id] = nil
		if d.at == m.id {
			d.at = p.id
		}
	}
	d.publish(ch)
	return nil
}

// promote makes the line to a node the main line.
func (d *doc) promote(n *docNode) error {
	var changed []*docNode
	for ; n.parent != nil; n = n.parent {
		p := n.parent
		if i := slices.Index(p.kids, n); i > 0 {
			p.kids = slices.Insert(slices.Delete(p.kids, i, i+1), 0, n)
			p.sgf.Children = slices.Insert(slices.Delete(p.sgf.Children, i, i+1), 0, n.sgf)
			changed = append(changed, p)
		}
	}
	if len(changed) > 0 {
		d.touch(changed...)
	}
	return nil
}

func (d *doc) setMarks(n *docNode, marks []api.Mark) error {
	if len(marks) > d.size.Area() {
		return refuse("bad_request", "more marks than points")
	}
	values := map[string][]string{}
	for _, m := range marks {
		p, err := d.size.ParseVertex(m.Point)
		id := strings.ToUpper(m.Kind)
		if err != nil || p == board.Pass || !slices.Contains([]string{"TR", "SQ", "CR", "MA", "LB"}, id) {
			return refuse("bad_request", "not a mark")
		}
		v := sgf.FormatPoint(d.size, p)
		if id == "LB" {
			v += ":" + sgf.Escape(shown(m.Label, 8))
		}
		values[id] = append(values[id], v)
	}
	for _, id := range []string{"TR", "SQ", "CR", "MA", "LB"} {
		if n.sgf.Remove(id); len(values[id]) > 0 {
			n.sgf.Set(id, values[id]...)
		}
	}
	d.touch(n)
	return nil
}

// setup puts a set-up below a node with a move, or into one that has none.
func (d *doc) setup(n *docNode, op *api.TreeOp) (any, error) {
	target := n
	_, _, isMove := d.move(n)
	fresh := isMove || len(n.kids) > 0
	child := &sgf.Node{}
	if !fresh {
		child.Properties = slices.Clone(n.sgf.Properties)
	}
	for _, part := range []struct {
		id     string
		points []string
	}{{"AB", op.Black}, {"AW", op.White}, {"AE", op.Empty}} {
		var values []string
		for _, v := range part.points {
			p, err := d.size.ParseVertex(v)
			if err != nil || p == board.Pass {
				return nil, refuseWith("illegal", "board", "no such point")
			}
			values = append(values, sgf.FormatPoint(d.size, p))
		}
		if child.Remove(part.id); len(values) > 0 {
			child.Set(part.id, values...)
		}
	}
	if child.Remove("PL"); parseColour(op.Turn) != board.Empty {
		child.Set("PL", strings.ToUpper(op.Turn))
	}
	trial := &docNode{sgf: child, parent: n.parent}
	if fresh {
		trial.parent = n
	}
	if _, _, err := d.game(trial); err != nil {
		return nil, refuseWith("illegal", "board", err.Error())
	}
	if fresh {
		n.sgf.Children = append(n.sgf.Children, child)
		target = d.add(child, n)
		d.at = target.id
		d.touch(n, target)
	} else {
		n.sgf.Properties = child.Properties
		d.touch(n)
	}
	return api.NodeRef{Node: target.id}, nil
}

// setInfo changes rules and komi.
func (d *doc) setInfo(op *api.TreeOp) error {
	rules := d.rules
	if op.Rules != "" {
		var err error
		if rules, err = board.ParseRules(op.Rules); err != nil {
			return refuse("bad_request", "%v", err)
		}
		rules.Komi = d.rules.Komi
	}
	if op.Komi != nil {
		rules.Komi = float32(*op.Komi)
	}
	if err := checkRules(rules); err != nil {
		return err
	}
	d.rules = rules
	d.root.Set("KM", decimal(float64(rules.Komi)))
	d.root.SetText("RU", rules.JSON())
	d.touch(d.nodes[0])
	return nil
}

// imports bounds how many uploads are read at once.
var imports = make(chan struct{}, 2)

// serveImport turns uploaded SGF into documents, one answer a file.
func (s *Server) serveImport(w http.ResponseWriter, r *http.Request) {
	select {
	case imports <- struct{}{}:
		defer func() { <-imports }()
	case <-r.Context().Done():
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxSGFSize)
	answers := []api.Imported{}
	keep := s.importSGF
	if r.URL.Query().Get("to") == "review" {
		keep = s.importReviews
		defer s.reviews.publishList()
	}
	add := func(name string, data []byte, err error) {
		a := api.Imported{Name: shown(name, 200)}
		if err == nil {
			a.ID, err = keep(a.Name, data)
		}
		if err != nil {
			a.Error = err.Error()
		}
		answers = append(answers, a)
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		data, err := io.ReadAll(r.Body)
		add("", data, err)
		writeJSON(w, answers)
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for len(answers) < 1000 {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			add("", nil, err)
			break
		}
		data, err := io.ReadAll(part)
		add(part.FileName(), data, err)
		if err != nil {
			break
		}
	}
	writeJSON(w, answers)
}

func (s *Server) importSGF(_ string, data []byte) (string, error) {
	d, err := s.parseDoc(newID(), data)
	if err != nil {
		return "", err
	}
	return d.id, s.keepDoc(d)
}

// importReviews puts all games of a file on the list to be reviewed; the answer is
// the first one's ID.
func (s *Server) importReviews(name string, data []byte) (first string, err error) {
	roots, err := parseSGF(data)
	if err != nil {
		return "", err
	}
	for i, root := range roots {
		one := name
		if len(roots) > 1 {
			one = fmt.Sprintf("%s, game %d", name, i+1)
		}
		id, e := s.reviews.add(cmp.Or(one, "game.sgf"), root)
		if e != nil {
			err = cmp.Or(err, e)
		} else if first == "" {
			first = id
		}
	}
	if first != "" {
		return first, nil
	}
	return "", err
}
