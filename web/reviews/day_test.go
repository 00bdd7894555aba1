package reviews

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/engine/level"
	"kosumi/review/drill"
	"kosumi/web/api"
)

// diary is a Diary in memory.
type diary map[string][]string

func (d diary) Days() map[string][]string                    { return maps.Clone(d) }
func (d diary) KeepDay(date string, problems []string) error { d[date] = problems; return nil }

// day returns noon of day n of January.
func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.Local) }

// TestStreak checks the present row of days, the longest one, and the last seven days.
func TestStreak(t *testing.T) {
	for _, c := range []struct {
		name      string
		done      []int // days in January on which all problems were answered
		half      []int // days in January with an open problem
		today     int
		row, best int
	}{
		{"nothing yet", nil, nil, 10, 0, 0},
		{"today is the first", []int{10}, nil, 10, 1, 1},
		{"today is open", []int{8, 9}, []int{10}, 10, 2, 2},
		{"yesterday was missed", []int{7, 8}, []int{9}, 10, 0, 2},
		{"a longer one before", []int{1, 2, 3, 5, 6}, nil, 6, 2, 3},
		{"the clock was ahead", []int{4, 5, 20}, nil, 5, 2, 2},
		{"the clock is set back", []int{18, 19, 20}, nil, 5, 0, 3},
		{"over a month's end", []int{31, 32}, nil, 32, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			days, answered := map[string][]string{}, map[string]map[string]drill.Attempt{}
			for _, n := range c.done {
				date := day(n).Format(time.DateOnly)
				days[date], answered[date] = []string{"a", "b"}, map[string]drill.Attempt{"a": {Grade: 1}, "b": {Grade: 3}}
			}
			for _, n := range c.half {
				date := day(n).Format(time.DateOnly)
				days[date], answered[date] = []string{"a", "b"}, map[string]drill.Attempt{"a": {Grade: 1}}
			}
			row, best, week := streak(days, answered, day(c.today))
			require.Equal(t, [2]int{c.row, c.best}, [2]int{row, best})
			n := 0
			for i, done := range week {
				require.Equal(t, len(answered[day(c.today-6+i).Format(time.DateOnly)]) == 2, done)
				if done {
					n++
				}
			}
			require.LessOrEqual(t, c.row, max(n, c.row))
		})
	}
	// A day that the diary lacks is done with five answers.
	many := map[string]drill.Attempt{}
	for i := range problemsADay {
		many[fmt.Sprint(i)] = drill.Attempt{Grade: 2}
	}
	row, _, _ := streak(nil, map[string]map[string]drill.Attempt{day(10).Format(time.DateOnly): many}, day(10))
	require.Equal(t, 1, row)
}

// TestDay chooses five problems: they stay the same from the first answer on, are graded by it, and a
// deleted problem is replaced.
func TestDay(t *testing.T) {
	folder, err := drill.OpenFolder(t.TempDir())
	require.NoError(t, err)
	set := &drill.Set{}
	for i := range 8 {
		stones := []byte("....................X....")
		stones[i] = 'O'
		set.Problems = append(set.Problems, drill.Problem{ID: fmt.Sprint(i), Game: "g", Width: 5, Height: 5, Stones: string(stones), ToMove: "b", Rules: "chinese", Loss: float64(10 - i),
			Played: "A1", Answers: []drill.Answer{{Move: "C3", Accepted: true}}})
	}
	ds := &Drills{folder: folder, sides: func() map[string]string { return nil }, whose: func(string) (mine, other bool) { return false, false }, strength: func() (level.Rank, bool) { return 0, false }, collection: func(int) []drill.Problem { return nil }}
	book := diary{}
	none, err := ds.Day(book, day(3))
	require.NoError(t, err)
	require.Equal(t, []api.DayProblem{}, none.Problems)
	require.Empty(t, book, "an empty day is not kept: there may be problems later")

	_, err = folder.WriteDrills(set)
	require.NoError(t, err)
	ids := func(d api.Day) (all []string) {
		for _, p := range d.Problems {
			all = append(all, p.ID)
		}
		return all
	}
	first, err := ds.Day(book, day(3))
	require.NoError(t, err)
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, ids(first), "the worst mistakes come first")
	answer := func(id string, at time.Time, grade drill.Grade) {
		require.NoError(t, ds.use(func(_ *drill.Set, log *drill.Log, _ *drill.Schedule) error {
			return note(log, drill.Attempt{ID: id, Time: at.UTC(), Grade: grade})
		}))
	}
	answer("1", day(3), drill.AgainGrade)
	answer("1", day(3).Add(time.Hour), drill.EasyGrade)
	again, err := ds.Day(book, day(3).Add(2*time.Hour))
	require.NoError(t, err)
	require.Equal(t, ids(first), ids(again))
	require.Equal(t, int(drill.AgainGrade), again.Problems[1].Grade)
	require.Zero(t, again.Streak)
	for _, id := range []string{"0", "2", "3", "4"} {
		answer(id, day(3).Add(3*time.Hour), drill.GoodGrade)
	}
	done, err := ds.Day(book, day(3).Add(4*time.Hour))
	require.NoError(t, err)
	require.Equal(t, [2]int{1, 1}, [2]int{done.Streak, done.Best})

	next, err := ds.Day(book, day(4))
	require.NoError(t, err)
	require.Len(t, next.Problems, problemsADay)
	require.Subset(t, ids(next), []string{"5", "6"}, "new ones")
	set.Forget("none")
	set.Problems = set.Problems[:6]
	_, err = folder.WriteDrills(set)
	require.NoError(t, err)
	fewer, err := ds.Day(book, day(4))
	require.NoError(t, err)
	require.Len(t, fewer.Problems, problemsADay)
	require.NotContains(t, ids(fewer), "6")
	require.NotContains(t, ids(fewer), "7")

	// Once an answer is given, the day keeps its problems, even if the player's new rank calls for others.
	easy, open, hard := set.Problems[0], set.Problems[1], set.Problems[2]
	easy.ID, easy.Level, open.ID, open.Level, hard.ID, hard.Level = "easy", 1, "open", 1, "hard", 3
	ds.collection = func(fit int) []drill.Problem {
		return map[int][]drill.Problem{0: {easy, open, hard}, 1: {easy, open}, 3: {hard}}[fit]
	}
	_, err = folder.WriteDrills(&drill.Set{})
	require.NoError(t, err)
	rank := level.Rank(-5)
	ds.strength = func() (level.Rank, bool) { return rank, true }
	for _, at := range []level.Rank{7, -5} {
		rank = at
		before, err := ds.Day(book, day(5))
		require.NoError(t, err)
		require.Equal(t, map[level.Rank][]string{7: {"hard"}, -5: {"easy", "open"}}[at], ids(before))
	}
	answer("easy", day(5), drill.GoodGrade)
	rank = level.Rank(7)
	after, err := ds.Day(book, day(5).Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, []string{"easy", "open", "hard"}, ids(after))
}
