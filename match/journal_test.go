package match

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInterruptAndResume(t *testing.T) {
	t.Parallel()
	c := small(guestCommand("-seed", "3"), guestCommand("-seed", "4", "-late", "5ms"))
	c.Games, c.Dir = 8, t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(p Progress) {
		if p.Summary.Games == 3 {
			cancel()
		}
	}
	s, err := Run(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, s.Games)

	// As after a crash, the journal's last line is incomplete.
	journal := filepath.Join(c.Dir, JournalName)
	text, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(journal, append(text, `{"game":4,"win`...), 0o666))

	c.Progress, c.Parallel = nil, 2
	other := c
	other.Rules = "japanese"
	komi := 0.5
	other.Komi = &komi
	_, err = Run(t.Context(), other)
	require.ErrorIs(t, err, ErrJournalConfig)
	require.ErrorContains(t, err, "komi was 7.5, is now 0.5")

	s = runMatch(t, c)
	require.Equal(t, 8, s.Games)
	require.Equal(t, 3, s.Resumed)
	requireGames(t, c)

	c.Games = 4
	s = runMatch(t, c)
	require.Equal(t, 4, s.Games, "fewer games than the journal holds")
}

// TestJournalKnowsProgramsByName: a match resumes after a program was moved, if its name stays the
// same.
func TestJournalKnowsProgramsByName(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand())
	c.A.KnownAs, c.Dir, c.Games = "the engine", t.TempDir(), 2
	runMatch(t, c)
	c.A.Command = guestCommand("-name", "elsewhere")
	require.Equal(t, 2, runMatch(t, c).Resumed)
	c.A.KnownAs = ""
	_, err := Run(t.Context(), c)
	require.ErrorIs(t, err, ErrJournalConfig)
}

func TestJournalFaults(t *testing.T) {
	dir := t.TempDir()
	c := small(guestCommand(), guestCommand())
	p, err := newPlan(c)
	require.NoError(t, err)
	name := filepath.Join(dir, "deep", "j.jsonl")
	j, _, err := openJournal(name, p.identity())
	require.NoError(t, err)
	_, _, err = openJournal(name, p.identity())
	require.ErrorIs(t, err, ErrJournal, "two matches at once")
	j.close()
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	j, _, err = openJournal(name, p.identity())
	require.NoError(t, err)
	require.NoError(t, j.append("nonsense"))
	j.close()
	_, _, err = openJournal(name, p.identity())
	require.ErrorIs(t, err, ErrJournal)
	require.EqualError(t, err, name+": bad journal: line 2 is not a game; take that line out to play its game again")
	_, _, err = openJournal(dir, p.identity())
	require.Error(t, err)
	require.Equal(t, `a was "x", is now "y"; handicap was 0, is now 2`, identity{A: "x"}.differences(identity{A: "y", Handicap: 2}))
}
