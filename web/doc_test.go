package web

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
)

const hostile = `(;GM[1]FF[4]SZ[9]PB[<script>alert(1)</script>]PW[` + "\u202e" + `evil]C[<img src=x onerror=alert(1)>];B[ee];W[cc](;B[gg])(;B[gc]LB[aa:<b>]TR[bb]))`

func upload(t *testing.T, s *Server, query string, files map[string]string) []api.Imported {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, text := range files {
		part, err := w.CreateFormFile("file", name)
		require.NoError(t, err)
		part.Write([]byte(text))
	}
	require.NoError(t, w.Close())
	var out []api.Imported
	require.NoError(t, json.Unmarshal(sent(t, s, http.MethodPost, "api/import"+query, body.Bytes(), w.FormDataContentType()), &out))
	return out
}

func TestImport(t *testing.T) {
	s := serve(t, t.TempDir())
	answers := upload(t, s, "", map[string]string{"good.sgf": hostile, "no.pdf": "%PDF-1.4", "big.sgf": "(;SZ[26])", "deep.sgf": "(;SZ[9]" + strings.Repeat("(;B[aa]", 10000) + strings.Repeat(")", 10001)})
	require.Len(t, answers, 4)
	for _, a := range answers {
		switch a.Name {
		case "good.sgf", "deep.sgf":
			require.Empty(t, a.Error, a.Name)
		default:
			require.NotEmpty(t, a.Error, a.Name)
			require.Empty(t, a.ID)
		}
	}
}

// TestTree changes a document in every way, and reads it from disk again.
func TestTree(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	id := ask[api.ID](c, "doc.new", api.NewDoc{SGF: hostile}).ID
	d := ask[api.Doc](c, "watch", api.Watch{What: "doc:" + id})
	require.Len(t, d.Nodes, 5)
	require.Equal(t, "<script>alert(1)</script>", d.Black, "text stays text")
	require.Equal(t, []int{3, 4}, d.Nodes[2].Children)
	require.Equal(t, "E5", d.Nodes[1].Move)
	require.Len(t, d.Nodes[4].Marks, 2)

	op := func(o api.TreeOp) api.NodeRef {
		t.Helper()
		o.Doc = id
		var ref api.NodeRef
		m := c.request("tree.op", o)
		require.Equal(t, "ok", m.T, string(m.D))
		if m.D != nil {
			require.NoError(t, json.Unmarshal(m.D, &ref))
		}
		return ref
	}
	refused := func(o api.TreeOp) api.Error {
		t.Helper()
		o.Doc = id
		return c.refused("tree.op", o)
	}
	require.Equal(t, 1, op(api.TreeOp{Op: "play", Node: 0, Move: "E5"}).Node, "a move that is there is followed")
	op(api.TreeOp{Op: "play", Node: 2, Line: []string{"B2", "D7"}})
	require.Equal(t, []string{"occupied"}, refused(api.TreeOp{Op: "play", Node: 1, Move: "E5"}).Args)
	require.Equal(t, "not_found", refused(api.TreeOp{Op: "play", Node: 99, Move: "A1"}).Code)
	require.Equal(t, "bad_request", refused(api.TreeOp{Op: "delete", Node: 0}).Code)
	require.Equal(t, "unsupported", refused(api.TreeOp{Op: "burn", Node: 0}).Code)
	op(api.TreeOp{Op: "note", Node: 3, Note: "a ] note \\"})
	op(api.TreeOp{Op: "marks", Node: 3, Marks: []api.Mark{{Kind: "sq", Point: "A1"}, {Kind: "lb", Point: "B1", Label: "x"}}})
	op(api.TreeOp{Op: "promote", Node: 4})
	setup := op(api.TreeOp{Op: "setup", Node: 3, Black: []string{"A9"}, White: []string{"J1"}, Turn: "w"})
	require.Equal(t, "illegal", refused(api.TreeOp{Op: "setup", Node: 3, Black: []string{"A1"}, White: []string{"A2", "B1"}}).Code, "a chain without a liberty")
	require.Equal(t, "illegal", refused(api.TreeOp{Op: "setup", Node: 3, Black: []string{"A1"}, White: []string{"a1"}}).Code, "one point in both colours")
	require.Equal(t, "illegal", refused(api.TreeOp{Op: "setup", Node: 3, Black: []string{"C1"}, Empty: []string{"C1"}}).Code, "a point with a stone and empty")
	op(api.TreeOp{Op: "goto", Node: setup.Node})

	d1, err := s.docs.Open(id)
	require.NoError(t, err)
	before := d1.State()
	d2, err := store.NewDocuments(s.folder, &s.hub, s.warnings).Open(id)
	require.NoError(t, err)
	after := d2.State()
	require.Len(t, after.Nodes, len(before.Nodes))
	var notes []string
	for _, n := range after.Nodes {
		if n.Note != "" {
			notes = append(notes, n.Note)
		}
	}
	require.Contains(t, notes, "a ] note \\")
	require.Equal(t, before.Black, after.Black)
}

