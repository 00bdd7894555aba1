package file

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Config returns the folder kosumi in the user's configuration folder; it may not exist. The error
// says what to set if the system has no such folder.
func Config() (string, error) { return kosumi(os.UserConfigDir()) }

// Cache returns the folder kosumi in the user's cache folder; it may not exist.
func Cache() (string, error) { return kosumi(os.UserCacheDir()) }

func kosumi(dir string, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("there is no folder of yours to keep files in (%w): set HOME", err)
	}
	return filepath.Join(dir, "kosumi"), nil
}

// Quote quotes a word for a command line if necessary: in double quotes if possible, since many
// programs know no others.
func Quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+"
	special := "\"$`\n\\"
	if runtime.GOOS == "windows" {
		special = "\"\n"
	}
	switch {
	case word != "" && strings.Trim(word, plain) == "":
		return word
	case !strings.ContainsAny(word, special):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}
