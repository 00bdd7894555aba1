package api

// AskLife asks whether stones live, in a position of a game tree, or of a game that is over or
// reviewed. The answer is LifeAsked; findings arrive as life.state.
type AskLife struct {
	Doc    string   `json:"doc,omitempty"`
	Node   int      `json:"node,omitempty"`
	Game   string   `json:"game,omitempty"`
	Review string   `json:"review,omitempty"`
	Ply    int      `json:"n,omitempty"` // moves played in the game or review
	Stones []string `json:"stones"`      // stones of one colour, one of each chain
	// All means that the attacker must capture all of the stones; if absent, one is enough.
	All bool `json:"all,omitempty"`
	// Assume names chains that are alive by assumption; if absent, the chains that are not
	// enclosed.
	Assume  []string `json:"assume"`
	Seconds float64  `json:"seconds,omitempty"` // time limit; 0: 30
}

// LifeAsked numbers a question.
type LifeAsked struct {
	Ask int `json:"ask"`
}

// LifeState holds the findings on this connection's last question. Ask is 0 if there was none.
type LifeState struct {
	Ask     int        `json:"ask"`
	Colour  string     `json:"c,omitempty"` // colour of the stones
	Target  []string   `json:"target"`      // a stone of each chain
	Assumed []string   `json:"assumed"`     // a stone of each chain that is alive by assumption
	Busy    bool       `json:"busy"`        // the search continues
	Cards   []LifeCard `json:"cards"`       // Black first, White first; empty at first
	Seconds float64    `json:"seconds"`     // time spent
	Error   *Error     `json:"error,omitempty"`
}

// LifeCard is the answer for one side to move first, without ko threats.
type LifeCard struct {
	First   string `json:"first"`
	Verdict string `json:"verdict"` // dead, alive, seki, held (not taken), repetition, unknown
	Proved  bool   `json:"proved"`
	// Moves are first moves that reach the verdict. Every reports that all other moves are proved
	// to fail.
	Moves []string `json:"moves"`
	Every bool     `json:"every"`
	// Threats is the lead in ko threats that Who needs for the result Then; with AtLeast, a lower
	// bound. -1: no number is enough; 0: ko threats do not change the verdict, or their effect is not
	// known.
	Threats int      `json:"threats,omitempty"`
	AtLeast bool     `json:"atLeast,omitempty"`
	Who     string   `json:"who,omitempty"`
	Then    string   `json:"then,omitempty"` // a verdict; empty where no number is known to be enough
	Ko      string   `json:"ko,omitempty"`   // kind of the ko, in English
	Line    []string `json:"line,omitempty"` // moves of the ko; ! marks a retake that costs a threat
	Zone    []string `json:"zone"`           // points that the proof depends on
	Plays   bool     `json:"plays"`          // life.play can play against it
	// Alive is a network's probability that the stones live, if there is no proof.
	Alive *float64 `json:"alive,omitempty"`
}

// PlayLife plays against the proof of a card. Moves are the reader's own, in order. If the
// winning side moves first, the first of Moves is its move; after that the proof plays for the
// winning side.
type PlayLife struct {
	Ask   int      `json:"ask"`
	First string   `json:"first"`
	Moves []string `json:"moves"`
}

// LifeStep is the state of a line that is played against a proof.
type LifeStep struct {
	Ask    int      `json:"ask"`
	First  string   `json:"first"`
	Moves  []string `json:"moves"` // as in PlayLife
	Line   []string `json:"line"`  // all moves, including the proof's; a pass is a move elsewhere
	Stones string   `json:"stones"`
	ToMove string   `json:"toMove"`
	Legal  string   `json:"legal"`            // for each point: "1" where a move may change something
	Winner string   `json:"winner,omitempty"` // side whose moves are the proof's; empty before the first
	// Elsewhere reports that the last move lies outside the fight.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// End says why the line is over: taken, alive, doomed (no room for two eyes is left), stands (both
	// pass, and the stones live), no life (both pass, and they do not), unknown (the first move was
	// not searched to the end).
	End string `json:"end,omitempty"`
}
