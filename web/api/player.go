package api

// Profile is what the server remembers of the player, for every browser.
type Profile struct {
	Names   []string `json:"names"`   // the player's names in records, see SaidNames
	Lessons []string `json:"lessons"` // completed lessons
	Day     Day      `json:"day"`
	// Warn says that the profile's file was damaged, and where it is kept.
	Warn string `json:"warn,omitempty"`
	Says []Say  `json:"says,omitempty"` // the page's sentence for Warn
}

// Day holds today's problems, and how many days in a row all problems were answered.
type Day struct {
	Date     string       `json:"date"` // this machine's date: 2006-01-02
	Problems []DayProblem `json:"problems"`
	Streak   int          `json:"streak"` // days in a row, today's included once it is done
	Best     int          `json:"best"`
	Sets     []ProblemSet `json:"sets"` // the player's collections
	Week     [7]bool      `json:"week"` // the last seven days, today last
}

// DayProblem is one of the problems that a day asks, five at most.
type DayProblem struct {
	ID     string `json:"id"`
	Size   [2]int `json:"size"`
	Stones string `json:"stones"`
	Grade  int    `json:"grade,omitempty"` // grade of today's first answer: 1 to 4; 0: none yet
	Right  bool   `json:"right,omitempty"` // today's first answer was right
	Fresh  bool   `json:"fresh,omitempty"` // comes with the program, and was never asked
}

// AskProblem asks for one problem of the day.
type AskProblem struct {
	ID string `json:"id"`
}

// You is what games and reviews show about the player.
type You struct {
	Ranks  []Rank `json:"ranks"`
	Losses []Loss `json:"losses"` // losses by board
	// Judged lists the boards, such as 9x9, where the moves of reviewed games count for the rank.
	Judged []string `json:"judged"`
	Played Tally    `json:"played"` // against the engine
	Sizes  []Tally  `json:"sizes"`  // results by board
}

// Rank is the player's rank on one size of board, now and after each game so far.
type Rank struct {
	Fit   Fit        `json:"fit"`
	Curve []Standing `json:"curve"`
}

// Standing is the player's rank after a game, numbered as in Level.Rank.
type Standing struct {
	At   int64   `json:"at"` // Unix seconds
	Low  int     `json:"low"`
	Mid  int     `json:"mid"`
	High int     `json:"high"`
	From string  `json:"from"` // result, or review
	Mark float64 `json:"mark"` // for a result: 1 won, 0.5 drawn, 0 lost; for a review: points lost a move
}

// Loss is what the player's reviewed moves lost on one size of board.
type Loss struct {
	Size   string             `json:"size"`
	Games  int                `json:"games"`
	Moves  int                `json:"moves"`
	Mean   float64            `json:"mean"`   // points lost a move
	Phases [3]float64         `json:"phases"` // the same by opening, middle, endgame
	Kinds  map[string]float64 `json:"kinds"`  // points lost in a game, by kind of mistake
}

// Tally counts results.
type Tally struct {
	Size  string `json:"size,omitempty"`
	Won   int    `json:"won"`
	Drawn int    `json:"drawn"`
	Lost  int    `json:"lost"`
	Open  int    `json:"open"` // unfinished games
}

// AskGames asks for a page of all games in which opponent, date, board or result contain every
// word of Text.
type AskGames struct {
	Text string `json:"text,omitempty"`
	From int    `json:"from,omitempty"` // number of games to skip
	Most int    `json:"most,omitempty"` // maximum number of games in the answer; 0: 50
}

// KeptGame is a game in the list of all.
type KeptGame struct {
	Game   string `json:"game"`
	Rev    int    `json:"rev"`
	Size   [2]int `json:"size"`
	Colour string `json:"colour"` // the player's
	Seat   Seat   `json:"seat"`
	Began  int64  `json:"began"` // Unix seconds
	Moves  int    `json:"moves"`
	Result string `json:"result,omitempty"`
	Won    string `json:"won,omitempty"`    // yes, no or drawn
	Helped bool   `json:"helped,omitempty"` // the player had a hint, a take-back or teaching: the game does not count for the rank
	Counts string `json:"counts,omitempty"` // as in GameState
}

// KeptGames answers AskGames, newest first.
type KeptGames struct {
	Games  []KeptGame `json:"games"`
	Total  int        `json:"total"` // number of matching games
	All    int        `json:"all"`
	Unread []Unread   `json:"unread,omitempty"`
}
