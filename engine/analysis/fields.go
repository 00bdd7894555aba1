package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fieldError is a fault of one field of a query.
type fieldError struct{ field, text string }

func (e fieldError) Error() string { return e.field + ": " + e.text }

func faultf(field, format string, args ...any) error {
	return fieldError{field, fmt.Sprintf(format, args...)}
}

// fieldReader reads the fields of one JSON object, each at most once. It keeps
// the first fault and reads nothing after it.
type fieldReader struct {
	fields map[string]json.RawMessage
	// quoted lets strings stand for the values that they hold, as in "5".
	quoted bool
	err    error
}

func (r *fieldReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// raw takes the text of a field; nil if it is absent or there was a fault.
func (r *fieldReader) raw(field string) json.RawMessage {
	text, ok := r.fields[field]
	delete(r.fields, field)
	if !ok || r.err != nil {
		return nil
	}
	return text
}

// value is raw for a number or a truth value, without quotes where they are
// allowed.
func (r *fieldReader) value(field string) json.RawMessage {
	text := r.raw(field)
	var inner string
	if r.quoted && json.Unmarshal(text, &inner) == nil && text[0] == '"' {
		return json.RawMessage(strings.TrimSpace(inner))
	}
	return text
}

// take decodes a field into v and reports whether it was there. want says what
// it must be.
func (r *fieldReader) take(field, want string, v any) bool {
	text := r.raw(field)
	if text == nil {
		return false
	}
	if err := decode(text, v); err != nil {
		r.fail(faultf(field, "must be %s", want))
		return false
	}
	return true
}

// decode is json.Unmarshal that does not take null for an empty value.
func decode(text json.RawMessage, v any) error {
	if bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("null is no value")
	}
	return json.Unmarshal(text, v)
}

// boolean reads true or false.
func (r *fieldReader) boolean(field string, v *bool) {
	text := r.value(field)
	switch string(text) {
	case "true":
		*v = true
	case "false":
		*v = false
	default:
		if text != nil {
			r.fail(faultf(field, "must be true or false"))
		}
	}
}

// number reads a number within limits.
func (r *fieldReader) number(field string, low, high float64, v *float64) bool {
	text := r.value(field)
	if text == nil {
		return false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f >= low && f <= high) {
		r.fail(faultf(field, "must be a number from %g to %g", low, high))
		return false
	}
	*v = f
	return true
}

// integer reads an integer within limits; it may be written with a fraction of
// zero.
func (r *fieldReader) integer(field string, low, high int64, v *int64) bool {
	text := r.value(field)
	if text == nil {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		f, floatErr := strconv.ParseFloat(string(text), 64)
		if floatErr == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
			n, err = int64(f), nil
		}
	}
	if err != nil || n < low || n > high {
		r.fail(faultf(field, "must be an integer from %d to %d", low, high))
		return false
	}
	*v = n
	return true
}

// rest returns the names of the fields that were not taken, in order.
func (r *fieldReader) rest() []string {
	names := make([]string, 0, len(r.fields))
	for name := range r.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
