package reviews

import (
	"slices"
	"time"

	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// problemsADay is the number of problems of a day.
const problemsADay = 5

// Diary remembers which problems belong to which day.
type Diary interface {
	Days() map[string][]string // by date
	KeepDay(date string, problems []string) error
}

// Day returns the problems of a day, in the order of [candidates]. The diary keeps the choice for
// the day. A problem that no longer exists is replaced. Until the first one is answered, problems of
// the program's collection give way to new ones from the player's games. If the diary cannot be
// written, the next call chooses again.
func (ds *Drills) Day(diary Diary, now time.Time) (d api.Day, err error) {
	date := now.Format(time.DateOnly)
	days := diary.Days()
	err = ds.use(func(set *drill.Set, log *drill.Log, schedule *drill.Schedule) error {
		d.Sets = ds.own.sets(log.Attempts)
		answered := answeredOn(log.Attempts)
		begun := slices.ContainsFunc(days[date], func(id string) bool { return answered[date][id].Grade > 0 })
		for _, p := range ds.collection(0) { // the day's problems stay though the player's rank, and so the level, has changed
			if (answered[date][p.ID].Grade > 0 || begun && slices.Contains(days[date], p.ID)) && find(set, p.ID) == nil {
				set.Problems = append(set.Problems, p)
			}
		}
		ids := slices.DeleteFunc(slices.Clone(days[date]), func(id string) bool {
			p := find(set, id)
			return p == nil || p.Level > 0 && !begun
		})
		for _, p := range candidates(set, schedule, now) {
			if len(ids) >= problemsADay {
				break
			}
			// If there are more than problemsADay problems, those answered today without being on the list are skipped.
			if !slices.Contains(ids, p.ID) && (answered[date][p.ID].Grade == 0 || len(set.Problems) <= problemsADay) {
				ids = append(ids, p.ID)
			}
		}
		for _, id := range ids {
			p, a := find(set, id), answered[date][id]
			_, known := schedule.Next(id)
			d.Problems = append(d.Problems, api.DayProblem{ID: id, Size: [2]int{p.Width, p.Height}, Stones: wire.ReviewedStones(p.Stones), Grade: int(a.Grade), Right: a.Grade > 0 && a.Solved(), Fresh: p.Level > 0 && !known})
		}
		if days == nil {
			days = map[string][]string{}
		}
		days[date] = ids
		d.Streak, d.Best, d.Week = streak(days, answered, now)
		return nil
	})
	if err != nil {
		return d, err
	}
	if d.Date = date; d.Problems == nil {
		d.Problems = []api.DayProblem{}
	} else {
		_ = diary.KeepDay(date, days[date])
	}
	return d, nil
}

func find(set *drill.Set, id string) *drill.Problem {
	i := slices.IndexFunc(set.Problems, func(p drill.Problem) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &set.Problems[i]
}

// repeatsADay is the maximum number of repeated problems on a day, if there are enough new ones.
const repeatsADay = 3

// candidates returns all problems in the order in which a day takes them: up to repeatsADay problems
// that are due again, new problems, other due problems, and problems due later.
func candidates(set *drill.Set, schedule *drill.Schedule, now time.Time) []*drill.Problem {
	all := schedule.Due(set, now, len(set.Problems))
	fresh := slices.IndexFunc(all, func(p *drill.Problem) bool { _, known := schedule.Next(p.ID); return !known })
	if fresh > repeatsADay {
		all = slices.Concat(all[:repeatsADay], all[fresh:], all[repeatsADay:fresh])
	}
	var later []*drill.Problem
	soon := make(map[*drill.Problem]bool, len(all))
	for _, p := range all {
		soon[p] = true
	}
	for i := range set.Problems {
		if p := &set.Problems[i]; !soon[p] {
			later = append(later, p)
		}
	}
	slices.SortStableFunc(later, func(a, b *drill.Problem) int {
		x, _ := schedule.Next(a.ID)
		y, _ := schedule.Next(b.ID)
		return x.Compare(y)
	})
	return append(all, later...)
}

// answeredOn returns, for each date, the first answer of that day to each problem.
func answeredOn(attempts []drill.Attempt) map[string]map[string]drill.Attempt {
	days := map[string]map[string]drill.Attempt{}
	for _, a := range attempts {
		date := a.Time.Local().Format(time.DateOnly)
		if days[date] == nil {
			days[date] = map[string]drill.Attempt{}
		}
		if days[date][a.ID].Grade == 0 {
			days[date][a.ID] = a
		}
	}
	return days
}

// streak returns three values. row is the number of consecutive days, up to today, on which all
// problems of the day were answered; while today's are open, it ends with yesterday. best is the
// length of the longest such row. week says for each of the last seven days whether all were
// answered. A day that is not in the diary needs problemsADay answers. Answers dated after today,
// since a clock was ahead, do not end a row.
func streak(days map[string][]string, answered map[string]map[string]drill.Attempt, now time.Time) (row, best int, week [7]bool) {
	done := func(date string) bool {
		ids, known := days[date]
		if !known {
			return len(answered[date]) >= problemsADay
		}
		return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return answered[date][id].Grade == 0 })
	}
	// Noon keeps the date right although days have 23 to 25 hours.
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, now.Location())
	before := func(n int) string { return noon.AddDate(0, 0, -n).Format(time.DateOnly) }
	for i := range week {
		week[len(week)-1-i] = done(before(i))
	}
	first := 0
	if !done(before(0)) {
		first = 1
	}
	for done(before(first + row)) {
		row++
	}
	for date := range answered {
		at, err := time.ParseInLocation(time.DateOnly, date, now.Location())
		if err != nil || !done(date) || done(at.Add(-12*time.Hour).Format(time.DateOnly)) {
			continue // count each row only from its first day
		}
		n := 0
		for done(at.Add(12*time.Hour).AddDate(0, 0, n).Format(time.DateOnly)) {
			n++
		}
		best = max(best, n)
	}
	return row, max(best, row), week
}

// Problem returns one problem as pages show it.
func (ds *Drills) Problem(a *api.AskProblem) (p *api.Problem, err error) {
	err = ds.use(func(set *drill.Set, _ *drill.Log, _ *drill.Schedule) error {
		q := find(set, a.ID)
		if q == nil {
			return api.Refuse("not_found", "no such problem")
		}
		var err error
		p, err = ds.wireProblem(q, nil)
		return err
	})
	return p, err
}
