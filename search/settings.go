package search

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

// SettingKind is the type of a setting's value.
type SettingKind uint8

// The kinds of settings. A bool is "true" or "false", a choice one of the words
// of Setting.Words.
const (
	NumberSetting SettingKind = iota
	IntegerSetting
	BoolSetting
	ChoiceSetting
)

// Setting is a field of Params under the name that KataGo's configuration file
// gives it, or one of our own where KataGo has none, so that files, command lines
// and clients can set it.
type Setting struct {
	Name string
	Kind SettingKind
	// Low and High bound numbers and integers.
	Low, High float64
	Words     []string // of a choice
	// Doc says what it does and in which unit; Source where the default comes
	// from.
	Doc, Source string
	// Group is the heading that it belongs under.
	Group string

	field func(*Params) any // *float64, *int, *bool, *VirtualLossForm or *board.Color
}

// Settings returns all settings, in the order of Params. Seed, Parallel.Workers
// and Memory.MaxBytes are none: they are the machine's rather than the search's.
func Settings() []Setting { return slices.Clone(settings) }

// FindSetting returns the setting of a name; nil if there is none.
func FindSetting(name string) *Setting {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &settings[i]
}

// SetByName sets one setting from text. Errors wrap ErrParams and name what was
// probably meant; p then stays as it was.
func (p *Params) SetByName(name, value string) error {
	s := FindSetting(name)
	if s == nil {
		return fmt.Errorf("%w: unknown setting %s%s", ErrParams, name, meant(name))
	}
	return s.Set(p, value)
}

// meant suggests a setting for a name that is none.
func meant(name string) string {
	for _, s := range settings {
		if strings.EqualFold(s.Name, name) {
			return ", did you mean " + s.Name + "?"
		}
	}
	lower := strings.ToLower(name)
	for _, s := range settings {
		if own := strings.ToLower(s.Name); len(lower) > 3 && (strings.Contains(own, lower) || strings.Contains(lower, own)) {
			return ", did you mean " + s.Name + "?"
		}
	}
	return ""
}

// Get returns the value as text that Set reads.
func (s *Setting) Get(p *Params) string {
	switch v := s.field(p).(type) {
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *VirtualLossForm:
		return s.Words[*v]
	case *board.Color:
		return s.Words[*v]
	}
	panic("search: a setting of no known type: " + s.Name)
}

// Wants says which values there are.
func (s *Setting) Wants() string {
	switch s.Kind {
	case BoolSetting:
		return "true or false"
	case ChoiceSetting:
		return "one of " + strings.Join(s.Words, ", ")
	case IntegerSetting:
		return "an integer from " + plain(s.Low) + " to " + plain(s.High)
	}
	if s.High == math.MaxFloat64 {
		return "a number from " + plain(s.Low) + " up"
	}
	return "a number from " + plain(s.Low) + " to " + plain(s.High)
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Set reads a value. After an error p is as it was; errors wrap ErrParams.
func (s *Setting) Set(p *Params, text string) error {
	if !s.read(p, text) {
		return fmt.Errorf("%w: %s is %q, must be %s", ErrParams, s.Name, text, s.Wants())
	}
	return nil
}

func (s *Setting) read(p *Params, text string) bool {
	switch v := s.field(p).(type) {
	case *float64:
		x, ok := s.number(text)
		if ok {
			*v = x
		}
		return ok
	case *int:
		x, ok := s.number(text)
		if ok = ok && x == math.Trunc(x); ok {
			*v = int(x)
		}
		return ok
	case *bool:
		x, err := strconv.ParseBool(text)
		if err == nil {
			*v = x
		}
		return err == nil
	}
	i := slices.IndexFunc(s.Words, func(w string) bool { return strings.EqualFold(w, text) })
	if i < 0 {
		return false
	}
	switch v := s.field(p).(type) {
	case *VirtualLossForm:
		*v = VirtualLossForm(i)
	case *board.Color:
		*v = board.Color(i)
	}
	return true
}

func (s *Setting) number(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x >= s.Low && x <= s.High
}

// check adds a fault if the value is out of range.
func (s *Setting) check(p *Params, f *faults) {
	switch v := s.field(p).(type) {
	case *float64:
		f.in(s.Name, *v, s.Low, s.High)
	case *int:
		f.in(s.Name, float64(*v), s.Low, s.High)
	case *VirtualLossForm:
		f.in(s.Name, float64(*v), 0, float64(len(s.Words)-1))
	case *board.Color:
		f.in(s.Name, float64(*v), 0, float64(len(s.Words)-1))
	}
}

// Presets are the named sets of parameters that Preset knows.
var Presets = []string{"katago", "plain", "tutorial"}

// Preset returns the parameters of a name: those of Defaults (katago), Plain or
// Tutorial. Errors wrap ErrParams.
func Preset(name string) (Params, error) {
	switch strings.ToLower(name) {
	case "katago":
		return Defaults(), nil
	case "plain":
		return Plain(), nil
	case "tutorial":
		return Tutorial(), nil
	}
	return Params{}, fmt.Errorf("%w: preset %q, must be one of %s", ErrParams, name, strings.Join(Presets, ", "))
}
