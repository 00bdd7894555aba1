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

type Kind uint8

// Kinds of values; those from Int on are numbers. Enabled is a bool that may also be "auto"; Single is a 32-bit float.
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

type Value struct {
	Kind   Kind
	Text   string  // for Text and Enabled
	Bool   bool    // for Bool
	Int    int64   // for Int and Int64
	Number float64 // for Double and Single
}

// String formats the value as a C++ stream does: numbers with six significant digits.
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

// Exact formats the value as [Value.String] does, but with all digits of a number.
func (v Value) Exact() string {
	if v.Kind == Double || v.Kind == Single {
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	return v.String()
}

// JSON formats the value as KataGo's JSON library does: doubles always have a point or an exponent.
func (v Value) JSON() string {
	switch v.Kind {
	case Bool, Int, Int64:
		return v.String()
	case Double, Single:
		return setting.Float(v.Number)
	}
	text, _ := json.Marshal(v.Text) // marshalling a string cannot fail
	return string(text)
}

// Key is a key's name, type and range.
type Key struct {
	Name      string
	Kind      Kind
	Low, High float64 // for numbers
	Words     []string
}

func (c *Config) errorf(format string, args ...any) error {
	return fmt.Errorf("%s in config file %s", fmt.Sprintf(format, args...), c.name)
}

// Get returns the value of a required key.
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
	if n := v.Number + float64(v.Int); k.Kind >= Int && (n < k.Low || n > k.High) { // one of the two is 0
		low, high := setting.General(k.Low), setting.General(k.High)
		if k.Kind == Int || k.Kind == Int64 {
			low, high = strconv.FormatInt(int64(k.Low), 10), strconv.FormatInt(int64(k.High), 10)
		}
		return Value{}, c.errorf("Key '%s' must be in the range %s to %s", k.Name, low, high)
	}
	return v, nil
}

// GetOr returns the value of an optional key.
func (c *Config) GetOr(k Key, absent Value) (Value, error) {
	if !c.Has(k.Name) {
		return absent, nil
	}
	return c.Get(k)
}

// numberForm matches a number that a C++ stream reads: not nan, inf or hexadecimal.
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// enabledWords are further words for true and false that Enabled accepts.
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
	case Double, Single:
		v.Number, err = strconv.ParseFloat(text, map[Kind]int{Double: 64, Single: 32}[kind])
		return v, err == nil && numberForm.MatchString(text)
	}
	return v, err == nil
}
