package life

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

var points = testshared.Points

// example is a committed shape with its solution.
type example struct {
	name   string
	shape  *shape
	answer [2]string // with the attacker first, with the defender first
}

// readExamples reads testdata/examples.txt: a name, a drawing, and a line for each
// first mover.
func readExamples(t *testing.T) (out []example) {
	t.Helper()
	data := []byte(testshared.Read(t, "testdata/examples.txt"))
	for part := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		name, rest, _ := strings.Cut(part, "\n")
		diagram, answers, ok := strings.Cut(rest, "attacker: ")
		require.True(t, ok, name)
		first, second, ok := strings.Cut(answers, "\ndefender: ")
		require.True(t, ok, name)
		s, err := parseShape(diagram)
		require.NoError(t, err, name)
		out = append(out, example{name, s, [2]string{first, second}})
	}
	return out
}
