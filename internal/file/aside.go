package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SetAside gives a damaged file another name, beside it, that no file has yet: whoever
// begins anew loses nothing. It returns the name.
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
