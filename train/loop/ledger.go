package loop

// Ledger counts what a loop has made and what its learner is owed. It is a part of
// state.json. Its methods alone change it, each when what it enters lies on the disk
// or is about to be saved; check says what must hold between them.
type Ledger struct {
	Games   int64 `json:"games"` // filed, the random ones included
	Rows    int64 `json:"rows"`
	Moves   int64 `json:"moves"`
	Random  int64 `json:"random_games"` // games of the bootstrap
	RandRow int64 `json:"random_rows"`
	// Goal is how many games or rows there shall be at the end of the stage of
	// self-play.
	GoalGames int64 `json:"goal_games"`
	GoalRows  int64 `json:"goal_rows"`
	// Samples is how many have been trained up to the newest checkpoint, Target how
	// many there shall be at the end of this stage of training. Owed is the fraction of
	// a sample that the ratio left over.
	Samples int64   `json:"samples"`
	Target  int64   `json:"target"`
	Owed    float64 `json:"owed"`
	// Before is how many samples were trained by learners of other
	// architectures or settings, which this one follows.
	Before int64 `json:"samples_before,omitempty"`
	// MostRate bounds the learning rate after the learner has diverged; 0: nothing does.
	MostRate float64 `json:"most_rate,omitempty"`
	// Credited is the number of rows that have been turned into samples.
	Credited int64 `json:"credited"`
	// Closed is the first number of a game that may still be filed, where others
	// play too: files with games of lower numbers have been dropped.
	Closed uint64 `json:"closed,omitempty"`
}

// enter adds a file of self-play. Rows of random games are worth no samples beyond
// those of the bootstrap, and where a network plays by now, nothing of its goal.
func (l *Ledger) enter(d dataFile, networkPlays bool) {
	l.Games += int64(d.games)
	l.Rows += int64(d.rows)
	l.Moves += int64(d.moves)
	if d.network != randomPlayer {
		return
	}
	l.Random += int64(d.games)
	l.RandRow += int64(d.rows)
	l.Credited += int64(d.rows)
	if networkPlays && l.GoalGames > 0 {
		l.GoalGames += int64(d.games)
	}
	if networkPlays && l.GoalRows > 0 {
		l.GoalRows += int64(d.rows)
	}
}

// aim sets the goal of a stage of self-play: so many games or rows more, each 0 for
// none. Between two stages there is none.
func (l *Ledger) aim(games, rows int) {
	l.GoalGames, l.GoalRows = 0, 0
	if games > 0 {
		l.GoalGames = l.Games + int64(games)
	}
	if rows > 0 {
		l.GoalRows = l.Rows + int64(rows)
	}
}

// aimed reports whether there is a goal, reached whether it is reached.
func (l *Ledger) aimed() bool { return l.GoalGames != 0 || l.GoalRows != 0 }

func (l *Ledger) reached() bool {
	return l.GoalGames > 0 && l.Games >= l.GoalGames || l.GoalRows > 0 && l.Rows >= l.GoalRows
}

// owe has the learner train so many samples more for the rows that are new.
func (l *Ledger) owe(samples int64) {
	l.Target += samples
	l.Credited = l.Rows
}

// oweRatio has it train so many samples for each new row.
func (l *Ledger) oweRatio(ratio float64) {
	due := ratio*float64(l.Rows-l.Credited) + l.Owed
	l.Owed = due - float64(int64(due))
	l.owe(int64(due))
}

// trained notes how many samples the learner has trained.
func (l *Ledger) trained(samples int64) { l.Samples = samples }

// succeed begins the account of another learner, which has so many samples to train.
func (l *Ledger) succeed(target int64) {
	l.Before += l.Samples
	l.Samples, l.Target, l.Owed, l.Credited = 0, target, 0, l.Rows
}

// limit bounds the learning rate from now on; 0 takes the bound away.
func (l *Ledger) limit(rate float64) { l.MostRate = rate }

// dropped notes that a file with a game is gone: games of its number come too late.
func (l *Ledger) dropped(number uint64) { l.Closed = max(l.Closed, number+1) }

// check notes what contradicts itself.
func (l *Ledger) check(f *faults) {
	f.counts("", "games rows moves random_games random_rows goal_games goal_rows samples target samples_before credited",
		l.Games, l.Rows, l.Moves, l.Random, l.RandRow, l.GoalGames, l.GoalRows, l.Samples, l.Target, l.Before, l.Credited)
	f.note(!(l.Owed >= 0 && l.Owed < 1), "owed is %g, must be from 0 to below 1", l.Owed)
	f.note(!(l.MostRate >= 0), "most_rate is %g, must be 0 or more", l.MostRate)
	f.note(l.Random > l.Games, "random_games is %d of %d games", l.Random, l.Games)
	f.note(l.RandRow > l.Rows, "random_rows is %d of %d rows", l.RandRow, l.Rows)
	f.note(l.Credited > l.Rows, "credited is %d of %d rows", l.Credited, l.Rows)
}
