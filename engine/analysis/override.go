package analysis

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kosumi/board"
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

// ParsePerspective reads KataGo's names: SIDETOMOVE, BLACK, WHITE.
func ParsePerspective(s string) (Perspective, error) {
	switch strings.ToUpper(s) {
	case "SIDETOMOVE":
		return SideToMove, nil
	case "BLACK":
		return Black, nil
	case "WHITE":
		return White, nil
	}
	return 0, fmt.Errorf("perspective %q must be BLACK, WHITE or SIDETOMOVE", s)
}

// accepted are settings of KataGo that clients send and that change nothing
// here: they tune what this engine does not do, or does by itself. So do all
// that begin with humanSL.
var accepted = map[string]bool{
	"delayMoveScale": true, "delayMoveMax": true, "numSearchThreads": true, "nnRandomize": true,
	"chosenMoveTemperature": true, "chosenMoveTemperatureEarly": true,
}

// readOverrides changes the settings of one query. Values may be strings, as in
// a config file. Bad values are errors; unknown names give a warning.
func (q *query) readOverrides(r *fieldReader) []fieldError {
	var settings map[string]json.RawMessage
	if !r.take("overrideSettings", "an object", &settings) {
		return nil
	}
	o := &fieldReader{fields: settings, quoted: true}
	q.overrideReports(o)
	q.overrideLimits(o)
	q.overrideSearch(o)
	if o.err != nil {
		r.fail(faultf("overrideSettings", "%v", o.err))
		return nil
	}
	var unknown []string
	for _, name := range o.rest() {
		if !accepted[name] && !strings.HasPrefix(name, "humanSL") {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return []fieldError{{"overrideSettings", "unknown settings, ignored: " + strings.Join(unknown, ", ")}}
}

func (q *query) overrideReports(o *fieldReader) {
	var text string
	if o.take("reportAnalysisWinratesAs", "BLACK, WHITE or SIDETOMOVE", &text) {
		view, err := ParsePerspective(text)
		if err != nil {
			o.fail(faultf("reportAnalysisWinratesAs", "%v", err))
		}
		q.view = view
	}
	length := int64(q.wishes.pvLen)
	o.integer("analysisPVLen", 1, maxPVLen, &length)
	q.wishes.pvLen = int(length)
}

func (q *query) overrideLimits(o *fieldReader) {
	s := 0.0
	if o.number("maxTime", 0, 1e20, &s) {
		q.limits.Time = 0
		if s < 1e8 { // else as good as none, and more than a Duration holds
			q.limits.Time = max(seconds(s), time.Nanosecond)
		}
	}
	o.integer("maxVisits", 1, maxVisits, &q.limits.Visits)
	o.integer("maxPlayouts", 1, maxVisits, &q.limits.Playouts)
}

// overrideSearch reads the settings of the search, by the names of KataGo's
// configuration file.
func (q *query) overrideSearch(o *fieldReader) {
	for _, s := range search.Settings() {
		if accepted[s.Name] || s.Name == "playoutDoublingAdvantagePla" {
			continue
		}
		if text := o.value(s.Name); text != nil && s.Set(&q.params, string(text)) != nil {
			o.fail(faultf(s.Name, "must be %s", s.Wants()))
		}
	}
	var player string
	if o.take("playoutDoublingAdvantagePla", "BLACK or WHITE", &player) && player != "" {
		c, err := board.ParseColor(player)
		if err != nil {
			o.fail(faultf("playoutDoublingAdvantagePla", "must be BLACK or WHITE"))
		}
		q.advanced = c
	}
}
