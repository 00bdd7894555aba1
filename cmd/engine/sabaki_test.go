package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// driven is what testdata/sabaki/drive.js reports.
type driven struct {
	Name, Version, Protocol string
	Commands                []string
	Boards                  []string
	Moves                   []string
	GenmoveAnalyze          struct{ Content, Last string }
	History                 int
	Analysis                map[string]struct {
		Info    int
		First   string
		Odd     []string
		Stopped int
	}
	Unknown struct {
		Error   bool
		Content string
	}
	Score string
	Exit  any
	Quit  int
}

// TestSabaki lets Sabaki's own library drive the engine.
func TestSabaki(t *testing.T) {
	node, dir := realClient(t, "node", "../../testdata/sabaki", "node_modules/@sabaki/gtp")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := slices.Concat([]string{filepath.Join(dir, "drive.js"), built(t), "gtp", "--visits", "30", "--resign=false"}, frugal)
	cmd := exec.CommandContext(ctx, node, args...)
	var stderr testshared.Log
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var d driven
	require.NoError(t, json.Unmarshal(out, &d))

	require.Equal(t, "Kosumi", d.Name)
	require.Equal(t, version, d.Version)
	require.Equal(t, "2", d.Protocol)
	require.Subset(t, d.Commands, strings.Fields("protocol_version genmove lz-analyze kata-analyze lz-genmove_analyze undo rectangular_boardsize"))
	for i, stones := range []int{3, 2, 2, 3, 3} {
		require.Equal(t, stones, stonesOf(d.Boards[i]), d.Boards[i])
	}
	require.Len(t, d.Moves, 3)
	for _, m := range d.Moves {
		require.Regexp(t, `^([A-HJ][1-9]|pass)$`, m)
	}
	require.Regexp(t, `^play ([A-HJ][1-9]|pass)$`, d.GenmoveAnalyze.Last)
	require.Equal(t, 3+3+1, d.History, "the client understood every move")
	for name, a := range d.Analysis {
		require.Greater(t, a.Info, 2, name)
		require.Empty(t, a.Odd, name)
		require.Less(t, a.Stopped, 1000, "milliseconds to stop %s", name)
		require.Regexp(t, `^info move [A-HJpass]+\d? visits \d+ .*pv `, a.First)
	}
	require.Len(t, d.Analysis, 2)
	require.True(t, d.Unknown.Error)
	require.Equal(t, "unknown command", d.Unknown.Content)
	require.Regexp(t, `^(0|[BW]\+\d+\.\d)$`, d.Score)
	require.EqualValues(t, 0, d.Exit, "exit status")
	require.Less(t, d.Quit, 2000)
}

// stonesOf counts the stones of a board as showboard prints it.
func stonesOf(board string) int {
	n := 0
	board = strings.NewReplacer("(", " ", ")", " ").Replace(board) // parentheses mark the last move
	for line := range strings.Lines(board) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.Trim(fields[0], "0123456789") != "" {
			continue
		}
		for _, f := range fields[1:] {
			if f == "X" || f == "O" {
				n++
			}
		}
	}
	return n
}
