package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCardsAreOfTheFilesThatAreHere(t *testing.T) {
	files, err := filepath.Glob("*.bin.gz")
	require.NoError(t, err)
	n := Default()
	require.Contains(t, files, n.File)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		card, err := os.ReadFile(file + ".md")
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		require.Contains(t, string(card), hex.EncodeToString(sum[:]))
		require.Contains(t, string(card), file)
	}
	require.Contains(t, n.Card, fmt.Sprintf("%d,%03d games", n.Games/1000, n.Games%1000))
}
