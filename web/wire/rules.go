package wire

import (
	"errors"
	"math"
	"strings"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/sgf"
	"kosumi/web/api"
)

// RuleSets are the rules that the page offers, with their usual komi.
func RuleSets() []api.Rules {
	var all []api.Rules
	for _, name := range []string{"chinese", "japanese", "korean", "aga", "new-zealand", "tromp-taylor", "stone-scoring", "ancient-territory"} {
		if r, err := board.ParseRules(name); err == nil {
			all = append(all, api.Rules{ID: name, Komi: float64(r.Komi)})
		}
	}
	return all
}

// RulesName returns the page's name for r, whatever the komi, or r as JSON if the page does not offer these rules.
func RulesName(r board.Rules) string {
	for _, known := range RuleSets() {
		if k, err := board.ParseRules(known.ID); err == nil {
			if k.Komi = r.Komi; k == r {
				return known.ID
			}
		}
	}
	return r.JSON()
}

// RecordedRules returns the text for rules in a record: a name that other programs know, if there is
// one for exactly these rules, else KataGo's JSON. chosen is the name that a page gave, or empty.
func RecordedRules(r board.Rules, chosen string) string {
	plain := strings.NewReplacer("-", "", " ", "", "_", "")
	names := []string{r.Name()}
	if chosen != "" && !strings.EqualFold(plain.Replace(chosen), plain.Replace(names[0])) {
		names = []string{strings.ToUpper(chosen[:1]) + chosen[1:], names[0]}
	}
	for _, name := range names {
		rec := sgf.Record{Rules: name, HasKomi: true, Komi: float64(r.Komi)}
		if back, err := rec.BoardRules(); err == nil && back == r {
			return name
		}
	}
	return r.JSON()
}

// CheckRules refuses rules and komi that the engine does not play.
func CheckRules(r board.Rules) error {
	if k := float64(r.Komi); !(math.Abs(k) <= engine.MaxKomi) || 2*k != math.Trunc(2*k) {
		return api.Tell("bad_request", "komi", "komi", Decimal(k), "most", engine.MaxKomi)
	}
	if err := r.Check(); err != nil {
		return api.Refuse("bad_request", "%v", err)
	}
	return nil
}

// Illegal converts an error of the board into a refusal.
func Illegal(err error) error {
	why := "board"
	for _, known := range []struct {
		err  error
		name string
	}{{board.ErrOccupied, "occupied"}, {board.ErrSuicide, "suicide"}, {board.ErrKo, "ko"}, {board.ErrSuperko, "superko"}} {
		if errors.Is(err, known.err) {
			why = known.name
		}
	}
	return api.RefuseWith("illegal", why, err.Error())
}
