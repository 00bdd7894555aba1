package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// maxNote bounds the note of a node, in bytes.
const maxNote = 32 << 10

// Document is a game tree that people look at and change. Nodes keep their IDs while
// the server runs; on disk a document is an SGF file.
type Document struct {
	id   string
	home *Documents

	mu       sync.Mutex
	root     *sgf.Node
	nodes    []*treeNode // by ID; nil where a node was deleted
	size     board.Size
	rules    board.Rules
	handicap int // number of stones
	rev      int
	at       int
	warn     string
	changed  time.Time // when the file changed
	left     bool      // the document is closed and its file has to be read again
	alone    time.Time // when the last page stopped watching it
}

// treeNode is a node with an ID that never changes.
type treeNode struct {
	id     int
	sgf    *sgf.Node
	parent *treeNode
	kids   []*treeNode
}

func (d *Document) add(node *sgf.Node, parent *treeNode) *treeNode {
	n := &treeNode{id: len(d.nodes), sgf: node, parent: parent}
	d.nodes = append(d.nodes, n)
	if parent != nil {
		parent.kids = append(parent.kids, n)
	}
	return n
}

// node returns the node of an ID, false if it is gone.
func (d *Document) node(id int) (*treeNode, bool) {
	if id < 0 || id >= len(d.nodes) || d.nodes[id] == nil {
		return nil, false
	}
	return d.nodes[id], true
}

// wire converts a node for pages.
func (d *Document) wire(n *treeNode) api.Node {
	w := api.Node{ID: n.id, Parent: -1, Note: n.sgf.Text("C")}
	if n.parent != nil {
		w.Parent = n.parent.id
	}
	for _, k := range n.kids {
		w.Children = append(w.Children, k.id)
	}
	if c, p, ok := d.move(n); ok {
		w.Colour, w.Move = wire.Letter(c), d.size.Vertex(p)
	}
	names := func(id string) []string {
		all := d.points(n, id)
		return wire.Vertices(d.size, all, len(all))
	}
	w.Black, w.White, w.Empty = names("AB"), names("AW"), names("AE")
	w.Turn = wire.Letter(turnOf(n.sgf))
	for _, kind := range markKinds[:4] {
		for _, p := range names(kind) {
			w.Marks = append(w.Marks, api.Mark{Kind: strings.ToLower(kind), Point: p})
		}
	}
	for _, v := range n.sgf.Values("LB") {
		at, label, ok := strings.Cut(v, ":")
		if p, err := sgf.ParsePoint(d.size, at); ok && err == nil && p != board.Pass {
			w.Marks = append(w.Marks, api.Mark{Kind: "lb", Point: d.size.Vertex(p), Label: sgf.SimpleText(label)})
		}
	}
	return w
}

func turnOf(n *sgf.Node) board.Color {
	switch strings.ToLower(n.SimpleText("PL")) {
	case "b", "black", "1":
		return board.Black
	case "w", "white", "2":
		return board.White
	}
	return board.Empty
}

// move returns the move of a node.
func (d *Document) move(n *treeNode) (board.Color, board.Point, bool) {
	for _, c := range []board.Color{board.Black, board.White} {
		id := strings.ToUpper(wire.Letter(c))
		if !n.sgf.Has(id) {
			continue
		}
		if p, err := sgf.ParsePoint(d.size, n.sgf.Get(id)); err == nil {
			return c, p, true
		}
	}
	return board.Empty, board.NoPoint, false
}

func (d *Document) points(n *treeNode, id string) (all []board.Point) {
	for _, v := range n.sgf.Values(id) {
		all, _ = sgf.AppendPoints(all, d.size, v) // a move off the board is left out
	}
	return slices.DeleteFunc(all, func(p board.Point) bool { return p < 0 })
}

