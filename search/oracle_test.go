package search_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
	"kosumi/search/thinking"
)

type record struct {
	ID, Set, Kind, Settings, Net string
	BoardXSize, BoardYSize       int
	Rules                        json.RawMessage
	Komi                         float32
	InitialStones, Moves         [][2]string
	InitialPlayer                string
	Visits                       int64
	AvoidMoves, AllowMoves       []avoid
	Result                       struct {
		RootInfo  rootInfo
		MoveInfos []moveInfo
	}
}

type avoid struct {
	Player     string
	Moves      []string
	UntilDepth int
}

type rootInfo struct {
	CurrentPlayer string
	Visits        int64
	Weight, Utility, Winrate, ScoreLead,
	ScoreSelfplay, ScoreStdev float64
}

type moveInfo struct {
	Move, IsSymmetryOf string
	Order              int
	Visits, EdgeVisits int64
	Weight, EdgeWeight, Prior, Utility, UtilityLcb, Winrate, Lcb,
	ScoreLead, ScoreSelfplay, ScoreStdev, PlaySelectionValue float64
	Pv                     []string
	PvVisits, PvEdgeVisits []int64
}

// game sets up the record's position as KataGo's analysis engine does.
func (r *record) game(t testing.TB) *board.Game {
	t.Helper()
	rules, err := board.ParseRules(string(r.Rules))
	require.NoError(t, err)
	rules.Komi = r.Komi
	size := board.Size{W: r.BoardXSize, H: r.BoardYSize}
	g, err := board.NewGame(size, rules)
	require.NoError(t, err)
	g.SetOptions(board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true})
	var stones [board.White + 1][]board.Point
	for _, s := range r.InitialStones {
		c, p := parseMove(t, size, s)
		stones[c] = append(stones[c], p)
	}
	player := board.Black
	if r.InitialPlayer != "" {
		player, err = board.ParseColor(r.InitialPlayer)
		require.NoError(t, err)
	}
	require.NoError(t, g.Setup(stones[board.Black], stones[board.White], player))
	for _, m := range r.Moves {
		c, p := parseMove(t, size, m)
		require.NoError(t, g.PlayTolerant(c, p))
	}
	return g
}

func parseMove(t testing.TB, size board.Size, m [2]string) (board.Color, board.Point) {
	t.Helper()
	c, err := board.ParseColor(m[0])
	require.NoError(t, err)
	p, err := size.ParseVertex(m[1])
	require.NoError(t, err)
	return c, p
}

func (r *record) restrictions(t testing.TB, size board.Size) []thinking.Restriction {
	t.Helper()
	var all []thinking.Restriction
	for i, list := range [][]avoid{r.AvoidMoves, r.AllowMoves} {
		for _, a := range list {
			var err error
			b := thinking.Restriction{Depth: a.UntilDepth, Allow: i == 1}
			b.Color, err = board.ParseColor(a.Player)
			require.NoError(t, err)
			for _, v := range a.Moves {
				p, err := size.ParseVertex(v)
				require.NoError(t, err)
				b.Points = append(b.Points, p)
			}
			all = append(all, b)
		}
	}
	return all
}

// networks holds the servers of KataGo's test networks that a test uses. Each is created at its first use.
type networks struct {
	t      testing.TB
	open   map[string]*nn.Server
	sample bool // KataGo's trained networks answer from the stored sample
}

// models maps names to KataGo's test networks with their stored answers, for all tests.
var models = map[string]*memo{}

func newNetworks(t testing.TB) networks { return networks{t, map[string]*nn.Server{}, false} }

// sampled is the prefix, in the map models, of the names of networks that answer from the stored sample.
const sampled = "sampled "

// sampleNetworks returns networks that answer from the stored sample.
func sampleNetworks(t testing.TB) networks {
	switch {
	case *recordAnswers:
		t.Cleanup(func() { writeAnswers(t) })
	case !slices.ContainsFunc(slices.Collect(maps.Keys(models)), func(name string) bool { return strings.HasPrefix(name, sampled) }):
		for name, m := range readAnswers(t) {
			models[sampled+name] = m
		}
	}
	return networks{t, map[string]*nn.Server{}, true}
}

