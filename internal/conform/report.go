package conform

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Report is one parsed line of analysis.
type Report struct {
	Moves []Block
	Root  Block               // rootInfo; nil Values if absent
	Lists map[string][]string // ownership, ownershipStdev
}

// Block is the part of a report about one move.
type Block struct {
	Values map[string]string   // keys with one value
	Lists  map[string][]string // pv, pvVisits, movesOwnership, ...
	Keys   []string            // every key in order
}

func (b Block) float(t testing.TB, key string) float64 {
	require.Contains(t, b.Values, key)
	f, err := strconv.ParseFloat(b.Values[key], 64)
	require.NoError(t, err, key)
	return f
}

// listKeys are the keys of a move that may have any number of values.
var listKeys = map[string]bool{
	"pv": true, "pvVisits": true, "pvEdgeVisits": true, "movesOwnership": true, "movesOwnershipStdev": true,
}

// rootKeys are the keys of the whole position that may have any number of values.
var rootKeys = map[string]bool{"ownership": true, "ownershipStdev": true}

// isKey reports whether a word of the report is a key and not a value: keys begin with a small
// letter, and so do the values pass and nan.
func isKey(word string) bool {
	return word[0] >= 'a' && word[0] <= 'z' && word != "pass" && word != "nan"
}

// parseReport reads a line that begins with "info ".
func parseReport(t testing.TB, line string) Report {
	r := Report{Lists: map[string][]string{}}
	require.NotContains(t, line, "  ", "blocks are separated by one space")
	words := strings.Split(line, " ")
	var block *Block
	for i := 0; i < len(words); {
		key := words[i]
		require.True(t, key != "" && isKey(key), "want a key, got %q in %q", key, line)
		i++
		empty := Block{Values: map[string]string{}, Lists: map[string][]string{}}
		switch key {
		case "info":
			r.Moves = append(r.Moves, empty)
			block = &r.Moves[len(r.Moves)-1]
			continue
		case "rootInfo":
			r.Root = empty
			block = &r.Root
			continue
		}
		from := i
		for i < len(words) && !isKey(words[i]) {
			i++
		}
		values := words[from:i]
		switch {
		case rootKeys[key]:
			r.Lists[key] = values
			continue
		case listKeys[key]:
			block.Lists[key] = values
		default:
			require.Len(t, values, 1, "key %s in %q", key, line)
			block.Values[key] = values[0]
		}
		block.Keys = append(block.Keys, key)
	}
	return r
}

func (r Report) moves() []string {
	var list []string
	for _, b := range r.Moves {
		list = append(list, b.Values["move"])
	}
	return list
}
