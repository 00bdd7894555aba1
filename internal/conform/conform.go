// Package conform holds conformance tests that every engine of the project passes, in process or
// as a program: two numbered lists of behaviour that clients rely on, for GTP and for KataGo's
// JSON analysis protocol, and transcripts of clients' sessions. Functions here fail a test with
// testify, which prints the line of every call that led to the failure.
package conform

import (
	"fmt"
	"slices"
	"testing"
)

// Open starts an engine with the given arguments for a test, and ends it when the test ends. An
// engine that runs in process ignores arguments that it does not know. S is *GTP or *Analysis.
type Open[S any] func(t testing.TB, args ...string) S

// item is one behaviour of a conformance list.
type item[S any] struct {
	n     int
	name  string
	check func(s S)
}

// run checks the items whose numbers are in only, or all items if only is empty, each in its own
// session, as subtests "item 01 ...".
func run[S any](t *testing.T, open Open[S], items []item[S], only []int) {
	seen := map[int]bool{}
	for _, it := range items {
		if seen[it.n] {
			t.Fatalf("two items %d", it.n)
		}
		seen[it.n] = true
		if len(only) == 0 || slices.Contains(only, it.n) {
			t.Run(fmt.Sprintf("item %02d %s", it.n, it.name), func(t *testing.T) { it.check(open(t)) })
		}
	}
}
