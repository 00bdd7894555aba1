package sgf

import (
	"fmt"
	"strings"

	"kosumi/board"
)

// ruleNames are FF[4]'s and some servers' names of rule sets that
// board.ParseRules calls otherwise.
var ruleNames = map[string]string{
	"goe": "ing", "nz": "new-zealand", "newzealand": "new-zealand",
	"jp": "japanese", "japan": "japanese", "nihonkiin": "japanese", "cn": "chinese", "china": "chinese",
	"korea": "korean", "trompttaylor": "tromp-taylor", "tromp taylor": "tromp-taylor",
}

// BoardRules reads the rules text of the record, with its komi put in where it
// has one. It knows the names of FF[4], of board.ParseRules and the composed
// form that KataGo writes (koSIMPLEscoreAREAtaxNONEsui0button1whbN).
func (r *Record) BoardRules() (board.Rules, error) {
	rules, err := parseRules(strings.TrimSpace(r.Rules))
	if err != nil {
		return board.Rules{}, err
	}
	if r.HasKomi {
		rules.Komi = float32(r.Komi)
	}
	return rules, nil
}

func parseRules(text string) (board.Rules, error) {
	if strings.HasPrefix(text, "ko") && strings.Contains(text, "score") {
		return composedRules(text)
	}
	name := text
	if known, ok := ruleNames[strings.ToLower(text)]; ok {
		name = known
	}
	rules, err := board.ParseRules(name)
	if err != nil {
		return board.Rules{}, fmt.Errorf("%w: RU[%s]: %w", ErrValue, clip(text), err)
	}
	return rules, nil
}

// composedRules reads KataGo's form: keys and values run together, in the order
// ko, score, tax, sui, button, whb, fpok, of which the later may be missing.
func composedRules(text string) (board.Rules, error) {
	keys := []struct{ key, json string }{
		{"ko", `"ko":"%s"`}, {"score", `"scoring":"%s"`}, {"tax", `"tax":"%s"`}, {"sui", `"suicide":%s`},
		{"button", `"hasButton":%s`}, {"whb", `"whiteHandicapBonus":"%s"`}, {"fpok", `"friendlyPassOk":%s`},
	}
	var fields []string
	rest := text
	for i, k := range keys {
		if !strings.HasPrefix(rest, k.key) {
			continue
		}
		rest = rest[len(k.key):]
		end := len(rest)
		for _, later := range keys[i+1:] {
			if at := strings.Index(rest, later.key); at >= 0 {
				end = min(end, at)
			}
		}
		value := rest[:end]
		rest = rest[end:]
		if strings.HasSuffix(k.json, ":%s") {
			value = map[string]string{"0": "false", "1": "true"}[value]
		}
		if strings.ContainsAny(value, `"\`) || value == "" {
			return board.Rules{}, fmt.Errorf("%w: RU[%s]", ErrValue, clip(text))
		}
		fields = append(fields, fmt.Sprintf(k.json, value))
	}
	if rest != "" {
		return board.Rules{}, fmt.Errorf("%w: RU[%s]", ErrValue, clip(text))
	}
	rules, err := board.ParseRules("{" + strings.Join(fields, ",") + "}")
	if err != nil {
		return board.Rules{}, fmt.Errorf("%w: RU[%s]: %w", ErrValue, clip(text), err)
	}
	return rules, nil
}
