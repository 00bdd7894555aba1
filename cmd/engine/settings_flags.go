package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"kosumi/setting"
	"kosumi/setting/tomlfile"
)

// groupFlags adds a flag for each setting under a heading, at the defaults that
// s has now; but some.
func (s *settings) groupFlags(f *pflag.FlagSet, group string, but ...string) {
	for i := range table {
		if table[i].Group == group && !slices.Contains(but, table[i].Name) {
			s.flag(f, &table[i])
		}
	}
}

// flags adds flags of some settings by name.
func (s *settings) flags(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		s.flag(f, table.Find(name))
	}
}

// flagAs adds the flag of a setting with an explanation of its own.
func (s *settings) flagAs(f *pflag.FlagSet, name, usage string) {
	row := *table.Find(name)
	row.Doc = usage
	s.flag(f, &row)
}

func (s *settings) flag(f *pflag.FlagSet, row *setting.Setting[settings]) {
	if f.Lookup(row.Name) != nil {
		return
	}
	flag := f.VarPF(&flagValue{s, row}, row.Name, "", row.Doc)
	if row.Name == "komi" {
		flag.DefValue = "0" // not shown: the rules have it
	}
	if row.Name == "boardsize" {
		flag.DefValue = "" // nor this one: the network has it
	}
	if row.Kind == setting.Bool {
		flag.NoOptDefVal = "true"
	}
}

// flagValue is a setting as a flag: settings.load sets what was given.
type flagValue struct {
	s   *settings
	row *setting.Setting[settings]
}

func (v *flagValue) String() string {
	if v.s == nil { // pflag asks a zero value for its zero
		return ""
	}
	if text, ok := v.s.given[v.row.Name]; ok {
		return text
	}
	return v.row.Get(v.s)
}

func (v *flagValue) Set(text string) error {
	if v.s.given == nil {
		v.s.given = map[string]string{}
	}
	v.s.given[v.row.Name] = text
	return nil
}

// Type is the word that --help shows where the usage has none of its own.
func (v *flagValue) Type() string {
	switch v.row.Kind {
	case setting.Bool:
		return "bool"
	case setting.Integer:
		return "int"
	case setting.Number:
		return "float"
	}
	return "string"
}

// parseConfig reads a TOML file: the values by the names of settings. Unknown
// keys are refused, so that a misspelt one does not pass unnoticed.
func parseConfig(data []byte) (map[string]string, error) {
	var file map[string]any
	if err := tomlfile.Decode(data, &file); err != nil {
		return nil, err
	}
	values := map[string]string{}
	var unknown []string
	var faults []error
	read := func(section string, keys map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			row := table.Find(name)
			switch {
			case row != nil && row.Name == name && row.Section == section:
				text, err := tomlText(row.Info, keys[name])
				values[name] = text
				faults = append(faults, err)
			case section == "search":
				faults = append(faults, fmt.Errorf("[search]: %w", table.Unknown(name)))
			default:
				unknown = append(unknown, name)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if section, ok := file[key].(map[string]any); ok {
			if key == "search" {
				read(key, section)
			} else {
				unknown = append(unknown, key)
			}
			delete(file, key)
		}
	}
	read("", file)
	if len(unknown) > 0 {
		faults = append(faults, fmt.Errorf("unknown key %s", strings.Join(unknown, ", ")))
	}
	return values, errors.Join(faults...)
}

// tomlText returns a value of a file as text, if it is of the setting's type.
func tomlText(row setting.Info, v any) (string, error) {
	switch v := v.(type) {
	case string:
		if row.Kind == setting.Text || row.Kind == setting.Choice {
			return v, nil
		}
	case bool:
		if row.Kind == setting.Bool {
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
