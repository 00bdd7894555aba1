package api

import "encoding/json"

// Node is one node of a game tree. The root's ID is 0.
type Node struct {
	ID       int      `json:"id"`
	Parent   int      `json:"parent"` // -1 for the root
	Children []int    `json:"children,omitempty"`
	Colour   string   `json:"c,omitempty"` // colour of the move
	Move     string   `json:"m,omitempty"`
	Black    []string `json:"b,omitempty"` // set-up stones
	White    []string `json:"w,omitempty"`
	Empty    []string `json:"e,omitempty"`
	Turn     string   `json:"pl,omitempty"`
	Note     string   `json:"note,omitempty"`
	Marks    []Mark   `json:"marks,omitempty"`
	Bad      string   `json:"bad,omitempty"` // why the node cannot be played
}

// Mark is a mark on a point: kind is tr, sq, cr, ma or lb.
type Mark struct {
	Kind  string `json:"k"`
	Point string `json:"p"`
	Label string `json:"l,omitempty"`
}

// Doc is a game tree to analyse.
type Doc struct {
	Doc    string  `json:"doc"`
	Rev    int     `json:"rev"`
	Size   [2]int  `json:"size"`
	Rules  string  `json:"rules"`
	Komi   float64 `json:"komi"`
	Black  string  `json:"black"`
	White  string  `json:"white"`
	Title  string  `json:"title"`
	Date   string  `json:"date"`
	Result string  `json:"result"`
	Nodes  []Node  `json:"nodes"`
	At     int     `json:"at"`             // node that the reader last viewed
	Warn   string  `json:"warn,omitempty"` // what was repaired or left out
}

// DocChange is what changed in a document.
type DocChange struct {
	Doc   string  `json:"doc"`
	Rev   int     `json:"rev"`
	Rules string  `json:"rules"`
	Komi  float64 `json:"komi"`
	Set   []Node  `json:"set"`
	Gone  []int   `json:"gone,omitempty"`
}

// NewDoc makes an empty document, or one from a played game; the answer is ID.
type NewDoc struct {
	Size  [2]int   `json:"size"`
	Rules string   `json:"rules,omitempty"`
	Komi  *float64 `json:"komi,omitempty"`
	Game  string   `json:"game,omitempty"`
	SGF   string   `json:"sgf,omitempty"`
}

// TreeOp changes a game tree: op is play, delete, promote, note, setup, marks,
// goto or info. The answer to play and setup is the node's id (NodeRef).
type TreeOp struct {
	Doc   string   `json:"doc"`
	Op    string   `json:"op"`
	Node  int      `json:"node"`
	Move  string   `json:"move,omitempty"`
	Line  []string `json:"line,omitempty"` // play: several moves, one after the other
	C     string   `json:"c,omitempty"`    // play: colour; empty: the side to move
	Note  string   `json:"note,omitempty"`
	Black []string `json:"b,omitempty"`
	White []string `json:"w,omitempty"`
	Empty []string `json:"e,omitempty"`
	Turn  string   `json:"pl,omitempty"`
	Marks []Mark   `json:"marks,omitempty"`
	Rules string   `json:"rules,omitempty"`
	Komi  *float64 `json:"komi,omitempty"`
}

// NodeRef names a node.
type NodeRef struct {
	Node int `json:"node"`
}

// DocCard is a document in a list.
type DocCard struct {
	Doc     string `json:"doc"`
	Size    [2]int `json:"size"`
	Title   string `json:"title"`
	Moves   int    `json:"moves"`
	Changed int64  `json:"changed"`
}

// Docs lists documents, newest first.
type Docs struct {
	Docs   []DocCard `json:"docs"`
	Unread []Unread  `json:"unread,omitempty"`
}