// bySample runs a check on the sample of recorded searches in testdata, and on all of golden/FILE
// if the reference data is present.
func bySample(t *testing.T, file string, check func(t *testing.T, path string, nets networks)) {
	t.Run("sample", func(t *testing.T) {
		check(t, filepath.Join("..", "testdata", "golden", file), sampleNetworks(t))
	})
	t.Run("networks", func(t *testing.T) {
		if path, ok := testshared.Beyond(t, "golden/"+file); ok && !*recordAnswers {
			check(t, path, newNetworks(t))
		}
	})
}

func (r *record) id() string { return r.ID }

// eachRecord checks recorded searches. If there is only a sample of the file, it checks all of its records.
// Of the full file it checks those that KOSUMI_ORACLE selects or, if that is not set, those that are wanted.
func eachRecord[R any, P interface {
	*R
	id() string
}](t *testing.T, name string, wanted func(i int) bool, check func(t *testing.T, r P, nets networks)) {
	bySample(t, "search/"+name+".jsonl.gz", func(t *testing.T, path string, nets networks) {
		var all tally
		for i, r := range testshared.Lines[R](t, path) {
			if p := P(&r); nets.sample || selected(p.id(), wanted(i)) {
				all.count(t.Run(p.id(), func(t *testing.T) { check(t, p, nets) }))
			}
		}
		all.log(t, name)
	})
}

func (n networks) get(name string, cached bool) *nn.Server {
	t := n.t
	t.Helper()
	key := fmt.Sprint(name, cached)
	if s := n.open[key]; s != nil {
		return s
	}
	synthetic := strings.HasPrefix(name, "synth-")
	kept := name
	if n.sample && !synthetic {
		kept = sampled + name
	}
	m := models[kept]
	if m == nil {
		require.True(t, kept == name || *recordAnswers, "the sample has no answers of %s", name)
		folder := "models/katago/"
		if synthetic {
			folder = "golden/human/models/"
		}
		file, err := model.Open(testshared.Path(t, folder+name+".bin.gz"), model.Config{Provider: "cpu", Precision: "fp32"})
		if err != nil {
			testshared.Absent(t, "no library to run KataGo's networks with: %v", err)
		}
		m = newMemo(file)
		models[kept] = m
	}
	conf := nn.ServerConfig{MaxBatch: 1, FixedSymmetry: true, ExactCache: true}
	if cached {
		conf.CacheBytes = 32 << 20
	}
	s, err := nn.NewServer(m, conf)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	n.open[key] = s
	return s
}

// difference is how a search differs from the record.
type difference struct {
	visits  int64   // visits that went to another move
	utility float64 // largest difference in utility of root and moves
	report  float64 // largest difference in reported numbers, scaled
	order   bool    // moves are in another order
	pv      int     // number of different variations
	line    string
	worst   string
	missing int
	extra   int
}

func (d *difference) note(kind string, want, got, scale float64) {
	if x := math.Abs(want-got) / scale; x > d.report {
		d.report, d.worst = x, fmt.Sprintf("%s %.9g, want %.9g", kind, got, want)
	}
}

