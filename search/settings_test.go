package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/search"
	"kosumi/search/setting"
)

// katagoParams applies a list of KataGo's settings to KataGo's defaults, with one evaluation at a
// time, one orientation and exact arithmetic.
func katagoParams(t testing.TB, settings map[string]string) search.Params {
	t.Helper()
	p := search.Defaults()
	p.Net.Symmetry = 0
	p.Backup.ExactShare = 0
	for name, value := range settings {
		if name == "useEvalCache" && value == "false" {
			continue // has no counterpart here
		}
		require.NoError(t, search.Settings().Set(&p, name, value))
	}
	require.NoError(t, p.Validate())
	return p
}

// katagoSettings reads the named lists of settings that the recorded searches in a folder use.
func katagoSettings(t testing.TB, folder string) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(testshared.Path(t, "golden/"+folder+"/settings.json"))
	require.NoError(t, err)
	var file struct {
		Settings map[string]map[string]string
	}
	require.NoError(t, json.Unmarshal(data, &file))
	return file.Settings
}

// TestSettingsAreKnown: every setting of the recorded searches can be set by its name.
func TestSettingsAreKnown(t *testing.T) {
	for name, settings := range katagoSettings(t, "search") {
		t.Run(name, func(t *testing.T) { katagoParams(t, settings) })
	}
}

// leaves lists the fields of a struct by path, with their values.
func leaves(v reflect.Value, path string, all map[string]any) {
	for i := range v.NumField() {
		name := path + "." + v.Type().Field(i).Name
		if f := v.Field(i); f.Kind() == reflect.Struct {
			leaves(f, name, all)
		} else {
			all[name] = f.Interface()
		}
	}
}

func leavesOf(p search.Params) map[string]any {
	all := map[string]any{}
	leaves(reflect.ValueOf(p), "", all)
	return all
}

// TestSettingsReachEveryField: each setting changes a different field, and every field has a
// setting, except those that the program sets itself.
func TestSettingsReachEveryField(t *testing.T) {
	elsewhere := map[string]bool{".RepeatPenalty.Player": true, ".Root.LooseImages": true, ".Seed": true, ".Parallel.Workers": true, ".Parallel.Sessions": true, ".Memory.MaxBytes": true}
	reached := map[string]string{}
	names := map[string]bool{}
	for _, s := range search.Settings() {
		require.False(t, names[s.Name], s.Name)
		names[s.Name] = true
		require.NotEmpty(t, s.Doc, s.Name)
		require.NotEmpty(t, s.Source, s.Name)
		require.NotEmpty(t, s.Group, s.Name)
		p := search.Defaults()
		before := leavesOf(p)
		other := s.Words
		switch s.Kind {
		case setting.Bool:
			other = []string{"true", "false"}
		case setting.Text:
			other = []string{"rank_5k", ""}
		case setting.Number, setting.Integer:
			other = []string{fmt.Sprint(s.Low), fmt.Sprint(s.High)}
		}
		was := s.Get(&p)
		require.NoError(t, search.Settings().Set(&p, s.Name, was), s.Name)
		require.Equal(t, before, leavesOf(p), "%s: its own value changes nothing", s.Name)
		for _, value := range other {
			require.NoError(t, search.Settings().Set(&p, s.Name, value), s.Name)
			for path, v := range leavesOf(p) {
				if v != before[path] {
					require.Contains(t, []string{"", s.Name}, reached[path], "two settings of one field")
					reached[path] = s.Name
				}
			}
		}
		require.NoError(t, search.Settings().Set(&p, s.Name, was))
		require.Equal(t, before, leavesOf(p), s.Name)
	}
	for path := range leavesOf(search.Defaults()) {
		if !elsewhere[path] {
			require.NotEmpty(t, reached[path], "no setting for %s", path)
		}
	}
	require.Len(t, reached, len(search.Settings()))
}

func TestPresets(t *testing.T) {
	_, err := search.Preset("fast")
	require.ErrorContains(t, err, strings.Join(search.Presets, ", "))
	for _, name := range search.Presets {
		p, err := search.Preset(name)
		require.NoError(t, err)
		require.NoError(t, p.Validate())
	}
}
