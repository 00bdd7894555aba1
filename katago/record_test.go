package katago

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestReadRecord: refusals have KataGo's words, and any game counts as Go, as there.
func TestReadRecord(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "SZ[9:13]": "", "GM[3]SZ[9]": "", "GM[Chess]": "",
		"SZ[1]": "Board size in sgf is <= 1: 1", "SZ[-5]": "Board size in sgf is <= 1: -5", "SZ[9:0]": "Board size in sgf is <= 1: 9:0",
		"SZ[20]": "Board size in sgf is > Board::MAX_LEN = 19, ", "SZ[30]": "Board size in sgf is > Board::MAX_LEN = 19, ",
		"SZ[9:99]": "Board size in sgf is > Board::MAX_LEN = 19, ", "SZ[x]": "Could not parse board size in sgf: x", "SZ[9:]": "Could not parse board size in sgf: 9:",
	} {
		record, _, err := ReadRecord([]byte("(;"+text+";B[aa])"), board.TrompTaylor(), nil)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		require.Len(t, record.Steps, 1, text)
	}
}
