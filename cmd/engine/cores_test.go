package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/bench"
)

// TestCores requires one session for each processor that Go counts: Go respects affinity and a
// container's quota.
func TestCores(t *testing.T) {
	fresh := freshNetwork(t)
	for name, c := range map[string]struct {
		env, under []string
		cores      int
	}{
		"fewer":    {env: []string{"GOMAXPROCS=1"}, cores: 1},
		"more":     {env: []string{fmt.Sprintf("GOMAXPROCS=%d", runtime.NumCPU()+1)}, cores: runtime.NumCPU() + 1},
		"affinity": {env: []string{"GOMAXPROCS="}, under: []string{"taskset", "-c", "0"}, cores: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.under != nil && runtime.GOOS != "linux" {
				t.Skip("taskset is a program of Linux")
			}
			engine := func(args ...string) string {
				words := append(append(c.under, built(t)), args...)
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Env = append(os.Environ(), c.env...)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				return string(out)
			}
			require.Contains(t, engine("label", "--recipe", "show"), fmt.Sprintf("parallel = %d\n", 2*16*c.cores))
			var b bench.Report
			require.NoError(t, json.Unmarshal([]byte(engine("benchmark", "--model", fresh, "--provider", "kernel", "--boardsize", "5", "--seconds", "0.02", "--rounds", "1", "--json")), &b))
			require.Equal(t, c.cores, b.Sessions)
			if name == "more" {
				require.Contains(t, engine("doctor", "--provider", "kernel"), fmt.Sprintf("%d cores (the container or GOMAXPROCS allows %d)", runtime.NumCPU(), c.cores))
			}
		})
	}
}
