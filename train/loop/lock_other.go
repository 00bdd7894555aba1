//go:build !unix

package loop

import (
	"io"
	"os"
	"path/filepath"
)

// lockFolder holds a file open; where the system lets two processes do so, it
// is up to the user to run one loop in a folder.
func lockFolder(dir string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
}