func compare(r *record, got *search.Result) difference {
	var d difference
	s := 1.0
	if got.ToMove == board.Black {
		s = -1
	}
	rate := func(x float64) float64 { return 0.5 + s*(x-0.5) }
	root := &r.Result.RootInfo
	d.utility = math.Abs(root.Utility - s*got.Root.Utility)
	d.note("root winrate", root.Winrate, rate(got.Root.Winrate), 1)
	d.note("root utility", root.Utility, s*got.Root.Utility, 1)
	d.note("root lead", root.ScoreLead, s*got.Root.Lead, 10)
	d.note("root score", root.ScoreSelfplay, s*got.Root.ScoreMean, 10)
	d.note("root stdev", root.ScoreStdev, got.Root.ScoreStdev, 10)
	d.note("root weight", root.Weight, got.Root.Weight, root.Weight)
	seen := 0
	for i := range r.Result.MoveInfos {
		w := &r.Result.MoveInfos[i]
		p, _ := got.Size.ParseVertex(w.Move)
		m := got.Move(p)
		if m == nil {
			d.missing++
			d.visits += w.Visits + w.EdgeVisits
			continue
		}
		seen++
		if w.IsSymmetryOf != "" {
			if got.Size.Vertex(m.SymmetryOf) != w.IsSymmetryOf {
				d.missing++
			}
			continue
		}
		d.visits += abs(w.Visits-m.Visits) + abs(w.EdgeVisits-m.EdgeVisits)
		d.utility = max(d.utility, math.Abs(w.Utility-s*m.Utility))
		if m.Order != w.Order {
			d.order = true
		}
		d.note(w.Move+" prior", w.Prior, float64(m.Prior), 1)
		d.note(w.Move+" weight", w.EdgeWeight, m.EdgeWeight, 1+w.EdgeWeight)
		d.note(w.Move+" selection", w.PlaySelectionValue, m.Selection, 1+w.PlaySelectionValue)
		d.note(w.Move+" utility", w.Utility, s*m.Utility, 1)
		d.note(w.Move+" lcb", w.UtilityLcb, s*m.UtilityLCB, 1)
		d.note(w.Move+" winrate lcb", w.Lcb, rate(m.LCB), 1)
		d.note(w.Move+" winrate", w.Winrate, rate(m.Winrate), 1)
		d.note(w.Move+" lead", w.ScoreLead, s*m.Lead, 10)
		d.note(w.Move+" score", w.ScoreSelfplay, s*m.ScoreMean, 10)
		d.note(w.Move+" stdev", w.ScoreStdev, m.ScoreStdev, 10)
		if !samePV(w, m, got.Size) {
			d.pv++
			var pv []string
			for _, p := range m.PV {
				pv = append(pv, got.Size.Vertex(p))
			}
			d.line = fmt.Sprint(w.Pv, w.PvVisits, pv, m.PVVisits)
		}
	}
	d.extra = len(got.Moves) - seen
	return d
}

func samePV(w *moveInfo, m *thinking.Move, size board.Size) bool {
	n := len(m.PV)
	if m.PVEndsPhase { // KataGo's analysis leaves out the pass that ends a phase
		n--
	}
	// KataGo's variations have at most 16 moves, 14 in games with a kept tree, 11 with a human SL network.
	if len(w.Pv) > n || len(w.Pv) < n && len(w.Pv) != 16 && len(w.Pv) != 14 && len(w.Pv) != 11 {
		return false
	}
	for i := range w.Pv {
		if w.Pv[i] != size.Vertex(m.PV[i]) || w.PvVisits[i] != m.PVVisits[i] || w.PvEdgeVisits[i] != m.PVEdgeVisits[i] {
			return false
		}
	}
	return true
}

func abs(x int64) int64 { return max(x, -x) }

// begin returns a tree at the record's position, with an empty cache.
func (r *record) begin(t testing.TB, nets networks, settings map[string]map[string]string) (*search.Tree, *board.Game) {
	t.Helper()
	server := nets.get(r.Net, r.Settings != "plain-nocache")
	server.ClearCache()
	tree, err := search.New(katagoParams(t, settings[r.Settings]), server, nil)
	require.NoError(t, err)
	g := r.game(t)
	tree.Reset(g)
	return tree, g
}

func (r *record) search(t testing.TB, nets networks, settings map[string]map[string]string) search.Result {
	t.Helper()
	tree, g := r.begin(t, nets, settings)
	tree.Restrict(r.restrictions(t, g.Size())...)
	got, err := tree.Search(t.Context(), search.Limits{Visits: r.Visits})
	require.NoError(t, err)
	return got
}

// selected reports whether to repeat a record. KOSUMI_ORACLE selects records by the beginnings of
// their ids, separated by commas; "all" selects all, which takes an hour. Without it a small sample
// is repeated.
func selected(id string, inSample bool) bool {
	only := os.Getenv("KOSUMI_ORACLE")
	return only == "" && inSample || only == "all" ||
		only != "" && slices.ContainsFunc(strings.Split(only, ","), func(begin string) bool { return strings.HasPrefix(id, begin) })
}

// wanted reports whether to repeat a search. A sample includes only short searches on small boards.
func (r *record) wanted(inSample bool) bool {
	return selected(r.ID, inSample && r.Visits <= 100 && r.BoardXSize <= 9)
}

