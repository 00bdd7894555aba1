package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// TestDeploymentFiles: the command lines in tools/deploy are valid and show no token.
func TestDeploymentFiles(t *testing.T) {
	lines := testshared.Read(t, "../../tools/deploy/compose.yaml") + unit(t, "kosumi-work.service")["Service"]["ExecStart"] + "\n"
	found := deployed(t, lines)
	require.Len(t, found, 3)
	require.NotRegexp(t, `://|TOKEN|\$\{`, strings.Join(found, "\n"))
}

// deployed returns the engine's command lines in a text, without those in tables, and requires that
// they are valid.
func deployed(t *testing.T, text string) (found []string) {
	t.Helper()
	for line := range strings.Lines(strings.NewReplacer(`"`, "", ",", "", "]", "").Replace(text)) {
		_, words, ok := strings.Cut(line, "/opt/kosumi/engine ")
		if ok && !strings.HasPrefix(line, "|") {
			require.NoError(t, parses("engine "+words))
			found = append(found, words)
		}
	}
	return found
}

// unit reads a systemd unit: values by section and key.
func unit(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	data := testshared.Read(t, "../../tools/deploy/"+name)
	sections, at := map[string]map[string]string{}, ""
	for line := range strings.Lines(data) {
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
	guide := testshared.Read(t, "../../docs/playing.md")
	for _, text := range []string{"tools/deploy/kosumi-bot.service", "/etc/kosumi-bot.json5", "/var/lib/" + service["StateDirectory"]} {
		require.Contains(t, guide, text)
	}
	require.Len(t, deployed(t, guide), 2)
}
