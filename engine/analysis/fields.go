package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	"kosumi/board"
)

// fieldError is a fault of one field of a query.
type fieldError struct{ field, text string }

func (e fieldError) Error() string { return e.field + ": " + e.text }

func faultf(field, format string, args ...any) error {
	return fieldError{field, fmt.Sprintf(format, args...)}
}

// fieldReader reads the fields of one JSON object, each at most once. It keeps
// the first fault and reads nothing after it. Texts of faults are KataGo's.
type fieldReader struct {
	fields map[string]json.RawMessage
	err    error
}

func (r *fieldReader) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = faultf(field, format, args...)
	}
}

// has reports whether a field is there; it is none after a fault.
func (r *fieldReader) has(field string) bool {
	_, ok := r.fields[field]
	return ok && r.err == nil
}

// raw takes the text of a field; nil if it is absent or there was a fault.
func (r *fieldReader) raw(field string) json.RawMessage {
	text, ok := r.fields[field]
	delete(r.fields, field)
	if !ok || r.err != nil {
		return nil
	}
	return bytes.TrimSpace(text)
}

// take decodes a field into v and reports whether it was there. fault is said
// where it cannot be.
func (r *fieldReader) take(field, fault string, v any) bool {
	text := r.raw(field)
	if text == nil {
		return false
	}
	if err := decode(text, v); err != nil {
		r.fail(field, "%s", fault)
		return false
	}
	return true
}

// decode is json.Unmarshal that does not take null for an empty value.
func decode(text json.RawMessage, v any) error {
	if bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("null is not a value")
	}
	return json.Unmarshal(text, v)
}

// boolean reads true or false.
func (r *fieldReader) boolean(field string, v *bool) { r.take(field, "Must be a boolean", v) }

// number reads a number within limits.
func (r *fieldReader) number(field string, low, high float64, fault string, v *float64) bool {
	text := r.raw(field)
	if text == nil {
		return false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f >= low && f <= high) {
		r.fail(field, "%s", fault)
		return false
	}
	*v = f
	return true
}

// wholeNumber is how JSON writes an integer.
var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// integer reads an integer within limits, written without a fraction.
func (r *fieldReader) integer(field string, low, high int64, fault string, v *int64) bool {
	text := r.raw(field)
	if text == nil {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || !wholeNumber.Match(text) || n < low || n > high {
		r.fail(field, "%s", fault)
		return false
	}
	*v = n
	return true
}

// integers reads a list of numbers; fractions are cut off. If flags may stand,
// true is 1, as KataGo's library counts.
func (r *fieldReader) integers(field, fault string, flags bool) (list []int64, given bool) {
	var items []json.RawMessage
	if !r.take(field, fault, &items) {
		return nil, false
	}
	for _, item := range items {
		n, err := strconv.ParseInt(string(item), 10, 64)
		if err != nil {
			var f float64
			if f, err = strconv.ParseFloat(string(item), 64); err == nil {
				n = int64(math.Trunc(f))
			}
		}
		if one := string(item) == "true"; flags && (one || string(item) == "false") {
			n, err = map[bool]int64{true: 1}[one], nil
		}
		if err != nil {
			r.fail(field, "%s", fault)
			return nil, true
		}
		list = append(list, n)
	}
	return list, true
}

// vertices reads a list of names of points, not looked at yet.
func (r *fieldReader) vertices(field string) (names []string) {
	const fault = "Must be an array of GTP board vertices"
	var list []*string
	r.take(field, fault, &list)
	for _, name := range list {
		if name == nil {
			r.fail(field, fault)
			return nil
		}
		names = append(names, *name)
	}
	return names
}

// points returns the points of names, passes included.
func (r *fieldReader) points(field string, size board.Size, names []string) (points []board.Point) {
	for _, name := range names {
		p, err := size.ParseLocation(name)
		if err != nil {
			r.fail(field, "Could not parse board location: %s", name)
			return nil
		}
		points = append(points, p)
	}
	return points
}

// rest returns the names of the fields that were not taken, in order.
func (r *fieldReader) rest() []string { return slices.Sorted(maps.Keys(r.fields)) }