// State returns the whole document for pages.
func (d *Document) State() *api.Doc {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := func(id string) string { return wire.Shown(d.root.SimpleText(id), 200) }
	name := func(id, rank string) string { return strings.TrimSpace(text(id) + " " + text(rank)) }
	out := &api.Doc{Doc: d.id, Rev: d.rev, Size: [2]int{d.size.W, d.size.H}, Rules: wire.RulesName(d.rules), Komi: float64(d.rules.Komi),
		Black: name("PB", "BR"), White: name("PW", "WR"), Title: d.title(), Date: text("DT"), Result: text("RE"), At: d.at, Warn: d.warn,
		Nodes: make([]api.Node, 0, len(d.nodes))}
	for _, n := range d.nodes {
		if n != nil {
			out.Nodes = append(out.Nodes, d.wire(n))
		}
	}
	return out
}

func (d *Document) title() string {
	text := func(id string) string { return wire.Shown(d.root.SimpleText(id), 100) }
	if b, w := text("PB"), text("PW"); b != "" || w != "" {
		return strings.TrimSpace(b + " – " + w)
	}
	if t := text("GN"); t != "" {
		return t
	}
	return text("EV")
}

// Position returns the game up to the move of a node, and the number of handicap stones.
func (d *Document) Position(id int) (*board.Game, int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.node(id)
	if !ok {
		return nil, 0, api.Refuse("not_found", "the node is gone")
	}
	return d.game(n)
}

// Record returns the document as SGF, and its title.
func (d *Document) Record() (data []byte, title string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, err = sgf.Marshal(d.root)
	return data, d.title(), err
}

// game plays the moves down to a node on a board. Set-up stones in the middle of a game reset
// its history.
func (d *Document) game(n *treeNode) (*board.Game, int, error) {
	var path []*treeNode
	for m := n; m != nil; m = m.parent {
		path = append(path, m)
	}
	g, err := board.NewGame(d.size, d.rules)
	if err != nil {
		return nil, 0, err
	}
	g.SetOptions(board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true})
	handicap := 0
	for _, m := range slices.Backward(path) {
		if err := d.playNode(g, m); err != nil {
			return nil, 0, err
		}
		if m.parent == nil && d.handicap > 1 {
			handicap = d.handicap
			g.SetHandicapStones(handicap)
		}
	}
	return g, handicap, nil
}

func (d *Document) playNode(g *board.Game, m *treeNode) error {
	if err := d.setUpNode(g, m); err != nil {
		return err
	}
	if c, p, ok := d.move(m); ok {
		g.SetToMove(c)
		if err := g.PlayTolerant(c, p); err != nil {
			return fmt.Errorf("%s %s: %w", c, d.size.Vertex(p), err)
		}
	}
	return nil
}

func (d *Document) setUpNode(g *board.Game, m *treeNode) error {
	turn := turnOf(m.sgf)
	if !m.sgf.Has("AB") && !m.sgf.Has("AW") && !m.sgf.Has("AE") {
		g.SetToMove(turn)
		return nil
	}
	at := make([]board.Color, d.size.Area())
	for p := range at {
		at[p] = g.At(board.Point(p))
	}
	for c, id := range []string{board.Empty: "AE", board.Black: "AB", board.White: "AW"} {
		for _, p := range d.points(m, id) {
			at[p] = board.Color(c)
		}
	}
	var stones [3][]board.Point
	for p, c := range at {
		stones[c] = append(stones[c], board.Point(p))
	}
	if turn == board.Empty {
		if turn = g.ToMove(); m.parent == nil && len(stones[board.White]) == 0 {
			turn = board.White // Black's handicap stones: White moves first
		}
		if next := m.first(); next != nil {
			if c, _, ok := d.move(next); ok {
				turn = c
			}
		}
	}
	return g.Setup(stones[board.Black], stones[board.White], turn)
}

// mostNotes bounds the illegal moves that a document reports.
const mostNotes = 5

