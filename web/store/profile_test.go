package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// TestProfile stores values and reads them again.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	p := OpenProfile(dir)
	require.Equal(t, api.Profile{Names: []string{}, Lessons: []string{}}, p.State())
	require.NoError(t, p.LessonDone("capture"))
	require.NoError(t, p.LessonDone("capture"))
	require.NoError(t, p.KeepDay("2026-01-02", []string{"a", "b"}))
	require.Error(t, p.LessonDone(""))
	again := OpenProfile(dir)
	require.Equal(t, api.Profile{Names: []string{}, Lessons: []string{"capture"}}, again.State())
	require.Equal(t, map[string][]string{"2026-01-02": {"a", "b"}}, again.Days())
	for i := range daysKept + 5 {
		again.now.Days[time.Unix(0, 0).UTC().AddDate(0, 0, i).Format(time.DateOnly)] = []string{"x"}
	}
	require.NoError(t, again.KeepDay("2026-01-03", []string{"c"}))
	require.Len(t, again.Days(), daysKept)
	require.Contains(t, again.Days(), "2026-01-03")

	// "!" marks answers that were here before the restore, "?" those that it brings.
	answers := func(marks string) counting {
		return func(_ string, problems []string) (n int) {
			for _, p := range problems {
				if strings.ContainsAny(p, marks) {
					n++
				}
			}
			return n
		}
	}
	s := state{Days: map[string][]string{"2026-01-02": {"a!", "b"}, "2026-01-03": {"c"}, "2026-01-05": {"i?", "j"}}}
	s.merge(&state{Days: map[string][]string{"2026-01-02": {"d?", "e"}, "2026-01-03": {"f?", "g"}, "2026-01-04": {"h"}, "2026-01-05": {"i?", "k"}}}, answers("!"), answers("!?"))
	require.Equal(t, map[string][]string{"2026-01-02": {"a!", "b"}, "2026-01-03": {"f?", "g"}, "2026-01-04": {"h"}, "2026-01-05": {"i?", "k"}}, s.Days,
		"a restore takes the problems of a day of which more are answered than were here")
}

// TestSaidNames: the last statement about a name counts, also after a restart.
func TestSaidNames(t *testing.T) {
	dir := t.TempDir()
	p := OpenProfile(dir)
	require.NoError(t, p.Say([]string{" AKI "}, []string{"Bo", ""}))
	require.NoError(t, p.Say([]string{"Bo"}, nil))
	require.NoError(t, p.Say(nil, []string{"bo", "Cy"}))
	require.NoError(t, p.Say([]string{"Di"}, []string{"di"})) // a name said to be both counts as the player's
	p = OpenProfile(dir)
	for name, want := range map[string][2]bool{"aki": {true}, "Bo ": {false, true}, "CY": {false, true}, "Di": {true}, "Ed": {}, "": {}, "you": {true}, "Kosumi": {false, true}} {
		mine, other := p.Whose(name)
		require.Equal(t, want, [2]bool{mine, other}, name)
	}
}

// TestDamagedProfile: damaged files are renamed, each to a different name, and reported.
func TestDamagedProfile(t *testing.T) {
	dir := t.TempDir()
	for n, bad := range []string{"{", `{"version":9}`, "", "[]", strings.Repeat("x", 100)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, profileFile), []byte(bad), 0o600))
		p := OpenProfile(dir)
		require.Contains(t, p.State().Warn, "was damaged")
		require.Equal(t, bad, testshared.Read(t, filepath.Join(dir, fmt.Sprintf("%s.damaged-%d", profileFile, n+1))))
		require.NoError(t, p.LessonDone("ko"))
		require.Empty(t, OpenProfile(dir).State().Warn)
	}

	// A file that cannot be read at all is not overwritten.
	require.NoError(t, os.Remove(filepath.Join(dir, profileFile)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, profileFile), 0o700))
	p := OpenProfile(dir)
	require.NotEmpty(t, p.State().Warn)
	var refused api.Error
	require.True(t, errors.As(p.LessonDone("ko"), &refused))
	require.Equal(t, "not_saved", refused.Code)
	require.Empty(t, p.State().Lessons)
}

// TestProfileNotSaved: if writing fails, nothing changes.
func TestProfileNotSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	p := OpenProfile(dir)
	err := p.LessonDone("ko")
	require.Error(t, err)
	require.Equal(t, "not_saved", api.AsError(err).Code)
	require.Empty(t, p.State().Lessons)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, p.LessonDone("ko"))
}
