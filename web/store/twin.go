package store

import (
	"slices"

	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// twin returns the ID of a document that has all of d: its moves, set-up stones, notes and marks,
// though people may have changed the texts; "" if there is none. With grow it is opened at the end of
// d's main line, and one that ends where d goes on gets the moves of d.
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
		if open[id] == nil { // only those alike are opened
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
		at, c, more, ok := other.has(d)
		if ok = ok && (grow || len(more) == 0); ok && grow {
			other.at = at
		}
		other.mu.Unlock()
		if ok && len(more) > 0 {
			_, err = ds.Edit(&api.TreeOp{Doc: id, Op: "play", Node: at, C: wire.Letter(c), Line: more})
		}
		if ok && err == nil {
			return id
		}
	}
	return ""
}

// texts are what people write into a node.
var texts = append([]string{"C"}, markKinds...)

// has reports whether d has all nodes of another document. at is the node of the end of o's main
// line. more are the last moves of o, where it goes on from a leaf of d by a single line, and c is
// the side that makes the first of them. The caller holds mu.
func (d *Document) has(o *Document) (at int, c board.Color, more []string, ok bool) {
	if d.size != o.size || d.rules != o.rules || d.title() != o.title() || !d.like(d.nodes[0], o.nodes[0]) {
		return 0, c, nil, false
	}
	type pair struct{ here, there *treeNode }
	last := o.lastOfMainLine()
	for todo := []pair{{d.nodes[0], o.nodes[0]}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.there.id == last {
			at = p.here.id
		}
		for _, k := range p.there.kids {
			i := slices.IndexFunc(p.here.kids, func(h *treeNode) bool { return d.like(h, k) })
			if i >= 0 {
				todo = append(todo, pair{p.here.kids[i], k})
				continue
			}
			_, _, moved := d.move(p.here)
			if !moved || more != nil || len(p.here.kids) > 0 {
				return 0, c, nil, false
			}
			if c, more = o.single(k); more == nil {
				return 0, c, nil, false
			}
			at = p.here.id
		}
	}
	return at, c, more, true
}

// like reports whether a node of d has the move and the stones of a node of another document, and
// texts wherever that has them.
func (d *Document) like(n, o *treeNode) bool {
	c, p, moved := d.move(n)
	oc, op, also := d.move(o)
	same := func(id string) bool { return slices.Equal(d.points(n, id), d.points(o, id)) }
	return c == oc && p == op && moved == also && same("AB") && same("AW") && same("AE") &&
		!slices.ContainsFunc(texts, func(id string) bool { return o.sgf.Has(id) && !n.sgf.Has(id) })
}

// single returns the moves from a node on, and who makes the first, if they are one line by sides
// in turn with nothing but moves; else nil.
func (d *Document) single(n *treeNode) (first board.Color, moves []string) {
	for before := board.Empty; ; n = n.kids[0] {
		c, p, ok := d.move(n)
		if !ok || c == before || len(n.kids) > 1 || len(n.sgf.Properties) > 1 {
			return c, nil
		}
		if moves = append(moves, d.size.Vertex(p)); len(moves) == 1 {
			first = c
		}
		if before = c; len(n.kids) == 0 {
			return first, moves
		}
	}
}
