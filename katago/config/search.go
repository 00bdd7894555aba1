package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kosumi/nn/features"
)

// Program is one of KataGo's programs: their defaults differ.
type Program uint8

// The programs.
const (
	GTP Program = iota
	Analysis
)

// Search is the value of every parameter of the search.
type Search map[string]Value

// fallback returns the default.
func (p *Param) fallback(of Program) Value {
	text := p.Default
	if of == Analysis && p.Analysis != "" {
		text = p.Analysis
	}
	if p.Kind == Text {
		return Value{Text: text}
	}
	v, _ := parse(p.Kind, text) // the table is sound; a test reads it all
	return v
}

// follows maps parameters to the parameters whose values are their defaults.
var follows = map[string]string{"rootPolicyTemperatureEarly": "rootPolicyTemperature", "rootFpuLossProp": "fpuLossProp"}

// Search reads the parameters of the search. human says that there is a second
// network for human-like play.
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

// param reads one parameter; those before it in the table have been read into s.
func (c *Config) param(p *Param, of Program, human bool, s Search) (Value, error) {
	absent := p.fallback(of)
	switch p.Name {
	case "numSearchThreads":
		return c.Get(p.Key)
	case "fpuParentWeightByVisitedPolicyPow":
		if !s["fpuParentWeightByVisitedPolicy"].Bool {
			absent.Number = 1 // without effect
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

// player turns the name of a colour into B or W, by which KataGo shows it; E is
// nobody.
func player(text string) (string, error) {
	switch strings.ToLower(text) {
	case "b", "black":
		return "B", nil
	case "w", "white":
		return "W", nil
	}
	return "", errors.New("Could not parse player in field playoutDoublingAdvantagePla, should be BLACK or WHITE")
}

// fixed are the parameters that may not change while a program runs.
var fixed = []string{"nodeTableShardsPowerOfTwo", "useEvalCache", "evalCacheMinVisits"}

// Changes reports a parameter that differs from the start of the program and may
// not.
func (s Search) Changes(since Search) error {
	for _, name := range fixed {
		if s[name] != since[name] {
			return fmt.Errorf("Cannot change %s after initialization", name)
		}
	}
	return nil
}

// Names returns the names that kata-get-params shows of the parameters, sorted.
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

// Shown returns a parameter that kata-get-params shows.
func (s Search) Shown(name string) (Value, bool) {
	if name == "subtreeValueBiasTableNumShards" {
		return Value{Kind: Int, Int: 65536}, true // KataGo has no key for it
	}
	if !slices.Contains(s.Names(), name) {
		return Value{}, false
	}
	return s[name], true
}
