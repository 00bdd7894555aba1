package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeploymentFiles: the command lines in tools/deploy are valid and show no token.
func TestDeploymentFiles(t *testing.T) {
	compose, err := os.ReadFile("../../tools/deploy/compose.yaml")
	require.NoError(t, err)
	lines := strings.NewReplacer(`"`, "", ",", "", "]", "").Replace(string(compose)) + unit(t, "kosumi-work.service")["Service"]["ExecStart"] + "\n"
	found := 0
	for line := range strings.Lines(lines) {
		_, words, ok := strings.Cut(line, "/opt/kosumi/engine ")
		if !ok {
			continue
		}
		c, rest, err := newRoot().Find(strings.Fields(words))
		require.NoError(t, err, line)
		require.NoError(t, c.ParseFlags(rest), line)
		for _, mark := range []string{"://", "TOKEN", "${"} {
			require.NotContains(t, words, mark)
		}
		found++
	}
	require.Equal(t, 3, found)
}

// unit reads a systemd unit: values by section and key.
func unit(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../tools/deploy/" + name)
	require.NoError(t, err)
	sections, at := map[string]map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		key, value, pair := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			at = strings.Trim(line, "[]")
			sections[at] = map[string]string{}
		default:
			require.True(t, pair && at != "", "%s: %s", name, line)
			sections[at][key] = value
		}
	}
	require.Equal(t, "multi-user.target", sections["Install"]["WantedBy"], name)
	return sections
}

// TestBotUnit: the systemd unit of a bot runs a bridge with the config file from the guide, and the
// command lines in the guide are valid.
func TestBotUnit(t *testing.T) {
	service := unit(t, "kosumi-bot.service")["Service"]
	require.Equal(t, "config:/etc/kosumi-bot.json5", service["LoadCredential"])
	require.Equal(t, "/usr/bin/env gtp2ogs -c ${CREDENTIALS_DIRECTORY}/config", service["ExecStart"])
	require.Equal(t, "always", service["Restart"])
	data, err := os.ReadFile("../../docs/playing.md")
	require.NoError(t, err)
	guide := string(data)
	for _, text := range []string{"tools/deploy/kosumi-bot.service", "/etc/kosumi-bot.json5", "/var/lib/" + service["StateDirectory"]} {
		require.Contains(t, guide, text)
	}
	found := 0
	for line := range strings.Lines(guide) {
		_, words, ok := strings.Cut(strings.NewReplacer(`"`, "", ",", "", "]", "").Replace(line), "/opt/kosumi/engine ")
		if !ok || strings.HasPrefix(line, "|") {
			continue
		}
		c, rest, err := newRoot().Find(strings.Fields(words))
		require.NoError(t, err, line)
		require.NoError(t, c.ParseFlags(rest), line)
		found++
	}
	require.Equal(t, 2, found)
}
