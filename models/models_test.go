package models

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCardIsOfTheFile(t *testing.T) {
	data, err := Data()
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	require.Equal(t, hex.EncodeToString(sum[:]), SHA256)
	require.Contains(t, Card, SHA256)
	require.Contains(t, Card, File)
	require.Contains(t, Notice(), "Permission is hereby granted", "the teacher's licence travels with it")

	files, err := filepath.Glob("*.bin.gz")
	require.NoError(t, err)
	for _, file := range files {
		require.FileExists(t, file+".md")
	}
}
