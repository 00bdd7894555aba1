package api

// Seat is the opponent.
type Seat struct {
	Level string `json:"level,omitempty"` // one of Welcome.Levels; empty: full strength; in NewGame also auto
	// Auto reports that the level was chosen to fit the player, so the game counts towards the
	// next level.
	Auto bool `json:"auto,omitempty"`
	// Visits and Seconds limit a move at full strength; 0 means no limit.
	Visits  int64   `json:"visits,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Pace    string  `json:"pace,omitempty"` // "human": the engine waits a little before it moves
}

// Clock is the time limit of both players. Kind is none, absolute, byoyomi,
// canadian or fischer; times are in seconds.
type Clock struct {
	Kind    string  `json:"kind"`
	Main    float64 `json:"main"`
	Period  float64 `json:"period,omitempty"`
	Periods int     `json:"periods,omitempty"` // byoyomi: periods; canadian: stones in a period
	Bonus   float64 `json:"bonus,omitempty"`   // fischer: seconds added after each move
}

// NewGame begins a game; the answer is its ID.
type NewGame struct {
	Size     [2]int   `json:"size"` // columns, rows: 2 to 25
	Rules    string   `json:"rules"`
	Komi     *float64 `json:"komi,omitempty"` // absent: the rules' usual komi
	Handicap int      `json:"handicap,omitempty"`
	Free     bool     `json:"free,omitempty"` // Black chooses the points of the handicap stones
	Colour   string   `json:"colour"`         // the player's colour: b, w or random
	Seat     Seat     `json:"seat"`
	Clock    Clock    `json:"clock"`
	// Teach names how strictly the game teaches: gentle, usual or strict; empty: not at all.
	// Before the engine answers, it points out moves of the player's that lose more than expected
	// at the opponent's level.
	Teach string `json:"teach,omitempty"`
}

// Teach changes how strictly a game teaches while it is played.
type Teach struct {
	Game  string `json:"game"`
	Rev   int    `json:"rev"`
	Teach string `json:"teach"` // as in NewGame
}

// Advice says that the player's last move lost more than expected. The engine waits for
// game.undo, which takes the move back, or game.keep.
type Advice struct {
	Move string   `json:"m"`
	Loss float64  `json:"loss"`           // points lost
	Due  float64  `json:"due"`            // points that a move may lose before the player gets advice
	Line []string `json:"line,omitempty"` // the engine's answer, and what follows
}

// Play makes a move, which ends a pause. Rev is the state that the client saw: if the position has
// changed since, the move is refused as stale.
type Play struct {
	Game string `json:"game"`
	Rev  int    `json:"rev"`
	Move string `json:"move"`
}

// GameCommand is a command without further fields: undo, redo, resign, pause, resume, delete.
type GameCommand struct {
	Game string `json:"game"`
	Rev  int    `json:"rev"`
}

// Score is a step of counting. It sets exactly one of the fields after Rev.
type Score struct {
	Game   string `json:"game"`
	Rev    int    `json:"rev"`
	Toggle string `json:"toggle,omitempty"` // a stone of the group to mark or unmark
	Ask    bool   `json:"ask,omitempty"`    // restores the engine's marking
	Accept bool   `json:"accept,omitempty"` // accepts the count as marked
	PlayOn bool   `json:"playOn,omitempty"`
}

// AskHint asks for help with the next move: 1 a region, 2 three moves, 3 the
// best with its line.
type AskHint struct {
	Game  string `json:"game"`
	Rev   int    `json:"rev"`
	Stage int    `json:"stage"`
}

// Hint answers AskHint. Region holds the points of stage 1.
type Hint struct {
	Stage  int      `json:"stage"`
	Rev    int      `json:"rev"`
	Region []int    `json:"region,omitempty"`
	Moves  []string `json:"moves,omitempty"`
	Line   []string `json:"line,omitempty"`
	Loss   float64  `json:"loss,omitempty"` // points that the second best move loses
}

// Estimate answers game.estimate.
type Estimate struct {
	Rev       int     `json:"rev"`
	Lead      float64 `json:"lead"` // Black's lead
	Spread    float64 `json:"spread"`
	Open      int     `json:"open"`      // points that are not settled
	Ownership string  `json:"ownership"` // base64 of int8 for each point, 127 is Black's
}

// ClockState is a player's remaining time in milliseconds, at the moment of the message; it runs
// down if Running.
type ClockState struct {
	Main    int64 `json:"main"`
	Periods int   `json:"periods"` // periods left, or stones left in the Canadian period
	Period  int64 `json:"period"`  // time left in the period
	Over    bool  `json:"over"`    // the player is in overtime
	Running bool  `json:"running"`
}

// GameState is the state of a game.
type GameState struct {
	Game     string        `json:"game"`
	Rev      int           `json:"rev"`
	Phase    string        `json:"phase"` // place (free handicap), play, count, over
	Size     [2]int        `json:"size"`
	Rules    string        `json:"rules"`
	Komi     float64       `json:"komi"`
	Handicap int           `json:"handicap"`
	Setup    []string      `json:"setup,omitempty"` // handicap stones
	Colour   string        `json:"colour"`          // the player's
	Seat     Seat          `json:"seat"`
	Stones   string        `json:"stones"`
	ToMove   string        `json:"toMove"`
	Moves    []string      `json:"moves"` // since the start, pass included
	First    string        `json:"first"` // colour of the first move
	Ko       string        `json:"ko,omitempty"`
	Legal    string        `json:"legal"`    // for each point: "1" legal, "0" not, for the side to move
	Captures [2]int        `json:"captures"` // stones taken by Black, by White
	Clock    Clock         `json:"clock"`
	Clocks   [2]ClockState `json:"clocks"`   // Black's, White's
	Thinking bool          `json:"thinking"` // the engine's turn
	Paused   string        `json:"paused,omitempty"`
	Trouble  string        `json:"trouble,omitempty"`
	// Unsaved says why a part of the game is not on the disk yet: the engine's move, the game
	// record, or the player's rating. The server retries until it is.
	Unsaved *Error `json:"unsaved,omitempty"`
	// Restored says that the game's file was damaged, and what it was restored from: sgf (the game
	// record) or part (the file up to the damage).
	Restored string `json:"restored,omitempty"`
	CanUndo  bool   `json:"canUndo"`
	CanRedo  bool   `json:"canRedo"`
	Count    *Count `json:"count,omitempty"`
	Result   string `json:"result,omitempty"` // "W+1.5", "B+R", "W+T", "0"
	ByPlayer bool   `json:"byPlayer,omitempty"`
	Hints    int    `json:"hints"`
	Undone   int    `json:"undone"`
	Helped   []int  `json:"helped,omitempty"` // plies whose move was made after a hint or a take-back, or while mistakes were pointed out
	// Counts applies to adaptive games: yes, or the reason why the game does not count for the rank:
	// hint, undo, teach or, once it is over, short.
	Counts string  `json:"counts,omitempty"`
	Enough int     `json:"enough"`          // moves from which on the result of an adaptive game counts
	Teach  string  `json:"teach,omitempty"` // as in NewGame
	Advice *Advice `json:"advice,omitempty"`
	Fit    *Fit    `json:"fit,omitempty"` // the player's new estimate, after a game that counted
}

// Count is the board during counting.
type Count struct {
	Judging bool      `json:"judging"` // the engine is still looking
	Dead    []string  `json:"dead"`
	Owner   string    `json:"owner"` // for each point, out of ".bw": territory and stones
	Black   CountSide `json:"black"`
	White   CountSide `json:"white"`
	Score   float64   `json:"score"`            // Black minus White, all included
	Differs []string  `json:"differs"`          // stones marked otherwise than the engine would
	Open    []string  `json:"open,omitempty"`   // stones that may live or die in the engine's opinion; only during counting
	Lives   bool      `json:"lives,omitempty"`  // the engine considers the first of Differs alive
	Method  string    `json:"method,omitempty"` // area or territory
}

// CountSide is one player's sum.
type CountSide struct {
	Stones    int     `json:"stones"` // area counting
	Territory int     `json:"territory"`
	Prisoners int     `json:"prisoners"` // territory counting
	Komi      float64 `json:"komi"`      // with handicap bonus
	Total     float64 `json:"total"`
}

// GameCard is a game in a list.
type GameCard struct {
	Game    string `json:"game"`
	Size    [2]int `json:"size"`
	Move    int    `json:"move"`
	Colour  string `json:"colour"`
	Seat    Seat   `json:"seat"`
	Stones  string `json:"stones"`
	Last    string `json:"last,omitempty"`
	Yours   bool   `json:"yours"` // your turn
	Phase   string `json:"phase"`
	Begun   bool   `json:"begun,omitempty"` // in a game that is not over: the player has made a move or placed a stone
	Result  string `json:"result,omitempty"`
	Counts  string `json:"counts,omitempty"` // as in GameState
	Changed int64  `json:"changed"`          // Unix seconds
	// Clock is the player's, in a game with a clock; Timing is its kind.
	Clock  *ClockState `json:"clock,omitempty"`
	Timing *Clock      `json:"timing,omitempty"`
}

// Games lists the games, newest first.
type Games struct {
	Games  []GameCard `json:"games"`
	Unread []Unread   `json:"unread,omitempty"`
}

// Unread is a file of a list that cannot be read.
type Unread struct {
	File string `json:"file"`
	Why  string `json:"why"`           // in English
	Say  *Say   `json:"say,omitempty"` // the page's sentence for Why
}
