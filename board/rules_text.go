package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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

func (s Scoring) String() string { return name(scoringNames, uint8(s)) }

func (t Tax) String() string { return name(taxNames, uint8(t)) }

func (b HandicapBonus) String() string { return name(bonusNames, uint8(b)) }

// JSON returns the rules without komi as one line of JSON, with the keys and
// values of KataGo's kata-get-rules.
func (r Rules) JSON() string {
	return fmt.Sprintf(`{"friendlyPassOk":%t,"hasButton":%t,"ko":%q,"scoring":%q,"suicide":%t,"tax":%q,"whiteHandicapBonus":%q}`,
		r.FriendlyPassOk, r.Button, r.Ko, r.Scoring, r.Suicide, r.Tax, r.HandicapBonus)
}

// Text returns the rules without komi in KataGo's older form, such as
// "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1".
func (r Rules) Text() string {
	digit := map[bool]string{false: "0", true: "1"}
	s := "ko" + r.Ko.String() + "score" + r.Scoring.String() + "tax" + r.Tax.String() + "sui" + digit[r.Suicide]
	if r.Button {
		s += "button1"
	}
	if r.HandicapBonus != BonusZero {
		s += "whb" + r.HandicapBonus.String()
	}
	if r.FriendlyPassOk {
		s += "fpok1"
	}
	return s
}

// Name returns the name that KataGo gives rules, whatever the komi:
// "TrompTaylor", "Japanese" and so on, or Text for those without a name.
func (r Rules) Name() string {
	for _, named := range []struct {
		name  string
		rules Rules
	}{
		{"TrompTaylor", TrompTaylor()}, {"Japanese", Japanese()}, {"Chinese", Chinese()}, {"Chinese-OGS", chineseServer},
		{"AGA", aga}, {"StoneScoring", ancientArea}, {"NewZealand", newZealand},
	} {
		named.rules.Komi = r.Komi
		if named.rules == r {
			return named.name
		}
	}
	return r.Text()
}

// RulesError tells why a text is not a set of rules, in KataGo's words. It wraps ErrRules.
type RulesError struct{ Reason string }

func (e *RulesError) Error() string { return ErrRules.Error() + ": " + e.Reason }

func (e *RulesError) Unwrap() error { return ErrRules }

func badRules(format string, args ...any) error { return &RulesError{fmt.Sprintf(format, args...)} }

// ParseRules reads the name of a rule set ("tromp-taylor", "Chinese OGS", "new_zealand", ...), a
// JSON object, or KataGo's older form (see Rules.Text). Omitted parts are as in Tromp-Taylor rules,
// but territory scoring has the tax SEKI and komi 6.5, and area scoring with a button has komi 7.
// Komi is part of the result, so a caller that keeps another komi must set it again. Errors are
// RulesErrors.
func ParseRules(s string) (Rules, error) {
	r, _, err := ParseRulesKomi(s)
	return r, err
}

// ParseRulesKomi is like ParseRules, but also reports whether the text itself
// gave a komi, which a name cannot.
func ParseRulesKomi(s string) (r Rules, komiGiven bool, err error) {
	r, komiGiven, err = ParseRulesParts(s)
	if err != nil {
		return r, komiGiven, err
	}
	if err := r.Check(); err != nil {
		return Rules{}, false, badRules("%v", strings.TrimPrefix(err.Error(), ErrRules.Error()+": "))
	}
	return r, komiGiven, nil
}

// ParseRulesParts is ParseRulesKomi, but leaves it to the caller to check that the parts fit
// together: a button, for example, needs area scoring.
func ParseRulesParts(s string) (r Rules, komiGiven bool, err error) {
	trimmed := strings.TrimSpace(s)
	if preset, ok := presets[marks.Replace(strings.ToLower(trimmed))]; ok {
		return preset, false, nil
	}
	p := rulesParser{rules: TrompTaylor()}
	if strings.HasPrefix(trimmed, "{") {
		err = p.object(trimmed)
	} else {
		err = p.text(trimmed)
	}
	var known *RulesError
	switch {
	case errors.As(err, &known):
		return Rules{}, false, err
	case err != nil:
		return Rules{}, false, badRules("Could not parse rules: %s", s)
	}
	p.complete()
	return p.rules, p.komi, nil
}

// marks removes hyphens, underscores and blanks from a name.
var marks = strings.NewReplacer("-", "", "_", "", " ", "")

var twoWords = []string{
	"tromp taylor", "chinese ogs", "chinese kgs", "aga button", "new zealand", "stone scoring", "ancient area", "ancient territory",
}

// ParseKataGoRules is like ParseRulesParts, but accepts names only as KataGo spells them: at most
// one hyphen, underscore or blank between two words, and no blank in chinese-ogs and chinese-kgs.
func ParseKataGoRules(s string) (r Rules, komiGiven bool, err error) {
	name := strings.ToLower(strings.TrimSpace(s))
	if _, named := presets[marks.Replace(name)]; named && strings.ContainsAny(name, "-_ ") {
		between := name[strings.IndexAny(name, "-_ ")]
		spaced := strings.ReplaceAll(name, string(between), " ")
		if !slices.Contains(twoWords, spaced) || between == ' ' && strings.HasPrefix(name, "chinese") {
			return Rules{}, false, badRules("Could not parse rules: %s", s)
		}
	}
	return ParseRulesParts(s)
}

// rulesParser reads rules part by part.
type rulesParser struct {
	rules     Rules
	tax, komi bool // whether they were given
}

// errNoRules is the error for a text that does not look like rules.
var errNoRules = errors.New("no rules")

