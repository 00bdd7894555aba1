package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// Overrides applies the overrideSettings of queries, each to its own copy of the parameters. It
// implements analysis.Overrides. Not safe for concurrent use.
type Overrides struct {
	base  *Config
	since Search // search parameters of base
	quiet bool   // do not report parameters that KataGo accepts without effect
}

// NewOverrides returns the overrides for a program started with a config. humans says that a
// human SL network is loaded.
func NewOverrides(base *Config, humans bool) (*Overrides, error) {
	since, err := base.Clone().Search(Analysis, humans)
	return &Overrides{base: base, since: since, quiet: true}, err
}

// PlainOverrides returns the overrides for a program without a KataGo config; each of its searches
// uses this number of threads.
func PlainOverrides(threads int) *Overrides {
	base := New(map[string]string{"numSearchThreads": strconv.Itoa(max(1, threads))})
	since, _ := base.Clone().Search(Analysis, false) // a config with this key alone is valid
	return &Overrides{base: base, since: since}
}

func (o *Overrides) Apply(p *search.Params, l *search.Limits, pairs map[string]string, view board.Color, humans bool) (now board.Color, unknown, idle []string, err error) {
	q := o.base.overridden(pairs)
	values, err := q.Search(Analysis, humans)
	if err == nil {
		now, err = q.Perspective(view)
	}
	if err == nil {
		err = values.Changes(o.since)
	}
	if err == nil {
		unknown, err = setOwn(p, q.Unused(), pairs)
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

var searchTable = search.Settings()

// setOwn sets parameters that KataGo does not have, and returns the remaining unknown names.
func setOwn(p *search.Params, names []string, pairs map[string]string) (unknown []string, err error) {
	for _, name := range names {
		if row := searchTable.Find(name); row == nil || FindParam(name) != nil { // a parameter of KataGo's, or no setting of the search
			unknown = append(unknown, name)
		} else if err := row.Set(p, pairs[name]); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// setAsGiven sets a search limit or the human profile; false if name is neither.
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

// Seconds converts a time limit. 1e8 s or more becomes 0, which means no limit; any other limit
// becomes at least a nanosecond.
func Seconds(s float64) time.Duration {
	if s >= 1e8 {
		return 0
	}
	return max(time.Duration(s*float64(time.Second)), time.Nanosecond)
}

// SetParam sets one of KataGo's parameters in p; false if p has no equivalent.
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
