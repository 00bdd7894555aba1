package setting

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table is a list of settings in the order in which they are shown and set; a later setting may
// depend on an earlier one.
type Table[T any] []Setting[T]

// Join concatenates tables.
func Join[T any](tables ...Table[T]) Table[T] { return slices.Concat(tables...) }

// Under puts all settings of a table into a group.
func Under[T any](group string, table Table[T]) Table[T] {
	for i := range table {
		table[i].Group = group
	}
	return table
}

// Lift turns a table over a part of a struct into a table over the whole struct.
func Lift[Whole, Part any](table Table[Part], part func(*Whole) *Part) Table[Whole] {
	out := make(Table[Whole], len(table))
	for i, s := range table {
		out[i] = Setting[Whole]{s.Info, func(w *Whole) value { return s.value(part(w)) }}
	}
	return out
}

// Find returns the setting with the given name, which is ours or KataGo's; nil if there is none.
func (t Table[T]) Find(name string) *Setting[T] {
	i := slices.IndexFunc(t, func(s Setting[T]) bool { return s.Name == name })
	if i < 0 {
		i = slices.IndexFunc(t, func(s Setting[T]) bool { return s.Is(name) })
	}
	if i < 0 {
		return nil
	}
	return &t[i]
}

// Set sets one setting. With our name, text is the setting's value; with KataGo's name, it is the value of
// KataGo's parameter. Errors suggest the name that was probably meant; on error v is unchanged.
func (t Table[T]) Set(v *T, name, text string) error {
	s := t.Find(name)
	if s != nil && s.Name == name {
		return s.Set(v, text)
	}
	return t.SetParam(v, name, text)
}

// SetParam sets one setting as GTP clients do: text is the value of KataGo's parameter if there is one,
// else the setting's own value.
func (t Table[T]) SetParam(v *T, name, text string) error {
	s := t.Find(name)
	switch {
	case s == nil:
		return t.Unknown(name)
	case s.KataGo == "":
		return s.Set(v, text)
	}
	return s.SetParam(v, name, text)
}

// Apply sets many settings in the order of the table, by calling set, which is Table.Set or
// Table.SetParam. It sets all it can and returns all errors.
func (t Table[T]) Apply(v *T, values map[string]string, set func(v *T, name, text string) error) error {
	place := func(name string) int {
		s := t.Find(name)
		return slices.IndexFunc(t, func(o Setting[T]) bool { return s != nil && o.Name == s.Name })
	}
	names := slices.Sorted(maps.Keys(values)) // sorted, so that errors come in a fixed order
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	var faults []error
	for _, name := range names {
		faults = append(faults, set(v, name, values[name]))
	}
	return errors.Join(faults...)
}

// Check returns an error for every setting whose value is not allowed.
func (t Table[T]) Check(v *T) []error {
	var faults []error
	for i := range t {
		if err := t[i].Check(v); err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// Unknown is the error for an unknown name. It suggests the one that was probably meant.
func (t Table[T]) Unknown(name string) error {
	var names []string
	for i := range t {
		names = append(names, t[i].Name, t[i].KataGo)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	lower := strings.ToLower(name)
	first := func(is func(own string) bool) string {
		if i := slices.IndexFunc(names, func(n string) bool { return is(strings.ToLower(n)) }); i >= 0 {
			return names[i]
		}
		return ""
	}
	meant := cmp.Or(first(func(own string) bool { return own == lower }), first(func(own string) bool {
		return len(lower) > 3 && len(own) > 3 && (strings.Contains(own, lower) || strings.Contains(lower, own))
	}), Near(name, names))
	if meant != "" {
		meant = ", did you mean " + meant + "?"
	}
	return fmt.Errorf("unknown setting %s%s", name, meant)
}

// Param is a setting with its value, as GTP clients see it.
type Param struct {
	Info
	Name, Value string
}

// Params lists the settings with their values in v.
func (t Table[T]) Params(v *T) []Param {
	var all []Param
	for i := range t {
		s := &t[i]
		text := s.Get(v)
		if s.KataGo != "" {
			text = s.GetParam(v)
		}
		all = append(all, Param{s.Info, s.Param(), text})
	}
	return all
}

// Changeable returns the settings that may change while the program runs.
func (t Table[T]) Changeable() Table[T] {
	return slices.DeleteFunc(slices.Clone(t), func(s Setting[T]) bool { return s.Change == Fixed })
}
