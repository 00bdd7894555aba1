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
	unit, err := os.ReadFile("../../deploy/kosumi-work.service")
	require.NoError(t, err)
	lines := string(unit)
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
	text, err := json.Marshal(cluster.Status{Wanted: 1, TasksWaiting: 1})
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
