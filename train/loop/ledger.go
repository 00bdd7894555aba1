package loop

import "kosumi/train/selfplay"

// Ledger counts the games and rows of a loop and the samples due to its learner. It is a part of
// state.json. Only its methods change it, after the counted files have been written to disk. The
// method check tests its invariants.
type Ledger struct {
	Games   int64 `json:"games"` // filed, random ones included
	Rows    int64 `json:"rows"`
	Moves   int64 `json:"moves"`
	Random  int64 `json:"random_games"` // games of the bootstrap
	RandRow int64 `json:"random_rows"`
	// GoalGames and GoalRows are the counts at which the stage of self-play ends; 0: none.
	GoalGames int64 `json:"goal_games"`
	GoalRows  int64 `json:"goal_rows"`
	// Samples is the number trained up to the newest checkpoint, Target the number at the end of
	// this stage of training. Owed is a fraction of a sample, carried over.
	Samples int64   `json:"samples"`
	Target  int64   `json:"target"`
	Owed    float64 `json:"owed"`
	// Before is the number of samples that earlier learners of this loop trained, with other
	// architectures or settings.
	Before int64 `json:"samples_before,omitempty"`
	// MostRate bounds the learning rate after divergence; 0: no bound.
	MostRate float64 `json:"most_rate,omitempty"`
	// Credited is the number of rows that Target accounts for; those of random games count at once.
	Credited int64 `json:"credited"`
	// Closed is the lowest number of a game that may still be added by an exchange. The files of
	// games with lower numbers have been removed.
	Closed uint64 `json:"closed,omitempty"`
}

// enter adds a file of self-play. Rows of random games count as credited, so oweRatio adds no samples
// for them. Once a network plays, random games raise the goals as much as the counts: no goal comes closer.
func (l *Ledger) enter(d selfplay.FileInfo, networkPlays bool) {
	l.Games += int64(d.Games)
	l.Rows += int64(d.Rows)
	l.Moves += int64(d.Moves)
	if d.Network != randomPlayer {
		return
	}
	l.Random += int64(d.Games)
	l.RandRow += int64(d.Rows)
	l.Credited += int64(d.Rows)
	if networkPlays && l.GoalGames > 0 {
		l.GoalGames += int64(d.Games)
	}
	if networkPlays && l.GoalRows > 0 {
		l.GoalRows += int64(d.Rows)
	}
}

// aim sets the goal of a stage of self-play: a number of games or rows beyond those so far. Between
// stages there is no goal: aim(0, 0).
func (l *Ledger) aim(games, rows int) {
	l.GoalGames, l.GoalRows = 0, 0
	if games > 0 {
		l.GoalGames = l.Games + int64(games)
	}
	if rows > 0 {
		l.GoalRows = l.Rows + int64(rows)
	}
}

// aimed reports whether there is a goal.
func (l *Ledger) aimed() bool { return l.GoalGames != 0 || l.GoalRows != 0 }

func (l *Ledger) reached() bool {
	return l.GoalGames > 0 && l.Games >= l.GoalGames || l.GoalRows > 0 && l.Rows >= l.GoalRows
}

// owe adds samples to the target for all new rows.
func (l *Ledger) owe(samples int64) {
	l.Target += samples
	l.Credited = l.Rows
}

// oweRatio raises the target by ratio samples a new row, and keeps the fraction for the next time.
func (l *Ledger) oweRatio(ratio float64) {
	due := ratio*float64(l.Rows-l.Credited) + l.Owed
	l.Owed = due - float64(int64(due))
	l.owe(int64(due))
}

// trained sets the number of samples that the learner has trained.
func (l *Ledger) trained(samples int64) { l.Samples = samples }

// succeed resets the counts for a new learner, which trains until it reaches target samples.
func (l *Ledger) succeed(target int64) {
	l.Before += l.Samples
	l.Samples, l.Target, l.Owed, l.Credited = 0, target, 0, l.Rows
}

// limit bounds the learning rate; 0 removes the bound.
func (l *Ledger) limit(rate float64) { l.MostRate = rate }

// dropped notes that the file of a game will be removed: games up to its number are refused from
// now on.
func (l *Ledger) dropped(number uint64) { l.Closed = max(l.Closed, number+1) }

// check reports contradictions.
func (l *Ledger) check(f *faults) {
	f.counts("", "games rows moves random_games random_rows goal_games goal_rows samples target samples_before credited",
		l.Games, l.Rows, l.Moves, l.Random, l.RandRow, l.GoalGames, l.GoalRows, l.Samples, l.Target, l.Before, l.Credited)
	f.note(!(l.Owed >= 0 && l.Owed < 1), "owed is %g, must be from 0 to below 1", l.Owed)
	f.note(!(l.MostRate >= 0), "most_rate is %g, must be 0 or more", l.MostRate)
	f.note(l.Random > l.Games, "random_games is %d of %d games", l.Random, l.Games)
	f.note(l.RandRow > l.Rows, "random_rows is %d of %d rows", l.RandRow, l.Rows)
	f.note(l.Credited > l.Rows, "credited is %d of %d rows", l.Credited, l.Rows)
}
