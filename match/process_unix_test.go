//go:build unix

package match

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGrandchildrenAreKilled(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand("-mode", "child"))
	c.Dir, c.Games = t.TempDir(), 1
	s := runMatch(t, c)
	require.Equal(t, 1, s.CrashesB, "seen although the child, which sleeps for an hour, holds the pipe")
	fields := strings.Fields(stderrOf(t, c, "b"))
	require.Equal(t, "child", fields[0])
	pid, err := strconv.Atoi(fields[1])
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		state, err := os.ReadFile("/proc/" + fields[1] + "/stat")
		return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(state), ") Z ")
	}, time.Minute, 20*time.Millisecond)
}