// roundings are the relative errors by which a network's raw outputs differ between runtimes of
// the same precision.
var roundings = []float64{1e-6, 3e-6, 1e-5}

// same reports whether a search equals the record, up to a tolerance in the reported numbers.
func (d *difference) same(tolerance float64) bool {
	return d.visits == 0 && d.report <= tolerance && d.pv == 0 && d.missing == 0 && d.extra == 0
}

// alike repeats a search and reports whether it equals the record. A difference is an error unless
// rounding explains it: if the network's outputs are disturbed as little as another runtime would
// disturb them, the search has the same visits as the record, and reports the same numbers up to
// the tolerance that repeat returns.
func alike(t *testing.T, id string, m *memo, repeat func() (d difference, tolerance float64)) bool {
	t.Helper()
	d, _ := repeat()
	if d.same(1e-4) && !d.order {
		return true
	}
	defer func() { m.rounding, m.variant = 0, 0 }()
	for _, m.rounding = range roundings {
		for m.variant = range uint64(30) {
			if d, tolerance := repeat(); d.same(tolerance) {
				t.Logf("%s differs by rounding: an error of %g in the network's outputs gives the recorded search; %+v", id, m.rounding, d)
				return false
			}
		}
	}
	t.Errorf("%s: %+v", id, d)
	return false
}

// tally counts equal records.
type tally struct{ tried, same int }

func (c *tally) count(same bool) {
	c.tried++
	if same {
		c.same++
	}
}

func (c *tally) log(t *testing.T, set string) {
	t.Helper()
	t.Logf("%s: %d of %d records equal (%.2f %%)", set, c.same, c.tried, 100*float64(c.same)/float64(max(c.tried, 1)))
}

// TestWholeSearchesOracle repeats searches that KataGo v1.17 made with one thread: every visit
// must go to the same node, and every reported number must agree up to rounding of the network's
// runtime.
func TestWholeSearchesOracle(t *testing.T) {
	settings := katagoSettings(t, "search")
	for _, set := range []struct {
		name string
		step int // take every step-th record
	}{{"plain", 29}, {"one", 31}, {"full", 11}, {"minus", 23}} {
		t.Run(set.name, func(t *testing.T) {
			bySample(t, "search/"+set.name+".jsonl.gz", func(t *testing.T, path string, nets networks) {
				var all tally
				for i, r := range testshared.Lines[record](t, path) {
					if nets.sample || r.wanted(i%set.step == 0) {
						r.check(t, nets, settings, &all)
					}
				}
				all.log(t, set.name)
			})
		})
	}
}

// check repeats the search. A difference that rounding does not explain is an error.
func (r *record) check(t *testing.T, nets networks, settings map[string]map[string]string, all *tally) {
	t.Helper()
	net := r.Net
	if nets.sample {
		net = sampled + net
	}
	got := r.search(t, nets, settings) // loads the network
	first := true
	all.count(alike(t, r.ID, models[net], func() (difference, float64) {
		if !first {
			got = r.search(t, nets, settings)
		}
		first = false
		return compare(r, &got), 1e-3
	}))
}

// TestMirrorGoOracle repeats searches that KataGo made against mirror Go, visit for visit. The
// copying player has the centre or not, and is ahead or behind, on odd, even and small boards.
func TestMirrorGoOracle(t *testing.T) {
	settings := katagoSettings(t, "search")
	check := func(t *testing.T, nets networks) {
		var all tally
		for _, r := range testshared.Lines[record](t, "../testdata/search/mirror.jsonl.gz") {
			if nets.sample && (r.ID == "small6/50" || r.ID == "tengen9-close/100") ||
				!nets.sample && selected(r.ID, r.Visits <= 100 && r.BoardXSize <= 11) {
				r.check(t, nets, settings, &all)
			}
		}
		require.True(t, all.tried > 0 || os.Getenv("KOSUMI_ORACLE") != "")
		all.log(t, "mirror Go")
	}
	t.Run("sample", func(t *testing.T) { check(t, sampleNetworks(t)) })
	t.Run("networks", func(t *testing.T) {
		if _, ok := testshared.Beyond(t, "models/katago"); ok && !*recordAnswers {
			check(t, newNetworks(t))
		}
	})
}
