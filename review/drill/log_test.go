package drill

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnswersUnderAnyClock: answers dated in the future, by a clock that was ahead, do not block
// their problems; once the clock is right, the problems are due as usual.
func TestAnswersUnderAnyClock(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	d := &Set{Problems: []Problem{{ID: "a"}}}
	for name, at := range map[string][]time.Time{
		"an hour back":       {now.Add(time.Hour), now},
		"a century back":     {now.AddDate(100, 0, 0), now, now.AddDate(0, 0, 30)},
		"no time at all":     {now, {}},
		"the end of time":    {time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), now},
		"the same time":      {now, now},
		"only in the future": {now.AddDate(30, 0, 0)},
	} {
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		log, err := OpenLog(path)
		require.NoError(t, err)
		for _, at := range at {
			require.NoError(t, log.Add(Attempt{ID: "a", Time: at, Grade: GoodGrade}), name)
		}
		require.NoError(t, log.Close())
		log, err = OpenLog(path)
		require.NoError(t, err)
		s, err := NewSchedule(log.Attempts)
		require.NoError(t, err, name)
		require.NoError(t, log.Close())
		require.Len(t, s.Due(d, now.AddDate(1, 0, 0), 0), 1, name)
		due, err := s.DueBy(Attempt{ID: "a", Time: now}, GoodGrade)
		require.NoError(t, err, name)
		require.NoError(t, s.Add(Attempt{ID: "a", Time: now, Grade: GoodGrade}), name)
		next, _ := s.Next("a")
		require.Equal(t, next, due, name)
		require.Empty(t, s.Due(d, now, 0), name)
	}
}

// TestOddAnswers: the error for a line that is not an attempt names the line and says what to do; a
// file of another kind is refused.
func TestOddAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	for _, line := range []string{`{"id":"a","grade":99}`, `{"id":5}`, "[]", "7"} {
		require.NoError(t, os.WriteFile(path, []byte(line+"\n"), 0o644))
		_, err := OpenLog(path)
		require.ErrorContains(t, err, path+", line 1: not an attempt at a problem; take that line out", line)
	}
	for _, other := range []string{"(;GM[1]SZ[9])", "(;GM[1]SZ[9])\n", "{\n  \"version\": 1\n}\n"} {
		require.NoError(t, os.WriteFile(path, []byte(other), 0o644))
		_, err := OpenLog(path)
		require.ErrorContains(t, err, "is not a file of answers")
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, other, string(left), "it stays as it is")
	}
	torn := `{"id":"a","grade":3}` + "\n" + `{"id":"b","gr` + "\n" + `{"id":"c","grade":1}`
	require.NoError(t, os.WriteFile(path, []byte(torn), 0o644))
	log, err := OpenLog(path)
	require.NoError(t, err, "a line that was cut short is left out")
	require.NoError(t, log.Close())
	require.Len(t, log.Attempts, 2)
	of, err := ReadAttempts([]byte(torn))
	require.NoError(t, err)
	require.Equal(t, log.Attempts, of, "as in a backup")
	_, err = OpenLog(filepath.Dir(path))
	require.ErrorContains(t, err, "is not a file")
	unused := filepath.Join(t.TempDir(), "answers.jsonl")
	log, err = OpenLog(unused)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	require.NoFileExists(t, unused)
}
