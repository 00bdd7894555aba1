package katago

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx/meta"
)

// words returns the tokens of a file up to its first block of numbers.
func words(t testing.TB, n *Network) []string {
	t.Helper()
	head, _, found := strings.Cut(string(plainBytes(t, n)), blockMark)
	require.True(t, found)
	return strings.Fields(head)
}

// TestPreferences: a network's preferences for rules are read, written, kept in the metadata of its
// graphs, and restored from FormExact.
func TestPreferences(t *testing.T) {
	for version := 15; version <= MaxVersion; version++ {
		for flags := range 4 {
			n := toy(t, version)
			n.Header.PassAliveUnderSuicide, n.Header.ExcludeTerritoryAdjacentToAtari = flags&1 != 0, flags&2 != 0
			require.Equal(t, []string{fmt.Sprint(flags & 1), fmt.Sprint(flags >> 1), "0", "0", "0", "0", "0"}, words(t, n)[12:19])
			for _, f := range []Format{{}, {Gzip: true}, {Text: true}} {
				var out bytes.Buffer
				require.NoError(t, Write(&out, n, f))
				back, err := readBytes(out.Bytes())
				require.NoError(t, err)
				require.Equal(t, n.Header, back.Header)
			}
			for _, form := range []Form{FormRun, FormExact} {
				m := graphOf(t, n, Size{5, 5}, form)
				require.Equal(t, fmt.Sprint(flags&1), m.Metadata[meta.PassAliveSuicide])
				require.Equal(t, fmt.Sprint(flags>>1), m.Metadata[meta.ExcludeTerritory])
				if form == FormExact {
					back, err := FromONNX(throughFile(t, m))
					require.NoError(t, err)
					require.Equal(t, n.Header, back.Header)
				}
			}
		}
	}
}

// TestUnknownOptions: an option value that no known version has gives an error with KataGo's name
// for the option and the advice that a newer program may know it.
func TestUnknownOptions(t *testing.T) {
	type change struct {
		at   int // number of the token
		to   string
		want string
	}
	slots := []change{{11, "2", "metadata encoder version 2"},
		{12, "2", "model preferPassAliveUnderSuicideRules unexpected value: 2"},
		{12, "-1", "model preferPassAliveUnderSuicideRules unexpected value: -1"},
		{13, "2", "model preferExcludeTerritoryAdjacentToAtari unexpected value: 2"},
		{13, "-3", "model preferExcludeTerritoryAdjacentToAtari unexpected value: -3"},
		{26, "2", "unknown kind of trunk norm 2"}}
	for i, letter := range "DEFGH" {
		slots = append(slots, change{14 + i, "1", fmt.Sprintf("unknown/unsupported model option %c: 1", letter)})
	}
	for i, letter := range "BCDEF" {
		slots = append(slots, change{27 + i, "-5", fmt.Sprintf("unknown/unsupported trunk option %c: -5", letter)})
	}
	for version := 15; version <= MaxVersion; version++ {
		n := toy(t, version)
		n.Header.PassAliveUnderSuicide, n.Header.ExcludeTerritoryAdjacentToAtari = true, true
		head := words(t, n)
		require.Equal(t, []string{"1", "1", "0"}, head[12:15])
		plain := plainBytes(t, n)
		rest := plain[bytes.Index(plain, []byte(blockMark)):]
		for _, c := range slots {
			changed := slices.Clone(head)
			changed[c.at] = c.to
			_, err := readBytes(slices.Concat([]byte(strings.Join(changed, "\n")+"\n"), rest))
			require.ErrorIs(t, err, ErrUnsupported, c.want)
			require.ErrorContains(t, err, c.want+"; a newer program may know it")
		}
	}
}

// TestUnknownParts: an unknown word or number after the first layer gives an error that names it
// and the advice that a newer program may know it.
func TestUnknownParts(t *testing.T) {
	plain := plainBytes(t, toy(t, 17))
	for name, c := range map[string]struct{ old, new, want string }{
		"activation":      {"ACTIVATION_MISH", "ACTIVATION_GELU", `unknown activation "ACTIVATION_GELU"`},
		"block":           {"nested_bottleneck_block", "register_block", `unknown kind of block "register_block"`},
		"inner block":     {"ordinary_block", "depthwise_block", `unknown kind of block "depthwise_block"`},
		"transformer":     {"transformer_ffn_block", "transformer_moe_block", `unknown kind of block "transformer_moe_block"`},
		"gate":            {"ffn\n4\n3\n1\n", "ffn\n4\n3\n0\n", "feed-forward block without a gate"},
		"norm in groups":  {"tip\n4\n1e-06\n1\n0\n", "tip\n4\n1e-06\n1\n8\n", "norm in groups of 8"},
		"policy option B": {"policy_head\n2\n0\n0\n0\n", "policy_head\n2\n0\n4\n0\n", "unknown/unsupported policy option B: 4"},
		"value option C":  {"value_head\n0\n0\n0\n", "value_head\n0\n0\n6\n", "unknown/unsupported value option C: 6"},
	} {
		require.True(t, bytes.Contains(plain, []byte(c.old)), name)
		_, err := readBytes(bytes.Replace(plain, []byte(c.old), []byte(c.new), 1))
		require.ErrorIs(t, err, ErrUnsupported, name)
		require.ErrorContains(t, err, c.want, name)
		require.ErrorContains(t, err, "; a newer program may know it", name)
	}
}
