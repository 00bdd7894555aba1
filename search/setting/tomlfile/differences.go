package tomlfile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// Difference is a key with two different values, A and B, written as text. A value is "" if the key is absent.
type Difference struct{ Key, A, B string }

// Differences compares two structs or maps key by key, in alphabetical order. Tables of a list
// are named by their index, from 0.
func Differences(a, b any) ([]Difference, error) {
	var flat [2]map[string]string
	for i, v := range []any{a, b} {
		text, err := toml.Marshal(v)
		if err != nil {
			return nil, err
		}
		var all map[string]any
		if err := toml.Unmarshal(text, &all); err != nil {
			return nil, err
		}
		flat[i] = map[string]string{}
		flatten(flat[i], "", all)
	}
	keys := maps.Clone(flat[0])
	maps.Copy(keys, flat[1])
	var list []Difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if flat[0][key] != flat[1][key] {
			list = append(list, Difference{key, flat[0][key], flat[1][key]})
		}
	}
	return list, nil
}

// flatten puts all keys below a key into one map, under their full names.
func flatten(into map[string]string, key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if key != "" {
				name = key + "." + name
			}
			flatten(into, name, value)
		}
	case []any:
		tables := slices.ContainsFunc(v, func(e any) bool { _, table := e.(map[string]any); return table })
		if !tables {
			into[key] = fmt.Sprintf("%v", v)
			return
		}
		for i, e := range v {
			flatten(into, fmt.Sprintf("%s[%d]", key, i), e)
		}
	case string:
		into[key] = fmt.Sprintf("%q", v)
	default:
		into[key] = fmt.Sprint(v)
	}
}
