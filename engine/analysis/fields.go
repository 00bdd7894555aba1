package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"kosumi/board"
)

type fieldError struct{ field, text string }

func (e fieldError) Error() string { return e.field + ": " + e.text }

func faultf(field, format string, args ...any) error {
	return fieldError{field, fmt.Sprintf(format, args...)}
}

// fieldReader reads the fields of one JSON object, each at most once. It keeps the first error
// and reads nothing after it. Error texts are KataGo's.
type fieldReader struct {
	fields map[string]json.RawMessage
	err    error
}

func (r *fieldReader) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = faultf(field, format, args...)
	}
}

// has reports whether a field is present; always false after an error.
func (r *fieldReader) has(field string) bool {
	_, ok := r.fields[field]
	return ok && r.err == nil
}

// raw takes a field's text; nil if the field is absent or an earlier one was wrong.
func (r *fieldReader) raw(field string) json.RawMessage {
	text, ok := r.fields[field]
	delete(r.fields, field)
	if !ok || r.err != nil {
		return nil
	}
	return bytes.TrimSpace(text)
}

// take decodes a field into v and reports whether it was present. fault is the error text for a
// field that cannot be decoded.
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

// decode is json.Unmarshal, except that null is an error.
func decode(text json.RawMessage, v any) error {
	if bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("null is not a value")
	}
	return json.Unmarshal(text, v)
}

func (r *fieldReader) boolean(field string, v *bool) { r.take(field, "Must be a boolean", v) }

// number reads a number in [low,high].
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

// integer reads an integer in [low,high], written without a fraction.
func (r *fieldReader) integer(field string, low, high int64, fault string, v *int64) bool {
	text := r.raw(field)
	if text == nil {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < low || n > high {
		r.fail(field, "%s", fault)
		return false
	}
	*v = n
	return true
}

// integers reads a list of numbers and truncates fractions. If flags is set, true counts as 1
// and false as 0, as in KataGo's library.
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

// vertices reads a list of vertex names without checking them.
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

// points converts vertex names, "pass" included, to points.
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
