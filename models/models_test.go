package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCardsAreOfTheFilesThatAreHere(t *testing.T) {
	files, err := filepath.Glob("*.bin.gz")
	require.NoError(t, err)
	var known []string
	for _, n := range []*Network{Zero(), Taught()} {
		known = append(known, n.File)
		data, err := n.Data()
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		require.Equal(t, hex.EncodeToString(sum[:]), n.SHA256)
		require.Contains(t, n.Card, n.SHA256)
		require.Contains(t, n.Card, n.File)
		require.Equal(t, n.File, Find(n.Name).File)
	}
	require.ElementsMatch(t, files, known)
	require.Contains(t, Zero().Card, fmt.Sprintf("%d,%03d games", Zero().Games/1000, Zero().Games%1000))
	require.Contains(t, Notice(), "Permission is hereby granted", "the teacher's licence travels with it")
	require.Nil(t, Find("none"))
}

func TestBoardsHaveTheirNetwork(t *testing.T) {
	for side, want := range map[int]string{2: "zero", 9: "zero", SmallSide: "zero", SmallSide + 1: "taught", 13: "taught", 19: "taught", 25: "taught"} {
		require.Equal(t, want, For(side).Name, side)
	}
}
