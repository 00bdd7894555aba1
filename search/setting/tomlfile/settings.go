package tomlfile

import (
	"cmp"
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
	values := map[string]string{}
	var faults []error
	place := func(section string) string {
		if section == "" {
			return "before the first section"
		}
		return "in [" + section + "]"
	}
	read := func(section string, keys map[string]any) { // "" is the top level
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			row := table.Find(name)
			switch {
			case row == nil:
				faults = append(faults, fmt.Errorf("%s: %w", place(section), table.Unknown(name)))
			case row.Name == name && row.Section == section:
				text, err := valueText(row.Info, keys[name])
				values[name] = text
				faults = append(faults, err)
			default:
				faults = append(faults, fmt.Errorf("%s %s: write %s %s", name, place(section), row.Name, place(row.Section)))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if section, ok := file[key].(map[string]any); ok {
			if !slices.ContainsFunc(table, func(s setting.Setting[T]) bool { return s.Section == key }) {
				faults = append(faults, fmt.Errorf("unknown section [%s]", key))
			}
			read(key, section)
			delete(file, key)
		}
	}
	read("", file)
	return values, errors.Join(faults...)
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
	return "", fmt.Errorf("%s must be %s", row.Name, cmp.Or(row.Wants(), "a text in quotes"))
}

// WriteComment writes comment lines for a setting: its explanation, then the setting with its default value.
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

// wrap breaks a text at spaces into lines of at most width bytes.
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
