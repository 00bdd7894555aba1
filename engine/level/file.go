package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kosumi/internal/file"
)

// mostBytes bounds the file of levels; a real one has kilobytes.
const mostBytes = 1 << 20

// ReadPlayerRatings reads a player's ratings from a file; without the file they are empty.
func ReadPlayerRatings(name string) (PlayerRatings, error) {
	data, err := file.Read(name, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return PlayerRatings{}, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := ParsePlayerRatings(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// Write writes the player's ratings, and makes the file's folder if needed.
func (f PlayerRatings) Write(name string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return file.WriteBytes(name, append(data, '\n'))
}

// TryFile reports why a file cannot hold a player's ratings: it contains something else, or
// cannot be written. Call it before a game that is to count.
func TryFile(name string) error {
	if _, err := ReadPlayerRatings(name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return file.Try(name, true)
}
