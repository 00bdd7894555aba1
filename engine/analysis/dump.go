package analysis

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"kosumi/search/setting"
)

// dump writes JSON in the format of the library that KataGo uses: names sorted, no blanks, numbers
// in their shortest form, floats always with a point or an exponent. text must be valid JSON.
func dump(text json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	out, _ := encode(shorten(v)) // what was decoded can be encoded
	return bytes.TrimSpace(out)
}

// shorten writes the numbers of a decoded value in their shortest form.
func shorten(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") && fitsWord(string(v)) {
			return v
		}
		f, err := v.Float64()
		if err != nil { // out of range
			return v
		}
		return json.Number(setting.Float(f))
	case []any:
		for i := range v {
			v[i] = shorten(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = shorten(v[name])
		}
	}
	return v
}

// fitsWord reports whether an integer fits in 64 bits. KataGo's library reads a longer one as a
// floating-point number.
func fitsWord(digits string) bool {
	_, signed := strconv.ParseInt(digits, 10, 64)
	_, unsigned := strconv.ParseUint(digits, 10, 64)
	return signed == nil || unsigned == nil
}

// number is a float of a result, written with at most nine significant digits and with a point or an exponent.
type number float64

func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), 'g', 9), nil }

// appendNumber appends x to b, rounded to a number of significant digits (format g) or decimals (format f).
func appendNumber(b []byte, x float64, format byte, digits int) []byte {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, format, digits, 64), 64) // the text comes from FormatFloat, so it parses
	x += 0                                                                    // turns -0 into 0
	return append(b, setting.Float(x)...)
}

// numbers is a list of floats, each written like a value of type number.
type numbers []float32

func (list numbers) MarshalJSON() ([]byte, error) { return listOf(list, 'g', 9), nil }

// shares are numbers in [-1,1], one for each point, written with at most six decimals.
type shares []float32

func (list shares) MarshalJSON() ([]byte, error) { return listOf(list, 'f', 6), nil }

func listOf(list []float32, format byte, digits int) []byte {
	b := append(make([]byte, 0, 10*len(list)+2), '[')
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, float64(x), format, digits)
	}
	return append(b, ']')
}
