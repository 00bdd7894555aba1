// Package testshared locates reference data and networks for tests, and has helpers that tests of many
// packages share.
package testshared

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Path returns the path of a file or folder of the reference data. It looks in $KOSUMI_SHARED, by
// default the folder "shared" beside the checkout, and then in testdata. If neither has the file, the
// test skips; with CI=true it fails.
func Path(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(name))
	_, err := os.Stat(path)
	if err != nil {
		path = filepath.Join(Checkout(t), "testdata", filepath.FromSlash(name))
		if _, missing := os.Stat(path); missing != nil {
			note(t, "")
			Absent(t, "reference data not found (set KOSUMI_SHARED): %v", err)
		}
	}
	return path
}

// Beyond returns the path of a file of the reference data. If the file is missing, it returns false: the test
// must use the sample of it in testdata. With CI=true a missing file is a failure.
func Beyond(t testing.TB, name string) (string, bool) {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("reference data not found (set KOSUMI_SHARED): %v", err)
		}
		note(t, onSample)
		t.Logf("the sample in testdata only: %v", err)
		return "", false
	}
	return path, true
}

// onSample ends the name of the file that the function note makes for a test that used a sample.
const onSample = ".sample"

// note creates a file named after the top-level test in the folder $KOSUMI_SKIPPED, if that is set:
// make test counts these files.
func note(t testing.TB, ending string) {
	folder := os.Getenv("KOSUMI_SKIPPED")
	dir, err := os.Getwd()
	if folder == "" || err != nil {
		return
	}
	name, err := filepath.Rel(Checkout(t), dir)
	test, _, _ := strings.Cut(t.Name(), "/")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, string(filepath.Separator), "_")+" "+test+ending), nil, 0o644)
	}
	if err != nil {
		t.Log(err)
	}
}

// root returns the folder of the reference data; it may not exist.
func root(t testing.TB) string {
	if root := os.Getenv("KOSUMI_SHARED"); root != "" {
		return root
	}
	return filepath.Join(Checkout(t), "..", "shared")
}

// Checkout returns the folder of go.mod, above the test's working directory.
func Checkout(t testing.TB) string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	t.Fatalf("the folder of go.mod is not above the test's: %v", err)
	return ""
}

// Read returns the content of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
