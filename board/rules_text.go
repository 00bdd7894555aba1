package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Names of rule values, as KataGo writes them.
var (
	koNames      = []string{"SIMPLE", "POSITIONAL", "SITUATIONAL", "SPIGHT"}
	scoringNames = []string{"AREA", "TERRITORY"}
	taxNames     = []string{"NONE", "SEKI", "ALL"}
	bonusNames   = []string{"0", "N", "N-1"}
)

// name returns the name of a value, or "?" for one out of range.
func name(names []string, value uint8) string {
	if int(value) < len(names) {
		return names[value]
	}
	return "?"
}

// String returns the name of the ko rule, as in "POSITIONAL".
func (k KoRule) String() string { return name(koNames, uint8(k)) }

// String returns "AREA" or "TERRITORY".
func (s Scoring) String() string { return name(scoringNames, uint8(s)) }

// String returns "NONE", "SEKI" or "ALL".
func (t Tax) String() string { return name(taxNames, uint8(t)) }

// String returns "0", "N" or "N-1".
func (b HandicapBonus) String() string { return name(bonusNames, uint8(b)) }

// JSON returns the rules without komi as one line of JSON, with the keys and
// values of KataGo's kata-get-rules.
func (r Rules) JSON() string {
	return fmt.Sprintf(`{"friendlyPassOk":%t,"hasButton":%t,"ko":%q,"scoring":%q,"suicide":%t,"tax":%q,"whiteHandicapBonus":%q}`,
		r.FriendlyPassOk, r.Button, r.Ko, r.Scoring, r.Suicide, r.Tax, r.HandicapBonus)
}

// ParseRules reads the name of a rule set ("tromp-taylor", "Chinese OGS",
// "new_zealand", ...) or a JSON object. What an object leaves out is as in
// Tromp-Taylor rules, except that tax then is SEKI for territory scoring and komi
// the usual one. Komi is part of the result, so a caller that keeps its own must
// put it back. Errors wrap ErrRules.
func ParseRules(s string) (Rules, error) {
	r, _, err := ParseRulesKomi(s)
	return r, err
}

// ParseRulesKomi is ParseRules that also tells whether the text itself gave a
// komi, which only a JSON object can.
func ParseRulesKomi(s string) (r Rules, komiGiven bool, err error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") {
		return parseRulesJSON(s)
	}
	key := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	preset, ok := presets[key]
	if !ok {
		return Rules{}, false, fmt.Errorf("%w: unknown rule set %q", ErrRules, s)
	}
	return preset(), false, nil
}

// rulesText is the JSON form of Rules; what is nil was not given.
type rulesText struct {
	Ko             *string  `json:"ko"`
	Scoring        *string  `json:"scoring"`
	Score          *string  `json:"score"`
	Tax            *string  `json:"tax"`
	Suicide        *bool    `json:"suicide"`
	Button         *bool    `json:"hasButton"`
	HandicapBonus  *string  `json:"whiteHandicapBonus"`
	FriendlyPassOk *bool    `json:"friendlyPassOk"`
	Komi           *float32 `json:"komi"`
}

func parseRulesJSON(s string) (Rules, bool, error) {
	fail := func(err error) (Rules, bool, error) {
		return Rules{}, false, fmt.Errorf("%w: %w", ErrRules, err)
	}
	var t rulesText
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return fail(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fail(fmt.Errorf("text after the JSON object"))
	}
	if t.Scoring == nil {
		t.Scoring = t.Score
	}
	r := TrompTaylor()
	values := []struct {
		key   string
		text  *string
		names []string
		set   func(int)
	}{
		{"ko", t.Ko, koNames, func(i int) { r.Ko = KoRule(i) }},
		{"scoring", t.Scoring, scoringNames, func(i int) { r.Scoring = Scoring(i) }},
		{"tax", t.Tax, taxNames, func(i int) { r.Tax = Tax(i) }},
		{"whiteHandicapBonus", t.HandicapBonus, bonusNames, func(i int) { r.HandicapBonus = HandicapBonus(i) }},
	}
	for _, v := range values {
		if v.text == nil {
			continue
		}
		i := indexFold(v.names, *v.text)
		if i < 0 {
			return fail(fmt.Errorf("%s %q, want one of %s", v.key, *v.text, strings.Join(v.names, ", ")))
		}
		v.set(i)
	}
	t.fill(&r)
	if err := r.Check(); err != nil {
		return Rules{}, false, err
	}
	return r, t.Komi != nil, nil
}

// fill sets what is not an enumeration, and the defaults that depend on others.
func (t *rulesText) fill(r *Rules) {
	for _, v := range []struct {
		text *bool
		to   *bool
	}{{t.Suicide, &r.Suicide}, {t.Button, &r.Button}, {t.FriendlyPassOk, &r.FriendlyPassOk}} {
		if v.text != nil {
			*v.to = *v.text
		}
	}
	if t.Tax == nil && r.Scoring == ScoringTerritory {
		r.Tax = TaxSeki
	}
	switch {
	case t.Komi != nil:
		r.Komi = *t.Komi
	case r.Scoring == ScoringTerritory:
		r.Komi = 6.5
	case r.Button:
		r.Komi = 7
	}
}

// indexFold returns the index of s among names in any case, or -1.
func indexFold(names []string, s string) int {
	for i, n := range names {
		if strings.EqualFold(n, s) {
			return i
		}
	}
	return -1
}
