package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SetAside renames a damaged file to an unused name beside it, so that nothing is lost when a new
// file is written. It returns the new name.
func SetAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
	}
}
