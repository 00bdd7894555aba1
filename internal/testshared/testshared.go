// Package testshared finds the reference data, golden files and networks, and
// holds what the tests of many packages share.
package testshared

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path returns the path of a file or folder of the reference data. It is looked for
// in $KOSUMI_SHARED, or else in the folder shared beside the checkout, and then in
// testdata, which holds the part that belongs to the project. Without it the test
// skips and says why; under CI=true its absence is a failure.
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

// Beyond returns the path of a file of the reference data of which testdata holds a sample:
// false where it is not there, so that the test does with the sample. Under CI=true its
// absence is a failure.
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

// onSample ends the name of the file for a test that did with the sample in testdata.
const onSample = ".sample"

// note leaves a file named after the test, without its subtests, in the folder
// $KOSUMI_SKIPPED, where there is one: make test counts them. A result from the test cache leaves the file of its run.
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

// root is the folder of the reference data, which need not be there.
func root(t testing.TB) string {
	if root := os.Getenv("KOSUMI_SHARED"); root != "" {
		return root
	}
	return filepath.Join(Checkout(t), "..", "shared")
}

// Checkout returns the folder of go.mod: a test runs in the folder of its package.
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
