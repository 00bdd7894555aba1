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

// Check returns a fault for each number of a struct that is not in the range that its field's
// tag says in words: "LOW or more" or "LOW to HIGH", with "above" before LOW or "below" before
// HIGH where that is left out:
//
//	Rate float64 `toml:"rate" range:"above 0 to 1"`
//
// Faults name numbers by their keys; tables of a list are counted from 1.
func Check(v any) []error {
	var faults []error
	check(&faults, "", reflect.ValueOf(v), "")
	return faults
}

func check(faults *[]error, key string, v reflect.Value, words string) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		check(faults, key, v.Elem(), words)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if name, _, _ := strings.Cut(field.Tag.Get("toml"), ","); name != "" && name != "-" {
				check(faults, strings.TrimPrefix(key+"."+name, "."), v.Field(i), field.Tag.Get("range"))
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			check(faults, fmt.Sprintf("%s %d", key, i+1), v.Index(i), words)
		}
	case v.Type() == reflect.TypeFor[map[string]float64]():
		all := v.Interface().(map[string]float64)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			check(faults, key+"."+name, reflect.ValueOf(all[name]), words)
		}
	case v.CanInt():
		number(faults, key, float64(v.Int()), words)
	case v.CanFloat():
		number(faults, key, v.Float(), words)
	}
}

func number(faults *[]error, key string, x float64, words string) {
	low, high := math.Inf(-1), math.Inf(1)
	var above, below bool
	for i, w := range strings.Fields(words) {
		limit, err := strconv.ParseFloat(w, 64)
		switch {
		case w == "above":
			above = true
		case w == "below":
			below = true
		case err == nil && i < 2:
			low = limit
		case err == nil:
			high = limit
		}
	}
	if words != "" && (math.IsInf(x, 0) || !(x >= low && x <= high) || above && x == low || below && x == high) {
		*faults = append(*faults, fmt.Errorf("%s is %v, must be %s", key, x, words))
	}
}
