package setting

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a setting's value.
type Kind uint8

// The kinds of settings. A bool is "true" or "false", a choice one of Info.Words.
const (
	Text Kind = iota
	Number
	Integer
	Bool
	Choice
)

// Change says whether a setting may change while the program runs, and for whom.
type Change uint8

// The kinds of change at run time.
const (
	Fixed  Change = iota // cannot change
	Common               // shown to people, in the dialogs of GUIs
	Expert               // for experiments; left out of dialogs
)

// Info describes a setting.
type Info struct {
	// Name is the flag's name, and the key in a TOML file.
	Name string
	// KataGo is the equivalent key of KataGo's configuration file; "" if there is none.
	KataGo string
	Kind   Kind
	// Low and High bound numbers and integers. A uint64, such as a seed, may have any value.
	Low, High float64
	Words     []string // values of a choice
	// Unit is the factor between value and field, such as 1<<20 for a setting in MiB whose field
	// counts bytes. 0 means 1.
	Unit int64
	// NoLimit is the number by which the parameter says "no limit", as maxVisits does; the setting
	// itself uses 0. If NoLimit is 0, both use the same numbers.
	NoLimit float64
	// From converts the parameter's value to the setting's, To converts it back; nil converts nothing.
	From func(string) (string, error)
	To   func(string) string
	// Doc explains the setting and its unit; a word in backquotes stands for the value in --help.
	// Source gives the reason for the default.
	Doc, Source string
	// Group is the setting's heading in --help and documents. Section is its table in a TOML
	// file; settings in a section have no flag.
	Group, Section string
	Change         Change
}

// Param returns the parameter's name over GTP: KataGo's, or the setting's own if KataGo has none.
func (i *Info) Param() string { return cmp.Or(i.KataGo, i.Name) }

// Is reports whether the setting or its parameter has that name.
func (i *Info) Is(name string) bool {
	return name != "" && (i.Name == name || i.KataGo == name)
}

// Wants describes the allowed values, as in "a number from 0 to 1"; "" if any text is allowed.
func (i *Info) Wants() string {
	article := "a number"
	switch i.Kind {
	case Text:
		return ""
	case Bool:
		return "true or false"
	case Choice:
		return "one of " + strings.Join(i.Words, ", ")
	case Integer:
		article = "an integer"
	}
	if i.High >= 1<<50-1 { // in effect unlimited
		return article + " from " + plain(i.Low) + " up"
	}
	return article + " from " + plain(i.Low) + " to " + plain(i.High)
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// WantsParam is Wants for the parameter. If NoLimit is set, any large number is allowed and means no limit.
func (i *Info) WantsParam() string {
	if i.NoLimit == 0 {
		return i.Wants()
	}
	if i.Kind == Integer {
		return "an integer from 1 up"
	}
	return "a number from 0 up"
}

// wrong returns the error for a bad value.
func (i *Info) wrong(name, text string) error {
	if wants := i.Wants(); wants != "" {
		return fmt.Errorf("%s is %q, must be %s", name, text, wants)
	}
	return fmt.Errorf("%s cannot be %q", name, text)
}

// Setting is a setting that is stored in a field of a struct of type T.
type Setting[T any] struct {
	Info
	value func(*T) value
}

// value is a setting's field, read and written as text.
type value interface {
	String() string
	Set(text string) error // leaves the field unchanged on error
	check() bool           // reports whether the field's value is allowed
}

// Of returns the setting of a field; its kind follows from the field's type: a bool, a number or a
// text. If info.Words is set, a text must be one of them; Enum is for a field that is an index into
// them. A Duration is set in seconds.
func Of[T, F any](info Info, field func(*T) *F) Setting[T] {
	info.Kind, _ = valueOf((*F)(nil), info)
	if _, any := any((*F)(nil)).(*uint64); any {
		info.High = math.MaxUint64
	}
	if info.Section != "" && info.Group == "" {
		info.Group = info.Section
	}
	return Setting[T]{info, func(t *T) value {
		_, v := valueOf(field(t), info)
		return v
	}}
}

// valueOf returns the kind and the text form of a field, given a pointer to the field.
func valueOf(at any, info Info) (Kind, value) {
	switch f := at.(type) {
	case *bool:
		return Bool, parsed[bool]{f, strconv.ParseBool}
	case *string:
		if len(info.Words) > 0 {
			return Choice, word{f, info.Words}
		}
		return Text, text{f}
	case *float64:
		return Number, real[float64]{f, info, 1}
	case *float32:
		return Number, real[float32]{f, info, 1}
	case *time.Duration:
		return Number, real[time.Duration]{f, info, float64(time.Second)}
	case *int:
		return Integer, whole[int]{f, info}
	case *int64:
		return Integer, whole[int64]{f, info}
	case *uint64:
		return Integer, parsed[uint64]{f, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }} // such as a seed
	}
	panic(fmt.Sprintf("setting: %s is a field of type %T", info.Name, at))
}

// Enum returns the setting of a field that is an index into info.Words.
func Enum[T any, F ~uint8 | ~int8](info Info, field func(*T) *F) Setting[T] {
	info.Kind = Choice
	return Setting[T]{info, func(t *T) value { return enum[F]{field(t), info.Words} }}
}

// Value is a field with its own text form.
type Value interface {
	String() string
	// Set reads what String returns. On error the value is unchanged.
	Set(string) error
}

// Custom returns the setting of a field with its own text form.
func Custom[T any](info Info, place func(*T) Value) Setting[T] {
	return Setting[T]{info, func(t *T) value { return own{place(t)} }}
}

// Get returns the setting's value in t, as text that Set accepts.
func (s *Setting[T]) Get(t *T) string { return s.value(t).String() }

// Set sets the setting in t from text. On error t is unchanged.
func (s *Setting[T]) Set(t *T, text string) error { return s.set(t, s.Name, text) }

func (s *Setting[T]) set(t *T, name, text string) error {
	if err := s.value(t).Set(text); err != nil {
		if _, custom := s.value(t).(own); custom {
			return fmt.Errorf("%s: %w", name, err)
		}
		return s.wrong(name, text)
	}
	return nil
}

// GetParam returns the parameter's value as text.
func (s *Setting[T]) GetParam(t *T) string {
	text := s.Get(t)
	if s.To != nil {
		return s.To(text)
	}
	if s.NoLimit > 0 && text == "0" {
		return plain(s.NoLimit)
	}
	return text
}

// SetParam sets the parameter from text; name is used in errors. On error t is unchanged.
func (s *Setting[T]) SetParam(t *T, name, text string) error {
	if s.From != nil {
		own, err := s.From(text)
		if err != nil {
			return fmt.Errorf("%s is %q: %w", name, text, err)
		}
		return s.set(t, name, own)
	}
	if s.NoLimit == 0 {
		return s.set(t, name, text)
	}
	x, err := strconv.ParseFloat(text, 64)
	least := map[bool]float64{true: 1}[s.Kind == Integer]
	if err != nil || !(x >= least && x <= math.MaxFloat64) {
		return fmt.Errorf("%s is %q, must be %s", name, text, s.WantsParam())
	}
	if x > s.High {
		text = "0"
	}
	return s.set(t, name, text)
}

// Check returns an error if the setting's value in t is not allowed.
func (s *Setting[T]) Check(t *T) error {
	if v := s.value(t); !v.check() {
		return s.wrong(s.Name, v.String())
	}
	return nil
}
