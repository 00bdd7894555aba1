package engine

import (
	"fmt"
	"strconv"
	"time"
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
}

// setting reads and writes one parameter of a configuration.
type setting struct {
	name string
	kind ParamKind
	get  func(*Config) string
	set  func(*Config, string) error
}

// unlimited is what KataGo reports, and clients send, for no limit.
const unlimited = 1 << 50

var settings = []setting{
	limit("maxVisits", func(c *Config) *int64 { return &c.Limits.Visits }),
	limit("maxPlayouts", func(c *Config) *int64 { return &c.Limits.Playouts }),
	{"maxTime", NumberParam,
		func(c *Config) string { return formatFloat(c.Limits.Time.Seconds()) },
		func(c *Config, v string) error {
			s, err := number(v, 0, 1e20)
			if err != nil {
				return err
			}
			if c.Limits.Time = 0; s > 0 && s < 1e7 {
				c.Limits.Time = time.Duration(s * float64(time.Second))
			}
			return nil
		}},
	{"numSearchThreads", NumberParam,
		func(c *Config) string { return strconv.Itoa(c.Search.Parallel.Workers) },
		func(c *Config, v string) error {
			n, err := number(v, 1, 1024)
			c.Search.Parallel.Workers = int(n)
			return err
		}},
	toggle("ponderingEnabled", func(c *Config) *bool { return &c.Ponder }),
	toggle("allowResignation", func(c *Config) *bool { return &c.Resign.Enabled }),
	ranged("resignThreshold", -1, 1, func(c *Config) *float64 { return &c.Resign.Threshold }),
	ranged("analysisWideRootNoise", 0, 5, func(c *Config) *float64 { return &c.AnalysisWideNoise }),
	ranged("playoutDoublingAdvantage", -3, 3, func(c *Config) *float64 { return &c.Search.Net.PlayoutDoublingAdvantage }),
	ranged("chosenMoveTemperature", 0, 10, func(c *Config) *float64 { return &c.Search.Choice.Temperature }),
	ranged("chosenMoveTemperatureEarly", 0, 10, func(c *Config) *float64 { return &c.Search.Choice.TemperatureEarly }),
	{"lagBuffer", NumberParam,
		func(c *Config) string { return formatFloat(c.Lag.Seconds()) },
		func(c *Config, v string) error {
			s, err := number(v, 0, 3600)
			c.Lag = time.Duration(s * float64(time.Second))
			return err
		}},
	toggle("conservativePass", func(c *Config) *bool { return &c.Search.Pass.Conservative }),
}

func limit(name string, field func(*Config) *int64) setting {
	return setting{name, NumberParam,
		func(c *Config) string {
			if v := *field(c); v > 0 {
				return strconv.FormatInt(v, 10)
			}
			return strconv.FormatInt(unlimited, 10)
		},
		func(c *Config, v string) error {
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
	return setting{name, BoolParam,
		func(c *Config) string { return strconv.FormatBool(*field(c)) },
		func(c *Config, v string) error {
			b, err := strconv.ParseBool(v)
			*field(c) = b
			return err
		}}
}

func ranged(name string, low, high float64, field func(*Config) *float64) setting {
	return setting{name, NumberParam,
		func(c *Config) string { return formatFloat(*field(c)) },
		func(c *Config, v string) error {
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
		all[i] = Param{s.name, s.get(&e.cfg), s.kind}
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
