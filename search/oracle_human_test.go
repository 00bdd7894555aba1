package search_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
)

// humanRecord is a KataGo search with a human SL network in addition to the main one, or as the
// main one.
type humanRecord struct {
	record
	Profile, HumanNet string
	Draws             string
	RawHuman          *struct{ Winrate, ScoreMean, ScoreStdev, StWrError, StScoreError float64 }
	Result            struct {
		RootInfo  rootInfo
		MoveInfos []struct {
			moveInfo
			HumanPrior *float64
		}
		Policy, HumanPolicy []float64
	}
}

// with returns the main network, joined by a human SL network unless humans is "". The caches of both are empty.
func (n networks) with(main, humans string) nn.Evaluator {
	both := nntest.WithHumans{Server: n.get(main, true)}
	both.ClearCache()
	if humans != "" {
		both.People = n.get(humans, true)
		both.People.ClearCache()
	}
	return both
}

// search repeats the search with the record's draws in place of random ones. It also returns the
// number of draws left over, negative if there were too few.
func (r *humanRecord) search(t testing.TB, nets networks, settings map[string]map[string]string) (search.Result, int) {
	t.Helper()
	p := katagoParams(t, settings[r.Settings])
	p.Human.Profile = r.Profile
	tree, err := search.New(p, nets.with(r.Net, r.HumanNet), nil)
	require.NoError(t, err)
	left := tree.Feed(r.Draws)
	tree.Reset(r.game(t))
	got, err := tree.Search(t.Context(), search.Limits{Visits: r.Visits})
	require.NoError(t, err)
	return got, left()
}

func (r *humanRecord) compare(got *search.Result) difference {
	plain := r.record
	plain.Result.RootInfo = r.Result.RootInfo
	plain.Result.MoveInfos = nil
	for i := range r.Result.MoveInfos {
		plain.Result.MoveInfos = append(plain.Result.MoveInfos, r.Result.MoveInfos[i].moveInfo)
	}
	d := compare(&plain, got)
	d.visits += abs(r.Result.RootInfo.Visits - got.Root.Visits)
	if (r.RawHuman != nil) != (got.Human != nil) {
		d.line, d.missing = "human output", d.missing+1
		return d
	}
	if got.Human == nil {
		return d
	}
	s, rate := 1.0, got.Human.Winrate
	if got.ToMove == board.Black {
		s, rate = -1, 1-rate
	}
	d.note("human winrate", r.RawHuman.Winrate, rate, 1)
	d.note("human score", r.RawHuman.ScoreMean, s*got.Human.ScoreMean, 10)
	d.note("human stdev", r.RawHuman.ScoreStdev, got.Human.ScoreStdev, 10)
	d.note("human winrate error", r.RawHuman.StWrError, got.Human.WinrateError, 1)
	d.note("human score error", r.RawHuman.StScoreError, got.Human.ScoreError, 10)
	for i := range r.Result.MoveInfos {
		m := &r.Result.MoveInfos[i]
		p, _ := got.Size.ParseVertex(m.Move)
		d.note(m.Move+" human prior", *m.HumanPrior, math.Max(0, float64(got.Human.Policy[got.Size.Index(p)])), 1)
	}
	for i, want := range r.Result.HumanPolicy {
		d.note(fmt.Sprint("human policy ", i), want, float64(got.Human.Policy[i]), 1)
	}
	return d
}

// TestHumanSearchesOracle repeats searches that KataGo v1.17 made with human SL networks and every
// humanSL parameter: every visit must go to the same node, every reported number must agree, and
// all recorded draws must be used. It repeats a sample; KOSUMI_ORACLE=all repeats all, and -v also
// prints a table by setting.
func TestHumanSearchesOracle(t *testing.T) {
	settings := katagoSettings(t, "human")
	nets := newNetworks(t)
	tallies := map[string]*tally{}
	var all tally
	for i, r := range testshared.Lines[humanRecord](t, testshared.Path(t, "golden/human/search.jsonl.gz")) {
		if !r.wanted(i%7 == 0) {
			continue
		}
		one := tallies[r.Settings]
		if one == nil {
			one = &tally{}
			tallies[r.Settings] = one
		}
		same := alike(t, r.ID, models[r.Net], func() (difference, float64) {
			got, left := r.search(t, nets, settings)
			d := r.compare(&got)
			if left != 0 {
				d.line, d.missing = fmt.Sprint(left, " draws left"), d.missing+1
			}
			return d, 1e-4
		})
		one.count(same)
		all.count(same)
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		tallies[name].log(t, name)
	}
	all.log(t, "human")
}
