package models

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCardsNameTheFilesThatAreHere(t *testing.T) {
	all := All()
	require.NotEmpty(t, all)
	anySize := 0
	for _, n := range all {
		sum := sha256.Sum256(n.Data)
		require.Contains(t, n.Card, hex.EncodeToString(sum[:]), n.File)
		require.Contains(t, n.Card, n.File)
		if n.Board == 0 {
			anySize++
		}
	}
	require.Equal(t, 1, anySize, "one network serves the sizes that no other does")
}
