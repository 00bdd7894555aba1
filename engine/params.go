package engine

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"kosumi/search"
)

// ParamKind is the type of a parameter's value.
type ParamKind uint8

// The kinds of parameters. A bool is "true" or "false".
const (
	TextParam ParamKind = iota
	NumberParam
	BoolParam
)

// Param is a setting that may change while the engine runs, under the name that
// KataGo gives it.
type Param struct {
	Name, Value string
	Kind        ParamKind
	Choices     []string // the values of a text; nil: any
	// Expert marks a setting of the search that only experiments change: too
	// many for a dialog.
	Expert bool
}

// setting reads and writes one parameter of a configuration.
type setting struct {
	name   string
	kind   ParamKind
	get    func(*Config) string
	set    func(*Config, string) error
	words  []string
	expert bool
}

// unlimited is what KataGo reports, and clients send, for no limit.
const unlimited = 1 << 50

var settings = withSearch([]setting{
	limit("maxVisits", func(c *Config) *int64 { return &c.Limits.Visits }),
	limit("maxPlayouts", func(c *Config) *int64 { return &c.Limits.Playouts }),
	{name: "maxTime", kind: NumberParam,
		get: func(c *Config) string { return formatFloat(c.Limits.Time.Seconds()) },
		set: func(c *Config, v string) error {
			s, err := number(v, 0, 1e20)
			if err != nil {
				return err
			}
			if c.Limits.Time = 0; s > 0 && s < 1e7 {
				c.Limits.Time = time.Duration(s * float64(time.Second))
			}
			return nil
		}},
	{name: "numSearchThreads", kind: NumberParam,
		get: func(c *Config) string { return strconv.Itoa(c.Search.Parallel.Workers) },
		set: func(c *Config, v string) error {
			n, err := number(v, 1, 1024)
			c.Search.Parallel.Workers = int(n)
			return err
		}},
	toggle("ponderingEnabled", func(c *Config) *bool { return &c.Ponder }),
	toggle("allowResignation", func(c *Config) *bool { return &c.Resign.Enabled }),
	ranged("resignThreshold", -1, 1, func(c *Config) *float64 { return &c.Resign.Threshold }),
	ranged("analysisWideRootNoise", 0, 5, func(c *Config) *float64 { return &c.AnalysisWideNoise }),
	ranged("dynamicPlayoutDoublingAdvantageCapPerOppLead", 0, 0.5, func(c *Config) *float64 { return &c.HandicapAdvantage }),
	{name: "lagBuffer", kind: NumberParam,
		get: func(c *Config) string { return formatFloat(c.Lag.Seconds()) },
		set: func(c *Config, v string) error {
			s, err := number(v, 0, 3600)
			c.Lag = time.Duration(s * float64(time.Second))
			return err
		}},
})

// common names the settings of the search that clients offer to people.
var common = []string{"playoutDoublingAdvantage", "chosenMoveTemperature", "chosenMoveTemperatureEarly", "conservativePass"}

// withSearch adds the settings of the search, the common ones first.
func withSearch(list []setting) []setting {
	for _, name := range common {
		list = append(list, ofSearch(*search.FindSetting(name)))
	}
	for _, s := range search.Settings() {
		if !slices.Contains(common, s.Name) {
			expert := ofSearch(s)
			expert.expert = true
			list = append(list, expert)
		}
	}
	return list
}

func ofSearch(s search.Setting) setting {
	kinds := map[search.SettingKind]ParamKind{
		search.NumberSetting: NumberParam, search.IntegerSetting: NumberParam,
		search.BoolSetting: BoolParam, search.ChoiceSetting: TextParam,
	}
	return setting{name: s.Name, kind: kinds[s.Kind], words: s.Words,
		get: func(c *Config) string { return s.Get(&c.Search) },
		set: func(c *Config, v string) error { return s.Set(&c.Search, v) }}
}

func limit(name string, field func(*Config) *int64) setting {
	return setting{name: name, kind: NumberParam,
		get: func(c *Config) string {
			if v := *field(c); v > 0 {
				return strconv.FormatInt(v, 10)
			}
			return strconv.FormatInt(unlimited, 10)
		},
		set: func(c *Config, v string) error {
			n, err := number(v, 1, 1e20)
			if err != nil {
				return err
			}
			if *field(c) = 0; n < unlimited {
				*field(c) = int64(n)
			}
			return nil
		}}
}

func toggle(name string, field func(*Config) *bool) setting {
	return setting{name: name, kind: BoolParam,
		get: func(c *Config) string { return strconv.FormatBool(*field(c)) },
		set: func(c *Config, v string) error {
			b, err := strconv.ParseBool(v)
			*field(c) = b
			return err
		}}
}

func ranged(name string, low, high float64, field func(*Config) *float64) setting {
	return setting{name: name, kind: NumberParam,
		get: func(c *Config) string { return formatFloat(*field(c)) },
		set: func(c *Config, v string) error {
			f, err := number(v, low, high)
			*field(c) = f
			return err
		}}
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func number(text string, low, high float64) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= low && f <= high) {
		return 0, fmt.Errorf("%q is not a number from %g to %g", text, low, high)
	}
	return f, nil
}

// Params lists every parameter in a fixed order.
func (e *Engine) Params() []Param {
	all := make([]Param, len(settings))
	for i, s := range settings {
		all[i] = Param{s.name, s.get(&e.cfg), s.kind, s.words, s.expert}
	}
	return all
}

// SetParams sets some parameters, all or none. Pondering goes on under the new
// ones only after the next move.
func (e *Engine) SetParams(values map[string]string) error {
	next := e.cfg
	known := 0
	for _, s := range settings {
		v, ok := values[s.name]
		if !ok {
			continue
		}
		known++
		if err := s.set(&next, v); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrParam, s.name, err)
		}
	}
	if known < len(values) {
		return fmt.Errorf("%w: %s", ErrParam, unknownParam(values))
	}
	if err := next.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	e.Stop()
	if err := e.tree.SetParams(next.Search); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	e.cfg = next
	return nil
}

// unknownParam names one of the values that is no parameter.
func unknownParam(values map[string]string) string {
	for name := range values {
		found := false
		for _, s := range settings {
			found = found || s.name == name
		}
		if !found {
			return "unknown parameter " + name
		}
	}
	return "unknown parameter"
}
