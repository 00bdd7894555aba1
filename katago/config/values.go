package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kosumi/search/setting"
)

// Kind is the type of a value, by KataGo's words for it.
type Kind uint8

// The kinds. Enabled is a bool that may also be "auto"; Single is a float of 32
// bits.
const (
	Text Kind = iota
	Bool
	Enabled
	Int
	Int64
	Double
	Single
)

var kindNames = []string{"string", "bool", "bool or auto", "int", "int64_t", "double", "float"}

// Value is the value of a key.
type Value struct {
	Kind   Kind
	Text   string  // of Text and Enabled
	Bool   bool    // of Bool
	Int    int64   // of Int and Int64
	Number float64 // of Double and Single
}

// String writes the value as a C++ stream does: six digits of a number.
func (v Value) String() string {
	switch v.Kind {
	case Bool:
		return strconv.FormatBool(v.Bool)
	case Int, Int64:
		return strconv.FormatInt(v.Int, 10)
	case Double, Single:
		return setting.General(v.Number)
	}
	return v.Text
}

// Exact is String with every digit that a number has.
func (v Value) Exact() string {
	if v.Kind == Double || v.Kind == Single {
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	return v.String()
}

// JSON writes the value as KataGo's JSON library does: numbers always with a
// point or an exponent.
func (v Value) JSON() string {
	switch v.Kind {
	case Bool, Int, Int64:
		return v.String()
	case Double, Single:
		return setting.Float(v.Number)
	}
	text, _ := json.Marshal(v.Text) // a string can be marshalled
	return string(text)
}

// Key describes the values of a key.
type Key struct {
	Name      string
	Kind      Kind
	Low, High float64 // of numbers
	Words     []string
}

// errorf is an error about a key that names the file.
func (c *Config) errorf(format string, args ...any) error {
	return fmt.Errorf("%s in config file %s", fmt.Sprintf(format, args...), c.name)
}

// Get returns the value of a key that must be there.
func (c *Config) Get(k Key) (Value, error) {
	text, given := c.values[k.Name]
	if !given {
		return Value{}, c.errorf("Could not find key '%s'", k.Name)
	}
	c.used[k.Name] = true
	if k.Kind == Text {
		if k.Words != nil && !slices.Contains(k.Words, text) {
			words := slices.Sorted(slices.Values(k.Words))
			return Value{}, c.errorf("Key '%s' must be one of (%s)", k.Name, strings.Join(words, "|"))
		}
		return Value{Text: text}, nil
	}
	v, ok := parse(k.Kind, text)
	if !ok {
		if k.Kind == Enabled {
			text = strings.ToLower(strings.Trim(text, spaces))
		}
		return Value{}, c.errorf("Could not parse '%s' as %s for key '%s'", text, kindNames[k.Kind], k.Name)
	}
	if v.outside(k.Low, k.High) {
		low, high := setting.General(k.Low), setting.General(k.High)
		if k.Kind == Int || k.Kind == Int64 {
			low, high = strconv.FormatInt(int64(k.Low), 10), strconv.FormatInt(int64(k.High), 10)
		}
		return Value{}, c.errorf("Key '%s' must be in the range %s to %s", k.Name, low, high)
	}
	return v, nil
}

// GetOr is Get for a key that need not be there.
func (c *Config) GetOr(k Key, absent Value) (Value, error) {
	if !c.Has(k.Name) {
		return absent, nil
	}
	return c.Get(k)
}

func (v Value) outside(low, high float64) bool {
	switch v.Kind {
	case Int, Int64:
		return float64(v.Int) < low || float64(v.Int) > high
	case Double, Single:
		return v.Number < low || v.Number > high
	}
	return false
}

// numberForm is what a C++ stream reads as a number: no nan, no inf, no hex.
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// enabledWords are the words for true and false that an Enabled takes besides.
var enabledWords = map[string]string{
	"1": "true", "t": "true", "enabled": "true", "y": "true", "yes": "true",
	"0": "false", "f": "false", "disabled": "false", "n": "false", "no": "false",
}

func parse(kind Kind, text string) (Value, bool) {
	text = strings.Trim(text, spaces)
	v := Value{Kind: kind}
	var err error
	switch kind {
	case Bool, Enabled:
		v.Text = strings.ToLower(text)
		if word, ok := enabledWords[v.Text]; ok && kind == Enabled {
			v.Text = word
		}
		v.Bool = v.Text == "true"
		ok := v.Bool || v.Text == "false" || kind == Enabled && v.Text == "auto"
		if kind == Bool {
			v.Text = ""
		}
		return v, ok
	case Int:
		v.Int, err = strconv.ParseInt(text, 10, 32)
	case Int64:
		v.Int, err = strconv.ParseInt(text, 10, 64)
	case Double:
		v.Number, err = strconv.ParseFloat(text, 64)
		return v, err == nil && numberForm.MatchString(text)
	case Single:
		v.Number, err = strconv.ParseFloat(text, 32)
		return v, err == nil && numberForm.MatchString(text)
	}
	return v, err == nil
}
