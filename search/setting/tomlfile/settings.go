package tomlfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kosumi/search/setting"
)

// Values reads a settings file and returns the values as text, by name. Each key must be in its
// setting's section. Unknown keys are errors, so that misspelt ones are noticed.
func Values[T any](table setting.Table[T], data []byte) (map[string]string, error) {
	var file map[string]any
	if err := Decode(data, &file); err != nil {
		return nil, err
	}
	r := reader[T]{table: table, values: map[string]string{}}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if section, ok := file[key].(map[string]any); ok {
			if slices.ContainsFunc(table, func(s setting.Setting[T]) bool { return s.Section == key }) {
				r.read(key, section)
			} else {
				r.unknown = append(r.unknown, key)
			}
			delete(file, key)
		}
	}
	r.read("", file)
	if len(r.unknown) > 0 {
		r.faults = append(r.faults, fmt.Errorf("unknown key %s", strings.Join(r.unknown, ", ")))
	}
	return r.values, errors.Join(r.faults...)
}

// reader collects the values of one file.
type reader[T any] struct {
	table   setting.Table[T]
	values  map[string]string
	unknown []string // unknown keys outside sections
	faults  []error
}

// read takes the keys of a section; "" is the top level.
func (r *reader[T]) read(section string, keys map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		row := r.table.Find(name)
		switch {
		case row != nil && row.Name == name && row.Section == section:
			text, err := valueText(row.Info, keys[name])
			r.values[name] = text
			r.faults = append(r.faults, err)
		case section != "":
			r.faults = append(r.faults, fmt.Errorf("[%s]: %w", section, r.table.Unknown(name)))
		default:
			r.unknown = append(r.unknown, name)
		}
	}
}

// valueText converts a TOML value to text; an error if it does not have the setting's type.
func valueText(row setting.Info, v any) (string, error) {
	switch v := v.(type) {
	case string:
		if row.Kind == setting.Text || row.Kind == setting.Choice {
			return v, nil
		}
	case bool:
		if row.Kind == setting.Bool || slices.Contains(row.Words, fmt.Sprint(v)) {
			return fmt.Sprint(v), nil
		}
	case int64:
		if row.Kind == setting.Number || row.Kind == setting.Integer {
			return fmt.Sprint(v), nil
		}
	case float64:
		if row.Kind == setting.Number {
			return fmt.Sprint(v), nil
		}
	}
	wants := row.Wants()
	if wants == "" {
		wants = "a text in quotes"
	}
	return "", fmt.Errorf("%s must be %s", row.Name, wants)
}

// WriteComment writes a setting as a comment with its default, below its explanation.
func WriteComment[T any](w io.Writer, row *setting.Setting[T], defaults *T) {
	value := row.Get(defaults)
	if row.Kind == setting.Text || row.Kind == setting.Choice {
		value = strconv.Quote(value)
	}
	facts := []string{row.Source}
	if wants := strings.NewReplacer("a number from ", "", "an integer from ", "", "true or false", "").Replace(row.Wants()); wants != "" {
		facts = append([]string{wants}, facts...)
	}
	if row.KataGo != "" && row.KataGo != row.Name {
		facts = append(facts, "in KataGo's files "+row.KataGo)
	}
	doc := strings.ReplaceAll(row.Doc, "`", "")
	for _, line := range wrap(fmt.Sprintf("%s (%s)", doc, strings.Join(facts, "; ")), 90) {
		fmt.Fprintf(w, "# %s\n", line)
	}
	fmt.Fprintf(w, "#%s = %s\n", row.Name, value)
}

// wrap breaks a text into lines of at most so many bytes, at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
