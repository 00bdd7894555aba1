package gtpconform

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Options say what to check. The zero value is everything.
type Options struct {
	// Only, if not empty, names the items to check; the others are left out.
	Only []int
}

// item is one line of the list.
type item struct {
	n     int
	name  string
	check func(s *Session, open Open)
}

// items are all of them, in order.
func items() []item {
	var all []item
	for _, group := range [][]item{
		protocolItems, lifeItems, positionItems, historyItems, setupItems, scoringItems, clockItems, analysisItems,
		streamItems, extensionItems,
	} {
		all = append(all, group...)
	}
	return all
}

// Run checks every item, each in a session of its own, as subtests
// "item 01 ...".
func Run(t *testing.T, open Open, o Options) {
	seen := map[int]bool{}
	for _, it := range items() {
		if seen[it.n] {
			t.Fatalf("two items %d", it.n)
		}
		seen[it.n] = true
		if len(o.Only) > 0 && !slices.Contains(o.Only, it.n) {
			continue
		}
		t.Run(fmt.Sprintf("item %02d %s", it.n, it.name), func(t *testing.T) {
			s := open(t)
			it.check(s, open)
		})
	}
}

// quick keeps searches short.
func (s *Session) quick() {
	s.T.Helper()
	s.All("kata-set-param maxVisits 8")
}

// endless lets searches run until they are told to end.
func (s *Session) endless() {
	s.T.Helper()
	s.All("kata-set-param maxVisits 1000000000", "kata-set-param maxPlayouts 1000000000", "kata-set-param maxTime 1000000")
}

// unchanged runs f and requires that the position is then as before.
func (s *Session) unchanged(f func()) {
	s.T.Helper()
	board, komi, rules := s.OK("showboard"), s.OK("get_komi"), s.OK("kata-get-rules")
	f()
	require.Equal(s.T, board, s.OK("showboard"))
	require.Equal(s.T, komi, s.OK("get_komi"))
	require.Equal(s.T, rules, s.OK("kata-get-rules"))
}
