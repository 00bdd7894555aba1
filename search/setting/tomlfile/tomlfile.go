// Package tomlfile reads TOML strictly: an unknown key is an error, so that misspelt ones are
// noticed.
package tomlfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Decode reads a file, with or without a byte order mark, into a struct or a map. Errors name unknown keys or the faulty line.
func Decode(data []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).DisallowUnknownFields().Decode(into)
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		keys := make([]string, 0, len(strict.Errors))
		for _, e := range strict.Errors {
			keys = append(keys, strings.Join(e.Key(), "."))
		}
		return fmt.Errorf("unknown key %s", strings.Join(keys, ", "))
	}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := at.Position()
		err = fmt.Errorf("line %d: %w", line, err)
	}
	if err != nil {
		return fmt.Errorf("not a valid TOML file: %w", err)
	}
	return nil
}
