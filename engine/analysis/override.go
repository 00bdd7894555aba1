package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Overrides read the settings of a query.
type Overrides interface {
	// Apply sets p and l from pairs. The argument view is the old perspective, the result now the
	// new one; Empty means the side to move. The results unknown and idle list names that do not
	// exist or have no effect here. The argument humans says that a human SL network is loaded.
	// Error texts are sent to the client.
	Apply(p *search.Params, l *search.Limits, pairs map[string]string, view board.Color, humans bool) (now board.Color, unknown, idle []string, err error)
}

// ParsePerspective reads KataGo's names BLACK, WHITE and SIDETOMOVE; the last is Empty.
func ParsePerspective(s string) (board.Color, error) {
	c, err := board.ParseColor(s)
	if err != nil && !strings.EqualFold(s, "SIDETOMOVE") {
		return board.Empty, fmt.Errorf("perspective %q must be BLACK, WHITE or SIDETOMOVE", s)
	}
	return c, nil
}

// readOverrides applies the settings of one query. Bad values are errors; unknown names give a
// warning.
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
	if s.conf.Overrides == nil {
		return []fieldError{{field, "Unknown config params: " + strings.Join(slices.Sorted(maps.Keys(pairs)), ",")}}
	}
	view, unknown, idle, err := s.conf.Overrides.Apply(&q.params, &q.limits, pairs, q.view, human)
	if err != nil {
		r.fail(field, "Could not set settings: %v", err)
		return nil
	}
	var warnings []fieldError
	if len(unknown) > 0 {
		warnings = append(warnings, fieldError{field, "Unknown config params: " + strings.Join(unknown, ",")})
	}
	if _, set := q.params.Human.Meta(); set && !takes {
		r.fail(field, "Could not set settings: WARNING: humanSLProfile is specified as config param but model(s) don't use it: %s\n", names)
		return warnings
	}
	q.view = view
	if len(idle) > 0 {
		warnings = append(warnings, fieldError{field, "Config params without effect here: " + strings.Join(idle, ",")})
	}
	return warnings
}

// humans reports whether a human SL network is loaded and whether any network takes a profile,
// and returns the names of all networks for messages.
func (s *Server) humans() (loaded, profile bool, names string) {
	files, any := nn.Profiled(s.net)
	if names = s.conf.ModelNames; names == "" {
		names = strings.Join(files, " and ")
	}
	return s.net.Humans() != nil, any, names
}

// settingText converts a setting from JSON to its text in a config file.
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
