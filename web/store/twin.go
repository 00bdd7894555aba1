package store

import (
	"slices"

	"kosumi/web/api"
)

// twin returns the ID of an existing document that has all moves, set-up stones, notes and marks of
// d, or "" if there is none; the content of notes and marks may differ. If grow is set, d is a game
// of this program: if a document has the game up to an earlier move, twin adds the further moves.
func (ds *Documents) twin(d *Document, grow bool) string {
	if len(d.nodes) == 1 && !d.root.Has("AB") && !d.root.Has("AW") {
		return "" // an empty board is not a game
	}
	files, err := ds.folder.files("docs", ".sgf")
	if err != nil {
		return ""
	}
	open := ds.All()
	for id, info := range files {
		if open[id] == nil { // open a closed document only if title and size agree
			ds.mu.Lock()
			card, err := ds.cards.Get(id, info)
			ds.mu.Unlock()
			if err != nil || card.Title != d.title() || card.Size != [2]int{d.size.W, d.size.H} {
				continue
			}
		}
		other, err := ds.lock(id)
		if err != nil {
			continue
		}
		at, rest, ok := other.has(d)
		if ok = ok && (grow || rest == nil); ok && rest == nil {
			other.at = at
		}
		other.mu.Unlock()
		if ok && rest != nil {
			op := &api.TreeOp{Doc: id, Op: "play", Node: at}
			for n := rest; n != nil; n = n.first() {
				_, p, _ := d.move(n)
				op.Line = append(op.Line, d.size.Vertex(p))
			}
			_, err = ds.Edit(op)
		}
		if ok && err == nil {
			return id
		}
	}
	return ""
}

// texts are the properties that hold what people write into a node.
var texts = append([]string{"C"}, markKinds...)

// has reports whether d has all nodes of o, except that o may go on from one leaf of d. If o goes on,
// at is that leaf, and rest is the next node of o. If not, at is the node of d that matches the end
// of o's main line, and rest is nil. The caller holds mu.
func (d *Document) has(o *Document) (at int, rest *treeNode, ok bool) {
	type pair struct{ here, there *treeNode }
	if d.size != o.size || d.rules != o.rules || d.title() != o.title() || !d.like(d.nodes[0], o.nodes[0]) {
		return 0, nil, false
	}
	last := o.lastOfMainLine()
	for todo := []pair{{d.nodes[0], o.nodes[0]}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; p.there.id == last {
			at = p.here.id
		}
		for _, k := range p.there.kids {
			i := slices.IndexFunc(p.here.kids, func(h *treeNode) bool { return d.like(h, k) })
			if i >= 0 {
				todo = append(todo, pair{p.here.kids[i], k})
				continue
			}
			_, _, moved := d.move(p.here)
			if !moved || rest != nil || len(p.here.kids) > 0 {
				return 0, nil, false
			}
			at, rest = p.here.id, k
		}
	}
	return at, rest, true
}

// like reports whether node n of d has the same move and set-up stones as node o of another document,
// and each kind of note or mark that o has, whatever its content.
func (d *Document) like(n, o *treeNode) bool {
	c, p, moved := d.move(n)
	oc, op, also := d.move(o)
	return c == oc && p == op && moved == also &&
		!slices.ContainsFunc([]string{"AB", "AW", "AE"}, func(id string) bool { return !slices.Equal(d.points(n, id), d.points(o, id)) }) &&
		!slices.ContainsFunc(texts, func(id string) bool { return o.sgf.Has(id) && !n.sgf.Has(id) })
}

// first returns the next node of the main line, nil at its end.
func (n *treeNode) first() *treeNode {
	if len(n.kids) == 0 {
		return nil
	}
	return n.kids[0]
}
