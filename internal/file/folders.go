package file

import (
	"fmt"
	"os"
	"path/filepath"
)

// Config returns the folder kosumi among the user's settings, which need not be there. The
// error says what to set where the system knows of no such folder.
func Config() (string, error) { return kosumi(os.UserConfigDir()) }

// Cache returns the folder kosumi in the user's cache, as Config does.
func Cache() (string, error) { return kosumi(os.UserCacheDir()) }

func kosumi(dir string, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("there is no folder of yours to keep files in (%w): set HOME", err)
	}
	return filepath.Join(dir, "kosumi"), nil
}
