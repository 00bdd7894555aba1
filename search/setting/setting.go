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

// Change says who may change a setting while the program runs, over GTP.
type Change uint8

// The settings that may change at run time.
const (
	Fixed  Change = iota // nothing does
	Common               // clients offer it to people
	Expert               // experiments change it; too many for a dialog
)

// Info describes a setting.
type Info struct {
	// Name is that of the flag, and of the key in a TOML file.
	Name string
	// KataGo is the key of KataGo's configuration file that means the same; "" if there is
	// none.
	KataGo string
	Kind   Kind
	// Low and High bound numbers and integers. Of a uint64, such as a seed, every
	// value is allowed.
	Low, High float64
	Words     []string // of a choice
	// Unit is what one is in bytes, say: the field holds Unit times the value.
	// 0 is 1.
	Unit int64
	// NoLimit is the parameter's number for "no limit" where we write 0, as for maxVisits.
	NoLimit float64
	// From and To translate values of the parameter; nil leaves them alone. To
	// may be nil where From is not: then the key is read and never shown.
	From func(string) (string, error)
	To   func(string) string
	// Doc says what it does and in which unit, with the word for its value in
	// backquotes where --help should show one. Source is where the default comes
	// from, or why it is what it is.
	Doc, Source string
	// Group is the heading that it belongs under. Section is the table of a
	// TOML file that holds it; settings of a section are no flags.
	Group, Section string
	Change         Change
}

// Param returns the name of the parameter, over GTP: KataGo's where it has one.
func (i *Info) Param() string { return cmp.Or(i.KataGo, i.Name) }

// Is reports whether a name is that of the setting or of its parameter.
func (i *Info) Is(name string) bool {
	return name != "" && (i.Name == name || i.KataGo == name)
}

// Wants says which values there are, as in "a number from 0 to 1"; "" if any text
// will do.
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
	if i.High >= 1<<50-1 { // more than anyone asks for
		return article + " from " + plain(i.Low) + " up"
	}
	return article + " from " + plain(i.Low) + " to " + plain(i.High)
}

// Sentence is a note of the program's as documents show it: with a capital, unless it begins
// with a name, and a full stop.
func Sentence(note string) string {
	first, _, _ := strings.Cut(note, " ")
	if first = strings.TrimRight(first, ",;"); first == "a" || len(first) > 1 && strings.Trim(strings.TrimSuffix(first, "'s"), "abcdefghijklmnopqrstuvwxyz") == "" {
		note = strings.ToUpper(note[:1]) + note[1:]
	}
	return strings.TrimSuffix(note, ".") + "."
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// WantsParam is Wants for the value of the parameter, where 0 is no word for no limit.
func (i *Info) WantsParam() string {
	if i.NoLimit == 0 {
		return i.Wants()
	}
	if i.Kind == Integer {
		return "an integer from 1 up"
	}
	return "a number from 0 up"
}

// wrong is the error for a value that cannot be.
func (i *Info) wrong(name, text string) error {
	if wants := i.Wants(); wants != "" {
		return fmt.Errorf("%s is %q, must be %s", name, text, wants)
	}
	return fmt.Errorf("%s cannot be %q", name, text)
}

// Setting is a setting of a struct of type T.
type Setting[T any] struct {
	Info
	value func(*T) value
}

// value is the place of a setting.
type value interface {
	String() string
	Set(text string) error // leaves the place as it was after an error
	check() bool           // reports whether what stands there is allowed
}

// Of returns the setting of a field: a bool, a number, a text, or, where
// info.Words lists the values, a number counted from 0 or a text. A Duration is
// set in seconds. The kind follows from the field.
func Of[T, F any](info Info, field func(*T) *F) Setting[T] {
	kind, place := placeOf[F](info)
	info.Kind = kind
	if _, any := any((*F)(nil)).(*uint64); any {
		info.High = math.MaxUint64
	}
	if info.Section != "" && info.Group == "" {
		info.Group = info.Section
	}
	return Setting[T]{info, func(t *T) value { return place(field(t)) }}
}

// placeOf chooses how a field of type F is read and written.
func placeOf[F any](info Info) (Kind, func(*F) value) {
	as := func(k Kind, place func(any) value) (Kind, func(*F) value) {
		return k, func(f *F) value { return place(f) }
	}
	switch any((*F)(nil)).(type) {
	case *bool:
		return as(Bool, func(f any) value { return boolean{f.(*bool)} })
	case *string:
		if len(info.Words) > 0 {
			return as(Choice, func(f any) value { return word{f.(*string), info.Words} })
		}
		return as(Text, func(f any) value { return text{f.(*string)} })
	case *float64:
		return as(Number, func(f any) value { return real[float64]{f.(*float64), info} })
	case *float32:
		return as(Number, func(f any) value { return real[float32]{f.(*float32), info} })
	case *time.Duration:
		return as(Number, func(f any) value { return seconds{f.(*time.Duration), info} })
	case *int:
		return as(Integer, func(f any) value { return whole[int]{f.(*int), info} })
	case *int64:
		return as(Integer, func(f any) value { return whole[int64]{f.(*int64), info} })
	case *uint64:
		return as(Integer, func(f any) value { return natural{f.(*uint64)} })
	}
	panic(fmt.Sprintf("setting: %s is a field of type %T", info.Name, (*F)(nil)))
}

// Enum returns the setting of a field that counts info.Words from 0.
func Enum[T any, F ~uint8 | ~int8](info Info, field func(*T) *F) Setting[T] {
	info.Kind = Choice
	return Setting[T]{info, func(t *T) value { return enum[F]{field(t), info.Words} }}
}

// Value is a place with a text form of its own.
type Value interface {
	String() string
	// Set reads what String returns. After an error the place is as it was.
	Set(string) error
}

// Custom returns the setting of a place with a text form of its own.
func Custom[T any](info Info, place func(*T) Value) Setting[T] {
	return Setting[T]{info, func(t *T) value { return own{place(t)} }}
}

// Get returns the value as text that Set reads.
func (s *Setting[T]) Get(t *T) string { return s.value(t).String() }

// Set reads a value. After an error t is as it was.
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

// GetParam returns the value of the parameter.
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

// SetParam reads a value of the parameter; name is for the error. After an error t is as
// it was.
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

// Check returns an error if what the setting holds is not allowed.
func (s *Setting[T]) Check(t *T) error {
	if v := s.value(t); !v.check() {
		return s.wrong(s.Name, v.String())
	}
	return nil
}
