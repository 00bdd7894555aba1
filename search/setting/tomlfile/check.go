package tomlfile

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check returns an error for each number of a struct that is outside the range in its field's
// tag: "LOW or more" or "LOW to HIGH", with "above" before LOW or "below" before HIGH if that
// bound is excluded, as in `toml:"rate" range:"above 0 to 1"`. Errors name the keys; tables of a
// list are counted from 1.
func Check(v any) (faults []error) {
	var check func(key string, v reflect.Value, words string)
	number := func(key string, x float64, words string) {
		if words != "" && !within(x, words) {
			faults = append(faults, fmt.Errorf("%s is %v, must be %s", strings.TrimPrefix(key, "."), x, words))
		}
	}
	check = func(key string, v reflect.Value, words string) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			check(key, v.Elem(), words)
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				tag := v.Type().Field(i).Tag
				name, _, _ := strings.Cut(tag.Get("toml"), ",")
				check(key+"."+name, v.Field(i), tag.Get("range"))
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				check(fmt.Sprintf("%s %d", key, i+1), v.Index(i), words)
			}
		case v.CanInt():
			number(key, float64(v.Int()), words)
		case v.CanFloat():
			number(key, v.Float(), words)
		}
		if all, ok := v.Interface().(map[string]float64); ok {
			for _, name := range slices.Sorted(maps.Keys(all)) {
				number(key+"."+name, all[name], words)
			}
		}
	}
	check("", reflect.ValueOf(v), "")
	return faults
}

// within reports whether x is finite and within a range, in the words of a field's tag.
func within(x float64, words string) bool {
	least, most, bounded := strings.Cut(strings.TrimSuffix(words, " or more"), " to ")
	low, _ := strconv.ParseFloat(strings.TrimPrefix(least, "above "), 64)
	high, _ := strconv.ParseFloat(strings.TrimPrefix(most, "below "), 64)
	if !bounded {
		high = math.MaxFloat64
	}
	return x >= low && x <= high && (x > low || least[0] != 'a') && (x < high || !strings.HasPrefix(most, "b"))
}