// Analyse sets this connection's analysis. Off stops it.
type Analyse struct {
	Doc    string `json:"doc"`
	Node   int    `json:"node"`
	On     bool   `json:"on"`
	Visits int64  `json:"visits"` // visits at which to stop; 0: no limit
	// Steady also stops when the first move and the lead have not changed for
	// three seconds.
	Steady    bool `json:"steady,omitempty"`
	Ownership bool `json:"ownership,omitempty"`
	Policy    bool `json:"policy,omitempty"`
	// Human asks for the policy of a player such as rank_5k; it needs a network of
	// human moves, see Network.
	Human   string   `json:"human,omitempty"`
	Threads int      `json:"threads,omitempty"` // 0: as the server was started
	Moves   int      `json:"moves,omitempty"`   // largest number of candidates; 0: 12
	Avoid   []string `json:"avoid,omitempty"`
	Allow   []string `json:"allow,omitempty"`
	// Focus are moves that get half of all playouts. These playouts do not count towards Visits.
	// The moves are listed even if that makes more candidates than Moves.
	Focus []string `json:"focus,omitempty"`
}

// Candidate is a move that the search considers.
type Candidate struct {
	Move    string   `json:"m"`
	Visits  int64    `json:"v"`
	Winrate float64  `json:"w"`    // for the side to move
	Lead    float64  `json:"lead"` // for the side to move
	Loss    float64  `json:"loss"` // points lost compared with the first candidate
	Class   int      `json:"cls"`  // class of the loss, from 0
	Prior   float64  `json:"p"`
	PV      []string `json:"pv"`
	// Mirrors are the points equal to this move by symmetry; its visits are the sum over all of them.
	Mirrors []string `json:"mirrors,omitempty"`
}

// Frame is a state of an analysis: only the newest counts.
type Frame struct {
	Doc       string      `json:"doc"`
	Node      int         `json:"node"`
	Visits    int64       `json:"visits"`
	Speed     float64     `json:"speed"`
	Winrate   float64     `json:"winrate"`
	Lead      float64     `json:"lead"`
	Spread    float64     `json:"spread"` // standard deviation of the score
	Moves     []Candidate `json:"moves"`
	Ownership string      `json:"own,omitempty"`    // as in Estimate
	Policy    string      `json:"policy,omitempty"` // base64 of uint8, square root of the probability, 255 is 1
	Human     string      `json:"human,omitempty"`  // as Policy
	Final     string      `json:"final,omitempty"`  // why it ended: visits, steady, stopped, memory, failed
	Error     string      `json:"error,omitempty"`
}

// Imported answers POST /api/import for each file.
type Imported struct {
	Name  string `json:"name"`
	ID    string `json:"id,omitempty"`
	Known bool   `json:"known,omitempty"` // the item existed before
	Error string `json:"error,omitempty"`
	Say   *Say   `json:"say,omitempty"` // the page's sentence for Error
	// Kind is the kind of ID: doc, review, or problem, where ID is the first of Problems. Says
	// tells how the records of the file were classified.
	Kind     string `json:"kind,omitempty"`
	Problems int    `json:"problems,omitempty"`
	Says     []Say  `json:"says,omitempty"`
}

// Restored answers POST /api/restore: the content of a backup, and the part that is missing here. Both are
// counted by kind: games, reviews, docs, problems, answers, and rest (names, lessons, days, ranks).
type Restored struct {
	Made     int64           `json:"made"` // Unix seconds
	By       string          `json:"by"`   // version of the program that made it
	Names    []string        `json:"names"`
	Other    bool            `json:"other"` // the backup seems to be another player's
	Fresh    map[string]int  `json:"fresh"`
	All      map[string]int  `json:"all"`
	Damaged  []string        `json:"damaged,omitempty"` // damaged files, which are left out
	Settings json.RawMessage `json:"settings,omitempty"`
	Records  []Imported      `json:"records,omitempty"` // records in a ZIP that is not a backup
	Error    string          `json:"error,omitempty"`
	Say      *Say            `json:"say,omitempty"` // the page's sentence for Error
}
