package config

import (
	"errors"

	"kosumi/board"
)

// Rules reads the rules, as one name or in parts, and the komi that belongs to them.
func (c *Config) Rules() (board.Rules, error) {
	if !c.Has("rules") {
		return c.ruleParts()
	}
	for _, key := range rulesParts {
		if c.Has(key) {
			return board.Rules{}, errors.New("Cannot both specify 'rules' and individual rules like " + key)
		}
	}
	v, err := c.Get(Key{Name: "rules"})
	if err != nil {
		return board.Rules{}, err
	}
	if _, _, err := board.ParseKataGoRules(v.Text); err != nil {
		return board.Rules{}, Reason(err)
	}
	rules, err := board.ParseRules(v.Text)
	return rules, Reason(err)
}

// Reason returns KataGo's wording of an error in rules.
func Reason(err error) error {
	if rules, ok := errors.AsType[*board.RulesError](err); ok {
		return errors.New(rules.Reason)
	}
	return err
}

func (c *Config) ruleParts() (board.Rules, error) {
	r := board.TrompTaylor()
	read := func(k Key, part string, needed bool) error {
		if !needed && !c.Has(k.Name) {
			return nil
		}
		v, err := c.Get(k)
		if err == nil {
			r, _ = r.With(part, v.String()) // the value is already checked
		}
		return err
	}
	word := func(key, part string, needed bool, words ...string) error {
		return read(Key{Name: key, Words: words}, part, needed)
	}
	flag := func(key, part string, needed bool) error { return read(Key{Name: key, Kind: Bool}, part, needed) }
	for _, err := range []error{
		word("koRule", "ko", true, "SIMPLE", "POSITIONAL", "SITUATIONAL", "SPIGHT"),
		word("scoringRule", "scoring", true, "AREA", "TERRITORY"),
		flag("multiStoneSuicideLegal", "suicide", true), flag("hasButton", "hasButton", false),
	} {
		if err != nil {
			return r, err
		}
	}
	if r.Scoring == board.ScoringTerritory {
		r.Tax, r.Komi = board.TaxSeki, 6.5
	} else if r.Button {
		r.Komi = 7
	}
	err := word("taxRule", "tax", false, "NONE", "SEKI", "ALL")
	switch {
	case err != nil:
		return r, err
	case r.Button && r.Scoring != board.ScoringArea:
		return r, errors.New("Config specifies hasButton=true on a scoring system other than AREA")
	case c.Has("whiteBonusPerHandicapStone") && c.Has("whiteHandicapBonus"):
		return r, errors.New("May specify only one of whiteBonusPerHandicapStone and whiteHandicapBonus in config")
	}
	old, err := c.GetOr(Key{Name: "whiteBonusPerHandicapStone", Kind: Int, Low: 0, High: 1}, Value{})
	if old.Int == 1 {
		r.HandicapBonus = board.BonusN
	}
	if err == nil {
		err = word("whiteHandicapBonus", "whiteHandicapBonus", false, "0", "N", "N-1")
	}
	if err == nil {
		err = flag("friendlyPassOk", "friendlyPassOk", false)
	}
	return r, err
}