// TestLabels: long labels are not cut, even if other marks are edited.
func TestLabels(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	long := "a long label: 天元, and \u00e9" + strings.Repeat("é", 100)
	id := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9]LB[aa:" + long + "][bb:x\\]y]TR[cc:dd])"}).ID
	d := ask[api.Doc](c, "watch", api.Watch{What: "doc:" + id})
	marks := d.Nodes[0].Marks
	require.Len(t, marks, 6)
	require.Contains(t, marks, api.Mark{Kind: "lb", Point: "A9", Label: long})
	require.Contains(t, marks, api.Mark{Kind: "lb", Point: "B8", Label: "x]y"})
	c.ask("tree.op", api.TreeOp{Doc: id, Op: "marks", Marks: append(marks, api.Mark{Kind: "sq", Point: "E5"})}, nil)
	now := onDisk(t, s, id).Nodes[0].Marks
	require.ElementsMatch(t, append(marks, api.Mark{Kind: "sq", Point: "E5"}), now)
}

// TestInfoKeepsTheRest changes either the komi or the rules of a record: the record keeps the
// other, and names rules so that other programs can read them.
func TestInfoKeepsTheRest(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	komi := 0.5
	for i, tc := range []struct {
		record string
		op     api.TreeOp
		want   string
	}{
		{"RU[Japanese]KM[6.5]", api.TreeOp{Komi: &komi}, "RU[Japanese]KM[0.5]"},
		{"RU[my own rules]KM[6.5]", api.TreeOp{Komi: &komi}, "RU[my own rules]KM[0.5]"},
		{"KM[6.5]", api.TreeOp{Komi: &komi}, "KM[0.5]"},
		{"RU[Japanese]KM[375]", api.TreeOp{Rules: "chinese"}, "RU[Chinese]KM[375]"},
		{"RU[Japanese]KM[3.75]", api.TreeOp{Rules: "tromp-taylor"}, "RU[TrompTaylor]KM[3.75]"},
		{"RU[Chinese]KM[6.5]", api.TreeOp{Rules: "korean"}, "RU[Korean]KM[6.5]"},
		{"RU[Chinese]KM[6.5]", api.TreeOp{Rules: "new-zealand"}, "RU[NewZealand]KM[6.5]"},
		{"RU[Chinese]", api.TreeOp{Rules: "aga"}, "RU[AGA]KM[7.5]"},
	} {
		moves := ";B[e" + string(rune('a'+i)) + "])" // different moves, since equal games share a document
		id := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9]" + tc.record + moves}).ID
		tc.op.Doc, tc.op.Op = id, "info"
		c.ask("tree.op", tc.op, nil)
		require.Equal(t, "(;SZ[9]"+tc.want+moves+"\n", testshared.Read(t, s.folder.Path("docs", id, ".sgf")))
		d, err := s.docs.Open(id)
		require.NoError(t, err)
		require.Equal(t, d.State().Rules, onDisk(t, s, id).Rules, tc.want)
	}
	for _, rules := range []string{"chinese", "japanese", "korean", "aga", "tromp-taylor", "stone-scoring", "ancient-territory"} {
		id := ask[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{9, 9}, Rules: rules}).ID
		d, err := s.docs.Open(id)
		require.NoError(t, err)
		require.Equal(t, d.State().Rules, onDisk(t, s, id).Rules, rules)
		data, _, err := d.Record()
		require.NoError(t, err)
		require.NotContains(t, string(data), "{", rules)
	}
}

// TestAnalysis searches the requested position, stops at the visit limit, and moves to another node
// at once.
func TestAnalysis(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	id := ask[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{5, 5}}).ID
	c.ask("analysis.set", api.Analyse{Doc: id, Node: 0, On: true, Visits: 40, Ownership: true, Policy: true}, nil)
	f := until(c, "analysis.frame", func(f *api.Frame) bool { return f.Final != "" })
	require.Equal(t, "visits", f.Final)
	require.GreaterOrEqual(t, f.Visits, int64(40))
	require.NotEmpty(t, f.Moves)
	require.Zero(t, f.Moves[0].Loss)
	require.NotEmpty(t, f.Ownership)
	require.NotEmpty(t, f.Policy)
	ref := ask[api.NodeRef](c, "tree.op", api.TreeOp{Doc: id, Op: "play", Node: 0, Move: "C3"})
	c.ask("analysis.set", api.Analyse{Doc: id, Node: 0, On: true}, nil) // without a visit limit
	until(c, "analysis.frame", func(f *api.Frame) bool { return f.Node == 0 && f.Final == "" })
	c.ask("analysis.set", api.Analyse{Doc: id, Node: ref.Node, On: true, Visits: 20}, nil)
	f = until(c, "analysis.frame", func(f *api.Frame) bool { return f.Node == ref.Node && f.Final != "" })
	require.Equal(t, "visits", f.Final)
	c.ask("analysis.set", api.Analyse{On: false}, nil)

	// A requested move is listed even if that exceeds the limit Moves, and is searched past the
	// visit limit.
	c.ask("analysis.set", api.Analyse{Doc: id, Node: ref.Node, On: true, Moves: 1, Focus: []string{"A1", "Z9", "C3"}}, nil)
	f = until(c, "analysis.frame", func(f *api.Frame) bool { return f.Node == ref.Node && len(f.Moves) > 1 && f.Moves[1].Visits > 100 })
	require.Len(t, f.Moves, 2, "the best one, and A1 by one of its images")
	c.ask("analysis.set", api.Analyse{On: false}, nil)

	// A game gets its answer during somebody else's endless analysis.
	other := join(t, s)
	other.ask("analysis.set", api.Analyse{Doc: id, Node: 0, On: true}, nil)
	until(other, "analysis.frame", func(f *api.Frame) bool { return true })
	g := begin(c, small("b"))
	require.Len(t, c.play(g, "C3").Moves, 2)
}
