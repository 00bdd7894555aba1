package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCardIsOfTheFileThatIsHere(t *testing.T) {
	n := Default()
	sum := sha256.Sum256(n.Data)
	require.Contains(t, n.Card, hex.EncodeToString(sum[:]))
	require.Contains(t, n.Card, n.File)
	require.Contains(t, n.Card, fmt.Sprintf("%d,%03d games", n.Games/1000, n.Games%1000))
}
