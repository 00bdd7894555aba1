package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kosumi/search"
)

// Overrides are the settings of an analysis that its queries may change, each for
// itself. It implements analysis.Overrides, and may be used from one goroutine.
type Overrides struct {
	base  *Config
	since Search // the search parameters of base
	quiet bool   // no word about parameters that KataGo takes without a use either
}

// NewOverrides returns the overrides of a program that was started with a config; humans
// says that it has a network of human moves.
func NewOverrides(base *Config, humans bool) (*Overrides, error) {
	since, err := base.Clone().Search(Analysis, humans)
	return &Overrides{base: base, since: since, quiet: true}, err
}

// PlainOverrides returns the overrides of a program without a config of KataGo's,
// whose searches have a number of threads.
func PlainOverrides(threads int) *Overrides {
	base := New(map[string]string{"numSearchThreads": strconv.Itoa(max(1, threads))})
	since, _ := base.Clone().Search(Analysis, false) // a config of nothing else can be read
	return &Overrides{base: base, since: since}
}

// Apply sets what pairs give in p and l. view is the perspective before, by
// KataGo's name, "" for the side to move. The new one is returned, with the unknown names and
// those without effect.
func (o *Overrides) Apply(p *search.Params, l *search.Limits, pairs map[string]string, view string, humans bool) (now string, unknown, idle []string, err error) {
	values, now, unknown, err := o.base.Query(pairs, o.since, view, humans)
	if err == nil {
		unknown, err = setOwn(p, unknown, pairs)
	}
	if err != nil {
		return view, nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		if _, given := pairs[name]; !given && v == o.since[name] {
			continue
		}
		if !setAsGiven(p, l, name, v) && !SetParam(p, name, v) && v != o.since[name] && !(o.quiet && slices.Contains(UnusedInAnalysis, name)) {
			idle = append(idle, name)
		}
	}
	return now, unknown, idle, nil
}

// searchTable lists the settings of the search.
var searchTable = search.Settings()

// setOwn sets what only this program knows, and returns the names that it does not know
// either.
func setOwn(p *search.Params, names []string, pairs map[string]string) (unknown []string, err error) {
	for _, name := range names {
		if row := searchTable.Find(name); row == nil || FindParam(name) != nil { // KataGo's, without effect beside others
			unknown = append(unknown, name)
		} else if err := row.Set(p, pairs[name]); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// setAsGiven sets a limit of a search, or its profile. It returns false if the name is
// neither's.
func setAsGiven(p *search.Params, l *search.Limits, name string, v Value) bool {
	switch name {
	case "maxVisits":
		l.Visits = v.Int
	case "maxPlayouts":
		l.Playouts = v.Int
	case "maxTime":
		l.Time = Seconds(v.Number)
	case "humanSLProfile":
		p.Human.Profile = v.Text
	default:
		return false
	}
	return true
}

// Seconds converts a limit of time. A limit beyond 1e8 s is 0, which is no limit; none is shorter
// than a nanosecond.
func Seconds(s float64) time.Duration {
	if s >= 1e8 {
		return 0
	}
	return max(time.Duration(s*float64(time.Second)), time.Nanosecond)
}

// SetParam sets a parameter of KataGo's in p. It returns false if p has nothing
// like it.
func SetParam(p *search.Params, name string, v Value) bool {
	switch name {
	case "numSearchThreads":
		p.Parallel.Workers = int(v.Int)
		return true
	case "playoutDoublingAdvantagePla":
		word := map[string]string{"E": "mover", "B": "black", "W": "white"}[v.Text]
		return searchTable.Set(p, name, word) == nil
	case "minPlayoutsPerThread":
		return searchTable.Set(p, name, fmt.Sprint(int(min(v.Number, 1e6)))) == nil
	}
	return searchTable.Find(name) != nil && searchTable.Set(p, name, v.Exact()) == nil
}