// oddMoves describes the illegal moves of the main line. The board plays them if it can; positions
// after the first move that it cannot play are not analysed.
func (d *Document) oddMoves() (notes []string) {
	g, err := board.NewGame(d.size, d.rules)
	if err != nil {
		return nil
	}
	for n, number := d.nodes[0], 0; ; n = n.kids[0] {
		if err := d.setUpNode(g, n); err != nil {
			return append(notes, fmt.Sprintf("The set-up after move %d is not possible: %v.", number, err))
		}
		if c, p, ok := d.move(n); ok {
			number++
			g.SetToMove(c)
			bad := g.Legal(c, p)
			if err := g.PlayTolerant(c, p); err != nil {
				return append(notes, fmt.Sprintf("Move %d, %s, cannot be played: %v.", number, d.size.Vertex(p), err))
			}
			if bad != nil && len(notes) < mostNotes {
				notes = append(notes, fmt.Sprintf("Move %d, %s, is not allowed by the rules: %v.", number, d.size.Vertex(p), bad))
			}
		}
		if len(n.kids) == 0 {
			return notes
		}
	}
}

func (d *Document) lastOfMainLine() int {
	n := d.nodes[0]
	for len(n.kids) > 0 {
		n = n.kids[0]
	}
	return n.id
}

// save writes the document. The caller holds mu, or nobody else has the document.
func (d *Document) save() error {
	data, err := sgf.Marshal(d.root)
	if err != nil {
		return err
	}
	path := d.home.folder.Path("docs", d.id, ".sgf")
	if err := file.WritePrivate(path, data); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil { // otherwise the file is gone
		d.changed = info.ModTime()
	}
	return nil
}

func (d *Document) card() api.DocCard {
	d.mu.Lock()
	defer d.mu.Unlock()
	moves := 0
	for n := d.nodes[0]; len(n.kids) > 0; n = n.kids[0] {
		moves++
	}
	return api.DocCard{Doc: d.id, Size: [2]int{d.size.W, d.size.H}, Title: d.title(), Moves: moves, Changed: d.changed.Unix()}
}

// newDocument makes a document of an SGF tree.
func newDocument(id string, root *sgf.Node) (*Document, error) {
	d := &Document{id: id, root: root}
	rec, err := sgf.RecordOf(root)
	if err != nil {
		return nil, err
	}
	rec.AddPlaced(root)
	sgf.SplitMoves(root)
	d.size, d.handicap = rec.Size, rec.Handicap
	d.rules, _ = rec.RulesOr(board.Chinese())
	d.warn = strings.Join(rec.Notes, " ")
	type todo struct {
		node   *sgf.Node
		parent *treeNode
	}
	for stack := []todo{{root, nil}}; len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(d.nodes) >= wire.MaxNodes {
			return nil, api.Tell("limit", "tree_full", "n", wire.MaxNodes)
		}
		n := d.add(t.node, t.parent)
		for _, k := range slices.Backward(t.node.Children) {
			stack = append(stack, todo{k, n})
		}
	}
	return d, nil
}

// parseDocument makes a document of the first game of a file.
func parseDocument(id string, data []byte) (*Document, error) {
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return nil, err
	}
	root, notes := sgf.First(roots)
	d, err := newDocument(id, root)
	if err != nil {
		return nil, err
	}
	if d.warn != "" {
		notes = append(notes, d.warn)
	}
	d.warn = strings.Join(append(notes, d.oddMoves()...), " ")
	return d, nil
}

// emptyTree is the root of a document without moves.
func emptyTree(n *api.NewDoc) (*sgf.Node, error) {
	size := board.Size{W: n.Size[0], H: n.Size[1]}
	if err := size.Check(); err != nil {
		return nil, err
	}
	rules := board.Chinese()
	if n.Rules != "" {
		var err error
		if rules, err = board.ParseRules(n.Rules); err != nil {
			return nil, err
		}
	}
	if n.Komi != nil {
		rules.Komi = float32(*n.Komi)
	}
	if err := wire.CheckRules(rules); err != nil {
		return nil, err
	}
	rec := sgf.Record{Size: size, Komi: float64(rules.Komi), HasKomi: true, Rules: wire.RecordedRules(rules, n.Rules), Application: "Kosumi", Date: time.Now().Format(time.DateOnly)}
	return rec.Tree(), nil
}
