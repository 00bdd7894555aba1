package api

// Training lists the loops whose folders the server was started with.
type Training struct {
	Runs []TrainingRun `json:"runs"`
}

// TrainingRun is a loop of self-play and training.
type TrainingRun struct {
	Folder    string `json:"folder"`
	Error     string `json:"error,omitempty"` // why the loop cannot be read
	Running   bool   `json:"running"`
	News      int64  `json:"news"` // Unix seconds: when its folder changed last
	Arch      string `json:"arch"`
	Network   string `json:"network,omitempty"` // network that plays now; empty: random moves
	Iteration int    `json:"iteration"`
	Stage     string `json:"stage"` // selfplay, train, export or gate
	// Done of Goal units (games, rows or samples) of this stage are complete; both are 0 if there
	// is no measure. Left is in seconds; 0: unknown.
	Done  int64   `json:"done"`
	Goal  int64   `json:"goal"`
	Unit  string  `json:"unit,omitempty"`
	Left  float64 `json:"left"`
	Games int64   `json:"games"`
	Rows  int64   `json:"rows"`
	// Samples counts the rows trained on; a row counts each time it is used.
	Samples int64            `json:"samples"`
	Hours   float64          `json:"hours"` // hours of work
	Points  []TrainingPoint  `json:"points"`
	Rated   []TrainingRating `json:"rated"` // ratings measured by "engine loop rate"; may be empty
	Newest  []TrainingGame   `json:"newest"`
}

// TrainingPoint is an iteration of a loop.
type TrainingPoint struct {
	Iteration int                `json:"n"`
	Hours     float64            `json:"hours"` // hours since the beginning
	Games     int64              `json:"games"`
	Samples   int64              `json:"samples"`
	Network   string             `json:"network"` // network that the iteration made
	Promoted  bool               `json:"promoted"`
	Elo       float64            `json:"elo"`    // rating by the chain of gate matches
	Speed     float64            `json:"speed"`  // games an hour of self-play
	Length    float64            `json:"length"` // moves a game
	Losses    map[string]float64 `json:"losses"`
}

// TrainingRating is a player in a rating match. Error is Elo's 95 % error.
type TrainingRating struct {
	Name  string  `json:"name"`
	Hours float64 `json:"hours"`
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
	Other bool    `json:"other,omitempty"` // a program from outside
}

// TrainingGame is a game of the loop against itself.
type TrainingGame struct {
	Name   string   `json:"name"`
	Size   [2]int   `json:"size"`
	Result string   `json:"result"`
	Boards string   `json:"boards"` // the stones after each move, one after the other
	Moves  []string `json:"moves"`  // "B D4"
}
