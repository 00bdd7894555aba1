package search

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/search/setting"
)

// Setting is a field of Params with its name, so that files, command lines and clients
// can set it.
type Setting = setting.Setting[Params]

// Settings returns all settings, in the order of Params. Fields that the program sets itself,
// such as Seed and Parallel.Workers, are not among them.
func Settings() setting.Table[Params] { return slices.Clone(settings) }

// Presets are the named parameter sets for Preset.
var Presets = []string{"katago", "plain", "tutorial"}

// Preset returns the parameters for a name: Defaults (katago), Plain or Tutorial. Errors wrap
// ErrParams.
func Preset(name string) (Params, error) {
	switch strings.ToLower(name) {
	case "katago":
		return Defaults(), nil
	case "plain":
		return Plain(), nil
	case "tutorial":
		return Tutorial(), nil
	}
	return Params{}, fmt.Errorf("%w: preset %q, must be one of %s", ErrParams, name, strings.Join(Presets, ", "))
}