func (p *rulesParser) object(s string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &fields); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "komi" {
			if err := p.komiField(fields[key]); err != nil {
				return err
			}
			continue
		}
		part, known := ruleParts[key]
		if !known {
			return badRules("Unknown rules option: %s", key)
		}
		var value any
		if err := json.Unmarshal(fields[key], &value); err != nil {
			return err
		}
		text, isText := value.(string)
		switch _, isFlag := value.(bool); {
		case part.complaint == notFlag && isFlag:
			text = fmt.Sprint(value)
		case part.complaint == notFlag || !isText:
			return errNoRules
		case !slices.Contains(part.names, text):
			return badRules("%s%s", part.complaint, text)
		}
		if err := p.set(key, text); err != nil {
			return err
		}
	}
	return nil
}

func (p *rulesParser) komiField(text json.RawMessage) error {
	var komi float64
	if string(text) == "null" || json.Unmarshal(text, &komi) != nil {
		return errNoRules
	}
	const most = 400
	if math.Abs(komi) > most || komi*2 != math.Trunc(komi*2) {
		return badRules("Komi value is not a half-integer or is too extreme")
	}
	p.rules.Komi, p.komi = float32(komi), true
	return nil
}

// rulePart is a rule with a few named values.
type rulePart struct {
	names     []string // names of the values
	complaint string   // KataGo's message about any other value
	set       func(r *Rules, value int)
}

// notFlag is the complaint about a value that should be true or false but is not.
const notFlag = "could not parse bool: "

var (
	flagNames   = []string{"false", "true"}
	scoringPart = rulePart{scoringNames, "Rules::parseScoringRule: Invalid scoring rule: ", func(r *Rules, v int) { r.Scoring = Scoring(v) }}
)

// ruleParts are the parts of rules, except komi, by their keys in JSON.
var ruleParts = map[string]rulePart{
	"ko":                 {koNames, "Rules::parseKoRule: Invalid ko rule: ", func(r *Rules, v int) { r.Ko = KoRule(v) }},
	"score":              scoringPart,
	"scoring":            scoringPart,
	"tax":                {taxNames, "Rules::parseTaxRule: Invalid tax rule: ", func(r *Rules, v int) { r.Tax = Tax(v) }},
	"whiteHandicapBonus": {bonusNames, "Rules::parseWhiteHandicapBonusRule: Invalid whiteHandicapBonus rule: ", func(r *Rules, v int) { r.HandicapBonus = HandicapBonus(v) }},
	"suicide":            {flagNames, notFlag, func(r *Rules, v int) { r.Suicide = v == 1 }},
	"hasButton":          {flagNames, notFlag, func(r *Rules, v int) { r.Button = v == 1 }},
	"friendlyPassOk":     {flagNames, notFlag, func(r *Rules, v int) { r.FriendlyPassOk = v == 1 }},
}

func (p *rulesParser) set(key, value string) error {
	part, known := ruleParts[key]
	if !known {
		return badRules("Unknown rules option: %s", key)
	}
	i := slices.IndexFunc(part.names, func(n string) bool { return strings.EqualFold(n, value) })
	if i < 0 {
		return badRules("%s%s", part.complaint, value)
	}
	part.set(&p.rules, i)
	p.tax = p.tax || key == "tax"
	return nil
}

// With returns the rules with one part changed. key is any key of the JSON form except komi;
// value may be in any case. Errors are RulesErrors.
func (r Rules) With(key, value string) (Rules, error) {
	p := rulesParser{rules: r}
	err := p.set(strings.TrimSpace(key), strings.ToUpper(strings.TrimSpace(value)))
	return p.rules, err
}

// oldParts are the parts of the older form, by prefix. If one prefix is the beginning of another,
// the longer one comes first.
var oldParts = []struct {
	prefix, key string
	values      []string
}{
	{"ko", "ko", koNames}, {"scoring", "scoring", scoringNames}, {"score", "score", scoringNames}, {"tax", "tax", taxNames},
	{"whb", "whiteHandicapBonus", []string{"0", "N-1", "N"}},
	{"sui", "suicide", []string{"0", "1"}}, {"button", "hasButton", []string{"0", "1"}}, {"fpok", "friendlyPassOk", []string{"0", "1"}},
}

func (p *rulesParser) text(s string) error {
	if s == "" {
		return errNoRules
	}
	for s != "" {
		rest, err := p.part(s)
		if err != nil {
			return err
		}
		s = strings.TrimSpace(rest)
	}
	return nil
}

// part reads the first part of the older form and returns what follows it.
func (p *rulesParser) part(s string) (rest string, err error) {
	if after, ok := strings.CutPrefix(s, "komi"); ok {
		after = strings.TrimSpace(after)
		end := strings.IndexFunc(after, func(c rune) bool { return c == ' ' || c == '\t' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' })
		if end < 0 {
			end = len(after)
		}
		komi, err := strconv.ParseFloat(after[:end], 32)
		if err != nil {
			return "", errNoRules
		}
		p.rules.Komi, p.komi = float32(komi), true
		return after[end:], nil
	}
	for _, part := range oldParts {
		after, ok := strings.CutPrefix(s, part.prefix)
		if !ok {
			continue
		}
		after = strings.TrimSpace(after)
		for _, v := range part.values {
			if rest, ok := strings.CutPrefix(after, v); ok {
				if ruleParts[part.key].complaint == notFlag {
					v = strconv.FormatBool(v == "1")
				}
				return rest, p.set(part.key, v)
			}
		}
		break
	}
	return "", errNoRules
}

// complete sets omitted parts that depend on others.
func (p *rulesParser) complete() {
	r := &p.rules
	if !p.tax {
		r.Tax = TaxNone
		if r.Scoring == ScoringTerritory {
			r.Tax = TaxSeki
		}
	}
	switch {
	case p.komi:
	case r.Scoring == ScoringTerritory:
		r.Komi = 6.5
	case r.Button:
		r.Komi = 7
	}
}
