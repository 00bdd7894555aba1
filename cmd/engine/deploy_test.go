package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"kosumi/cluster"
)

// TestDeploymentFiles reads the files in deploy and has the program parse the
// command lines in them.
func TestDeploymentFiles(t *testing.T) {
	parse := func(args []string) {
		c, rest, err := newRoot().Find(args)
		require.NoError(t, err, args)
		require.NoError(t, c.ParseFlags(rest), args)
	}
	data, err := os.ReadFile("../../deploy/kubernetes.yaml")
	require.NoError(t, err)
	kinds := map[string]int{}
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var object struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Name string }
			Spec       struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Image string
							Args  []string
						}
					}
				}
			}
		}
		err := dec.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotEmpty(t, object.APIVersion)
		require.NotEmpty(t, object.Metadata.Name)
		kinds[object.Kind]++
		for _, c := range object.Spec.Template.Spec.Containers {
			if c.Image == "kosumi" {
				parse(c.Args)
				hidden(t, strings.Join(c.Args, " "))
			}
		}
	}
	require.Equal(t, map[string]int{"Service": 1, "Deployment": 1, "StatefulSet": 1}, kinds)

	var compose struct {
		Services map[string]struct{ Entrypoint []string }
	}
	data, err = os.ReadFile("../../deploy/compose.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &compose))
	lines := unit(t, "kosumi-work.service")["Service"]["ExecStart"] + "\n"
	for _, s := range compose.Services {
		lines += strings.Join(s.Entrypoint, " ") + "\n"
	}
	found := 0
	for line := range strings.Lines(lines) {
		if _, words, ok := strings.Cut(line, "/opt/kosumi/engine "); ok {
			parse(strings.Fields(words))
			hidden(t, words)
			found++
		}
	}
	require.Equal(t, 3, found)
}

// unit reads a systemd unit: values by section and key.
func unit(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../deploy/" + name)
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

// TestBotUnit: the unit of a bot runs a bridge, with the file that the guide makes, and
// the command lines in the guide are the program's.
func TestBotUnit(t *testing.T) {
	service := unit(t, "kosumi-bot.service")["Service"]
	require.Equal(t, "config:/etc/kosumi-bot.json5", service["LoadCredential"])
	require.Equal(t, "/usr/bin/env gtp2ogs -c ${CREDENTIALS_DIRECTORY}/config", service["ExecStart"])
	require.Equal(t, "always", service["Restart"])
	data, err := os.ReadFile("../../docs/playing.md")
	require.NoError(t, err)
	guide := string(data)
	for _, text := range []string{"deploy/kosumi-bot.service", "/etc/kosumi-bot.json5", "/var/lib/" + service["StateDirectory"]} {
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

// hidden holds that a command line shows no address with its token, which everybody on
// the machine could read among the processes.
func hidden(t *testing.T, line string) {
	for _, mark := range []string{"://", "TOKEN", "${"} {
		require.NotContains(t, line, mark)
	}
}

// TestAutoscaling: the numbers by which workers are scaled are among those that the
// loop shows.
func TestAutoscaling(t *testing.T) {
	var keda struct {
		Spec struct {
			Triggers []struct{ Metadata map[string]string }
		}
	}
	data, err := os.ReadFile("../../deploy/autoscale.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &keda))
	status := map[string]any{}
	text, err := json.Marshal(cluster.Status{Wanted: 1, TaskStatus: cluster.TaskStatus{TasksWaiting: 1}})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &status))
	require.Len(t, keda.Spec.Triggers, 2)
	for _, trigger := range keda.Spec.Triggers {
		require.True(t, strings.HasSuffix(trigger.Metadata["url"], ":9090/status.json"))
		require.EqualValues(t, 1, status[trigger.Metadata["valueLocation"]], trigger.Metadata)
	}
	var hpa struct {
		Spec struct {
			Metrics []struct {
				External struct{ Metric struct{ Name string } }
			}
		}
	}
	data, err = os.ReadFile("../../deploy/autoscale-hpa.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &hpa))
	var metrics bytes.Buffer
	(&cluster.Status{}).WriteMetrics(&metrics)
	require.Len(t, hpa.Spec.Metrics, 2)
	for _, m := range hpa.Spec.Metrics {
		require.Contains(t, metrics.String(), "\n"+m.External.Metric.Name+" ")
	}
}
