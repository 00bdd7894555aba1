package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn/features"
)

// Program is one of KataGo's programs; their defaults differ.
type Program uint8

const (
	GTP Program = iota
	Analysis
)

// Search is the values of all parameters of the search, by name.
type Search map[string]Value

// fallback returns the parameter's default in a program.
func (p *Param) fallback(of Program) Value {
	text := p.Default
	if of == Analysis && p.Analysis != "" {
		text = p.Analysis
	}
	if p.Kind == Text {
		return Value{Text: text}
	}
	v, _ := parse(p.Kind, text) // the table's values are valid, as a test checks
	return v
}

// follows maps a parameter to the one from which it takes its default.
var follows = map[string]string{"rootPolicyTemperatureEarly": "rootPolicyTemperature", "rootFpuLossProp": "fpuLossProp"}

// Search reads the parameters of the search. human says that a human SL network is loaded.
func (c *Config) Search(of Program, human bool) (Search, error) {
	bots, err := c.GetOr(Key{Name: "numBots", Kind: Int, Low: 1, High: 4096}, Value{Int: 1})
	if err != nil {
		return nil, err
	}
	if bots.Int != 1 {
		return nil, errors.New("The config for this command cannot have numBots > 0")
	}
	s := Search{}
	for i := range Params {
		p := &Params[i]
		if s[p.Name], err = c.param(p, of, human, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// param reads one parameter. The parameters before it in the table are already in s.
func (c *Config) param(p *Param, of Program, human bool, s Search) (Value, error) {
	absent := p.fallback(of)
	switch p.Name {
	case "numSearchThreads":
		return c.Get(p.Key)
	case "fpuParentWeightByVisitedPolicyPow":
		if !s["fpuParentWeightByVisitedPolicy"].Bool {
			absent.Number = 1 // the parameter has no effect then
			return absent, nil
		}
	case "fpuParentWeight":
		if s["fpuParentWeightByVisitedPolicy"].Bool {
			return absent, nil
		}
	case "rootFpuReductionMax":
		noise, err := c.GetOr(FindParam("rootNoiseEnabled").Key, Value{})
		if err != nil {
			return absent, err
		}
		if noise.Bool {
			absent.Number = 0
		}
	case "rootPolicyOptimism":
		absent.Number = min(s["policyOptimism"].Number, absent.Number)
	}
	if other, ok := follows[p.Name]; ok {
		absent = s[other]
	}
	if p.Human && !human && c.Has(p.Name) {
		return Value{}, fmt.Errorf("Provided parameter %s but no human model was specified (e.g -human-model b18c384nbt-humanv0.bin.gz)", p.Name)
	}
	v, err := c.GetOr(p.Key, absent)
	if err != nil || !c.Has(p.Name) {
		return v, err
	}
	switch p.Name {
	case "playoutDoublingAdvantagePla":
		v.Text, err = player(v.Text)
	case "humanSLProfile":
		_, _, err = features.ParseProfile(v.Text)
	}
	return v, err
}

// player converts the name of a colour to B or W, or E for neither, as KataGo shows it.
func player(text string) (string, error) {
	c, err := board.ParseColor(text)
	if err != nil {
		return "", errors.New("Could not parse player in field playoutDoublingAdvantagePla, should be BLACK or WHITE")
	}
	return strings.ToUpper(c.String()[:1]), nil
}

// fixed are parameters that cannot change while the program runs.
var fixed = []string{"nodeTableShardsPowerOfTwo", "useEvalCache", "evalCacheMinVisits"}

// Changes returns an error if a fixed parameter differs between s and since.
func (s Search) Changes(since Search) error {
	for _, name := range fixed {
		if s[name] != since[name] {
			return fmt.Errorf("Cannot change %s after initialization", name)
		}
	}
	return nil
}

// Names returns the names of the parameters that kata-get-params shows, sorted.
func (s Search) Names() []string {
	names := []string{"subtreeValueBiasTableNumShards"}
	for i := range Params {
		if !Params[i].Hidden && Params[i].Name != "antiMirror" {
			names = append(names, Params[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// Shown returns the value of a parameter, if kata-get-params shows it.
func (s Search) Shown(name string) (Value, bool) {
	if name == "subtreeValueBiasTableNumShards" {
		return Value{Kind: Int, Int: 65536}, true // a constant of KataGo's without a key
	}
	if !slices.Contains(s.Names(), name) {
		return Value{}, false
	}
	return s[name], true
}
