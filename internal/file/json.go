package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadJSON reads a file into v. found is false if the file does not exist.
func ReadJSON(path string, v any) (found bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if err = json.Unmarshal(data, v); err != nil {
		err = fmt.Errorf("%s is damaged (%w): put a copy of it back, or move it away to begin without it", path, err)
	}
	return true, err
}

// WriteJSON writes v as JSON, each level indented by indent, with a final line end. It uses [WriteBytes].
func WriteJSON(path string, v any, indent string) error {
	data, err := json.MarshalIndent(v, "", indent)
	if err != nil {
		return err
	}
	return WriteBytes(path, append(data, '\n'))
}
