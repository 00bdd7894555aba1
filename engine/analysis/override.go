package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/katago/config"
	"kosumi/nn"
	"kosumi/search"
)

// Perspective says whose view numbers are given in.
type Perspective uint8

// The perspectives.
const (
	SideToMove Perspective = iota
	Black
	White
)

var perspectives = []string{"", "black", "white"}

// ParsePerspective reads KataGo's names: SIDETOMOVE, BLACK, WHITE.
func ParsePerspective(s string) (Perspective, error) {
	switch strings.ToUpper(s) {
	case "SIDETOMOVE":
		return SideToMove, nil
	case "B", "BLACK":
		return Black, nil
	case "W", "WHITE":
		return White, nil
	}
	return 0, fmt.Errorf("perspective %q must be BLACK, WHITE or SIDETOMOVE", s)
}

// readOverrides changes the settings of one query. Bad values are errors;
// unknown names give a warning.
func (s *Server) readOverrides(q *query, r *fieldReader) []fieldError {
	const field = "overrideSettings"
	var settings map[string]json.RawMessage
	if !r.take(field, "Must be an object", &settings) || len(settings) == 0 {
		return nil
	}
	pairs := map[string]string{}
	for name, raw := range settings {
		pairs[name] = settingText(raw)
	}
	human, takes, names := s.humans()
	values, view, unknown, err := s.base.Query(pairs, s.since, perspectives[q.view], human)
	if err == nil {
		unknown, err = q.ownSettings(unknown, pairs)
	}
	if err != nil {
		r.fail(field, "Could not set settings: %v", err)
		return nil
	}
	var warnings []fieldError
	if len(unknown) > 0 {
		warnings = append(warnings, fieldError{field, "Unknown config params: " + strings.Join(unknown, ",")})
	}
	if _, set := (search.Human{Profile: values["humanSLProfile"].Text}).Meta(); set && !takes {
		r.fail(field, "Could not set settings: WARNING: humanSLProfile is specified as config param but model(s) don't use it: %s\n", names)
		return warnings
	}
	q.view = Perspective(slices.Index(perspectives, view))
	idle := q.apply(values, s.since, pairs)
	if idle = slices.DeleteFunc(idle, s.unusedThere); len(idle) > 0 {
		warnings = append(warnings, fieldError{field, "Config params without effect here: " + strings.Join(idle, ",")})
	}
	return warnings
}

// unusedThere reports whether a parameter is one that KataGo's analysis takes without
// a use and without a word, and this server stands in its place.
func (s *Server) unusedThere(name string) bool {
	return s.conf.InKataGosPlace && slices.Contains(config.UnusedInAnalysis, name)
}

// humans reports whether a network of human moves is loaded, whether any network
// varies by profile, and how messages call them all.
func (s *Server) humans() (loaded, profile bool, names string) {
	files, any := nn.Profiled(s.net)
	if names = s.conf.ModelNames; names == "" {
		names = strings.Join(files, " and ")
	}
	return s.conf.HumanModel || s.net.Humans() != nil, s.conf.TakesProfile || any, names
}

// settingText is the value of a setting as a config file would have it.
func settingText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if bytes.Equal(raw, []byte("null")) {
			return "null"
		}
		return text
	}
	return string(dump(raw))
}

// searchTable lists the settings of the search.
var searchTable = search.Settings()

// ownSettings sets what only this engine knows, and returns the names that it
// does not know either.
func (q *query) ownSettings(names []string, pairs map[string]string) (unknown []string, err error) {
	for _, name := range names {
		if row := searchTable.Find(name); row == nil || config.FindParam(name) != nil { // KataGo's, without effect beside others
			unknown = append(unknown, name)
		} else if err := row.Set(&q.params, pairs[name]); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// apply sets the parameters that a query gives or that follow from those. It
// returns the names of parameters that have no effect here.
func (q *query) apply(values, since config.Search, pairs map[string]string) (idle []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		if _, given := pairs[name]; !given && v == since[name] {
			continue
		}
		if !q.applyLimit(name, v) && !SetParam(&q.params, name, v) && v != since[name] {
			idle = append(idle, name)
		}
	}
	return idle
}

// applyLimit sets what is no parameter of the search here.
func (q *query) applyLimit(name string, v config.Value) bool {
	switch name {
	case "maxVisits":
		q.limits.Visits = v.Int
	case "maxPlayouts":
		q.limits.Playouts = v.Int
	case "maxTime":
		q.limits.Time = Seconds(v.Number)
	case "playoutDoublingAdvantagePla":
		q.advanced, _ = board.ParseColor(v.Text) // E is nobody
	case "humanSLProfile":
		q.params.Human.Profile = v.Text
	default:
		return false
	}
	return true
}

// Seconds is a limit of time: as good as none where it is more than a Duration
// holds, and no limit of no time, which would be none.
func Seconds(s float64) time.Duration {
	if s >= 1e8 {
		return 0
	}
	return max(seconds(s), time.Nanosecond)
}

// SetParam sets a parameter of KataGo's in p. It returns false if p has nothing
// like it.
func SetParam(p *search.Params, name string, v config.Value) bool {
	switch name {
	case "numSearchThreads":
		p.Parallel.Workers = int(v.Int)
		return true
	case "playoutDoublingAdvantagePla":
		word := map[string]string{"E": "mover", "B": "black", "W": "white"}[v.Text]
		return searchTable.Set(p, name, word) == nil
	case "minPlayoutsPerThread":
		return searchTable.Set(p, name, fmt.Sprint(int(min(v.Number, 1e6)))) == nil
	case "chosenMovePrune", "chosenMoveSubtract":
		v.Number = min(v.Number, 1e6)
	case "useNonBuggyLcb":
		p.Choice.LCBNotFirst = !v.Bool
		return true
	case "alwaysComputePassAliveUnderSuicideRules":
		p.Pass.AliveUnderSuicide, p.Pass.AliveByRules = v.Text == "true", v.Text == "false"
		return true
	}
	return searchTable.Find(name) != nil && searchTable.Set(p, name, v.Exact()) == nil
}
