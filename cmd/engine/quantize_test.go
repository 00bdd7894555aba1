package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// freshNetwork writes a small network that serves every board.
func freshNetwork(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fresh.bin.gz")
	o := invoke(t, nil, "", "net", "new", "--arch", "kb3c32", "--seed", "1", "-o", path)
	require.Zero(t, o.code, o.stderr)
	return path
}

// TestQuantize writes files in both formats, from each kind of positions, and
// plays with one.
func TestQuantize(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	sgfs := filepath.Join(dir, "games")
	require.NoError(t, os.Mkdir(sgfs, 0o755))
	for i, moves := range []string{";B[cc];W[ee];B[ce];W[ec]", ";B[dd];W[cd];B[cc];W[bd];B[bc];W[de]", ";B[bb];W[ff];B[bf]", ";B[aa];W[gg];B[cd];W[dc]"} {
		require.NoError(t, os.WriteFile(filepath.Join(sgfs, string(rune('a'+i))+".sgf"), []byte("(;GM[1]SZ[7]KM[7]RU[Chinese]"+moves+")"), 0o644))
	}
	out := filepath.Join(dir, "net.onnx")
	for name, c := range map[string]struct {
		args    []string
		integer int
		rows    int
	}{
		"own games":    {nil, 8, 16},
		"game records": {[]string{"--positions", sgfs, "--verify", sgfs, "--method", "max", "--nearest"}, 8, 16},
		"some float":   {[]string{"--float", "blocks.0.conv1.Conv_0,blocks.0.conv2.Conv_0"}, 6, 16},
		"for any":      {[]string{"--for", "any"}, 8, 16},
		"for vnni":     {[]string{"--for", "vnni"}, 8, 16},
		"fp16":         {[]string{"--precision", "fp16"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := invoke(t, nil, "", append([]string{"quantize", freshNetwork(t), "--force", "-o", out, "--boardsize", "7", "--count", "16", "--held", "16", "--json", "--seed", "3"}, c.args...)...)
			require.Zero(t, o.code, o.stderr)
			var r quantizeResult
			require.NoError(t, json.Unmarshal([]byte(o.stdout), &r), o.stdout)
			require.Equal(t, c.integer, r.Integer)
			if want, ok := strings.CutPrefix(name, "for "); ok {
				require.Equal(t, want, r.For)
			}
			if r.Integer > 0 {
				require.Equal(t, 13, r.Integer+len(r.Float), r.Float)
			}
			require.LessOrEqual(t, r.Rows, c.rows)
			require.Positive(t, r.Report.Positions)
			require.Less(t, r.Report.PolicyKL, 0.01)
			require.Less(t, r.Report.Winrate, 0.01)
		})
	}
	text := invoke(t, nil, "", "quantize", freshNetwork(t), "--force", "-o", out, "--boardsize", "7", "--count", "16", "--held", "16")
	require.Zero(t, text.code, text.stderr)
	require.Contains(t, text.stdout, "8 convolutions and matrix products in integers")
	require.Contains(t, text.stdout, "against fp32, on 16 other positions")
	o := invoke(t, nil, "genmove b\nquit\n", "gtp", "--model", out, "--boardsize", "7", "--visits", "5", "--sessions", "1", "--threads", "2")
	require.Zero(t, o.code, o.stderr)
	require.Contains(t, o.stderr, "on cpu, int8")
	require.Regexp(t, `^= ([A-H]\d|pass)\n`, o.stdout)

	empty := t.TempDir()
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "-o is needed", []string{freshNetwork(t)}},
		{exitUsage, ".onnx", []string{freshNetwork(t), "-o", "x.bin"}},
		{exitUsage, "int8 or fp16", []string{freshNetwork(t), "-o", out, "--precision", "int4"}},
		{exitUsage, "calibration method", []string{freshNetwork(t), "-o", out, "--method", "best"}},
		{exitUsage, "unknown processor", []string{freshNetwork(t), "-o", out, "--for", "sse2"}},
		{exitUsage, "--for any", []string{freshNetwork(t), "-o", out, "--for", "any", "--precision", "fp16"}},
		{exitUsage, "--held", []string{freshNetwork(t), "-o", out, "--held", "0"}},
		{exitUsage, "--percentile", []string{freshNetwork(t), "-o", out, "--percentile", "0.9"}},
		{exitUsage, "board size", []string{freshNetwork(t), "-o", out, "--boardsize", "99"}},
		{exitUsage, "arguments", nil},
		{exitUsage, "no convolution is called", []string{freshNetwork(t), "-o", out, "--boardsize", "7", "--count", "8", "--held", "8", "--float", "nothing"}},
		{exitFailed, "no .sgf", []string{freshNetwork(t), "-o", out, "--boardsize", "7", "--positions", empty}},
		{exitFailed, "--verify", []string{freshNetwork(t), "-o", out, "--boardsize", "7", "--verify", filepath.Join(empty, "none")}},
		{exitFailed, "no game", []string{freshNetwork(t), "-o", out, "--boardsize", "9", "--positions", sgfs}},
		{exitFailed, "already", []string{out, "-o", filepath.Join(dir, "twice.onnx"), "--boardsize", "7"}},
		{exitFailed, "no such file", []string{"absent.onnx", "-o", out}},
	} {
		o := invoke(t, nil, "", append([]string{"quantize", "--force"}, c.args...)...)
		require.Equal(t, c.code, o.code, "%v: %s", c.args, o.stderr)
		require.Contains(t, o.stderr, c.says, c.args)
		require.NotContains(t, o.stderr, "panic")
	}
	require.NoFileExists(t, filepath.Join(dir, "twice.onnx"))
}
