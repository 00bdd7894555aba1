package api

// Review is a game whose review is under way or done: the content of the page of one game. Boards
// never change: the answer to the command watch has them, later messages do not.
type Review struct {
	Card ReviewCard `json:"card"`
	// Boards holds the stones of all positions, one after the other, one more than
	// there are moves.
	Boards string `json:"boards,omitempty"`
	// Moves are the moves of the game. Their judgements are present once the first pass is over.
	Moves    []ReviewMove    `json:"moves"`
	Points   []ReviewPoint   `json:"points"`   // positions that were searched
	Mistakes []int           `json:"mistakes"` // plies from 0, worst first
	Turning  []int           `json:"turning"`  // plies where the game turned
	Finest   [2][]int        `json:"finest"`   // plies of Black's and White's best moves, best first
	Groups   []ReviewGroup   `json:"groups"`   // groups with a proved status
	Players  [2]ReviewPlayer `json:"players"`  // Black, White
	Summary  string          `json:"summary,omitempty"`
	Network  string          `json:"network,omitempty"`
	Visits   int64           `json:"visits,omitempty"`
	Notes    []string        `json:"notes,omitempty"` // what was assumed or left out
}

// ReviewGroup is a group whose status is proved after move Since: dead, alive or seki, whoever
// moves first and however many ko threats there are.
type ReviewGroup struct {
	Colour  string   `json:"c"`
	Stones  []string `json:"stones"` // stones at the end, or before their capture, largest chain first
	Verdict string   `json:"verdict"`
	Since   int      `json:"since"`
	Taken   int      `json:"taken,omitempty"` // number of the move that took its last stone
	Assumed []string `json:"assumed"`         // chains that the proof assumes alive
}

// ReviewPoint is one position of the graph: Black's lead and winrate before ply
// Ply, or at the end.
type ReviewPoint struct {
	Ply     int     `json:"n"`
	Lead    float64 `json:"lead"`
	Winrate float64 `json:"w"`
	Visits  int64   `json:"v"`
}

// ReviewMove is one move. Loss is the mover's, in points; Class counts from 0, the best.
type ReviewMove struct {
	Colour      string   `json:"c"`
	Move        string   `json:"m"`
	Judged      bool     `json:"judged,omitempty"`
	Loss        float64  `json:"loss"`
	Error       float64  `json:"err,omitempty"`
	WinrateLoss float64  `json:"wl,omitempty"`
	Class       int      `json:"cls"`
	Listed      bool     `json:"listed,omitempty"` // a mistake worth a look
	Phase       string   `json:"phase,omitempty"`  // opening, middle, endgame
	Kind        string   `json:"kind,omitempty"`   // kind of mistake, see docs
	Reason      string   `json:"reason,omitempty"` // in English
	Claims      []Claim  `json:"claims,omitempty"` // claims that make up Reason, at most two
	Points      []string `json:"points,omitempty"` // points that Reason mentions
	Better      string   `json:"better,omitempty"` // the move that was best
	Line        []string `json:"line,omitempty"`   // continuation, beginning with Better
	Answer      []string `json:"answer,omitempty"` // how the mistake is punished
}

// Claim is one checked statement about a mistake; docs/review.md lists the kinds.
type Claim struct {
	Kind   string   `json:"kind"`
	After  string   `json:"after,omitempty"`  // the line that shows it: played, better, pass, ignored
	Color  string   `json:"color,omitempty"`  // colour of Stones
	Stones []string `json:"stones,omitempty"` // stones that the claim is about
	Others []string `json:"others,omitempty"` // stones that Stones are cut from or connected to
	Area   []string `json:"area,omitempty"`   // territory that changes hands
	Move   string   `json:"move,omitempty"`   // move that the claim is about
	Line   []string `json:"line,omitempty"`   // line from the position before the mistake; absent if it is Line or Answer of the move
	Region string   `json:"region,omitempty"` // part of the board
	Proved bool     `json:"proved,omitempty"`
	Only   bool     `json:"only,omitempty"`  // no other move has this effect
	Later  bool     `json:"later,omitempty"` // the line takes the stones after the move
	Of     *Claim   `json:"of,omitempty"`    // of a threat: what is threatened
}

// ReviewPlayer sums a side up.
type ReviewPlayer struct {
	Name     string             `json:"name,omitempty"`
	Rank     string             `json:"rank,omitempty"`
	Moves    int                `json:"moves"`
	Mean     float64            `json:"mean"`     // points lost a move
	Accuracy float64            `json:"accuracy"` // 0 to 100
	First    float64            `json:"first"`    // share of moves that were the first choice
	Classes  []int              `json:"classes"`  // moves of each class
	Phases   map[string]float64 `json:"phases"`   // points lost a move, by phase
	Kinds    map[string]float64 `json:"kinds"`    // points lost in all, by kind of mistake
}

// ReviewCard is a review in a list. State is waiting, running, done, partial (ended
// before its budget was used up) or refused.
type ReviewCard struct {
	Review    string        `json:"review"`
	Name      string        `json:"name"` // file name
	State     string        `json:"state"`
	Why       string        `json:"why,omitempty"`     // reason for the refusal
	Say       *Say          `json:"say,omitempty"`     // the page's sentence for Why
	Unsaved   *Error        `json:"unsaved,omitempty"` // why the findings are not saved yet; saving is retried
	Size      [2]int        `json:"size"`
	Komi      float64       `json:"komi"`
	Handicap  int           `json:"handicap,omitempty"`
	Black     string        `json:"black"`
	White     string        `json:"white"`
	BlackRank string        `json:"blackRank,omitempty"`
	WhiteRank string        `json:"whiteRank,omitempty"`
	You       string        `json:"you,omitempty"` // b, w, both or none, as player.names or player.side has said; empty: not known
	Date      string        `json:"date,omitempty"`
	Result    string        `json:"result,omitempty"`
	Moves     int           `json:"moves"`
	Cut       int           `json:"cut,omitempty"`    // moves of the record that are left out, see the notes
	Pass      int           `json:"pass,omitempty"`   // 1 or 2 while the first or second look of the review runs
	Done      int           `json:"done,omitempty"`   // positions that were searched
	Share     float64       `json:"share"`            // share of the work done, 0 to 1
	Left      float64       `json:"left,omitempty"`   // seconds, estimated; 0: not known
	Mean      [2]float64    `json:"mean"`             // points lost a move by Black, by White
	Phases    [2][3]float64 `json:"phases"`           // the same by opening, middle, endgame
	Worst     []WorstMove   `json:"worst"`            // three of a side at most, worst first
	Stones    string        `json:"stones,omitempty"` // stones at the end
	Changed   int64         `json:"changed"`          // Unix seconds
	Other     bool          `json:"other,omitempty"`  // made by a network other than the current one
}

// SaidNames lists names in records that are the player's, and names that are not: mistakes of the
// latter are not asked as problems.
type SaidNames struct {
	Mine   []string `json:"mine"`
	Others []string `json:"others"`
}

// SaidSide is the player's side in a reviewed game: b, w or none.
type SaidSide struct {
	Review string `json:"review"`
	Side   string `json:"side"`
}

// WorstMove is a mistake in a list.
type WorstMove struct {
	Colour string  `json:"c"`
	Stones string  `json:"stones,omitempty"` // stones before the mistake, only for the worst of a side
	Ply    int     `json:"n"`
	Move   string  `json:"m"`
	Loss   float64 `json:"loss"`
	Class  int     `json:"cls"`
}

// Reviews lists the reviews, newest first.
type Reviews struct {
	Reviews []ReviewCard `json:"reviews"`
	Unread  []Unread     `json:"unread,omitempty"`
	Paused  bool         `json:"paused"`
	Folder  string       `json:"folder"` // folder of the reviews
}

// ReviewProgress is the progress of a review, with the positions searched since the last message.
type ReviewProgress struct {
	Card   ReviewCard    `json:"card"`
	Points []ReviewPoint `json:"points"`
}

// AddReview queues a game that was played here, or a document, for review; files arrive by POST
// /api/import?to=review. The answer is ID.
type AddReview struct {
	Game string `json:"game,omitempty"`
	Doc  string `json:"doc,omitempty"`
}

// PauseReviews pauses or resumes all reviews.
type PauseReviews struct {
	Paused bool `json:"paused"`
}

// TryMove asks for the judgement of another move in place of a ply.
type TryMove struct {
	Review string `json:"review"`
	Ply    int    `json:"n"`
	Move   string `json:"m"`
}

// Verdict is the judgement of a move as an answer to a mistake.
type Verdict struct {
	Move     string   `json:"m"`
	Accepted bool     `json:"accepted"`
	Played   bool     `json:"played,omitempty"` // the mistake itself
	Loss     float64  `json:"loss"`
	Class    int      `json:"cls"`
	Line     []string `json:"line,omitempty"` // continuation, beginning with the move
}

// Drill is the problem that is due, and the number of those due.
type Drill struct {
	Due     int      `json:"due"`   // asked before, to be asked again now
	Fresh   int      `json:"fresh"` // never asked, and still to be asked today
	Total   int      `json:"total"`
	Next    int64    `json:"next,omitempty"` // Unix seconds when the next one is due
	Problem *Problem `json:"problem,omitempty"`
}

// Problem is a position with a better move than the one that was played.
type Problem struct {
	ID     string  `json:"id"`
	Game   string  `json:"game"` // file that it comes from
	Number int     `json:"n"`    // number of the move
	Size   [2]int  `json:"size"`
	Stones string  `json:"stones"`
	ToMove string  `json:"toMove"`
	Last   string  `json:"last,omitempty"`
	Loss   float64 `json:"loss"`
	Legal  string  `json:"legal"`
	Player string  `json:"player,omitempty"` // name of the player who made the mistake
	Yours  bool    `json:"yours,omitempty"`  // player.names says that Player is the player
	// Task is live or kill for a problem of life and death about the stones of Group, which only
	// one move solves; empty for a problem that asks for a better move. Level is 1 to 5 for
	// problems that come with the program; they come from no game.
	Task  string   `json:"task,omitempty"`
	Group []string `json:"group,omitempty"`
	Level int      `json:"level,omitempty"`
	// Against names the opponent of a game; for the engine it is the rank alone. Set is the ID of a
	// collection that the player brought along, Text its author's comment.
	Against string `json:"against,omitempty"`
	Set     string `json:"set,omitempty"`
	Text    string `json:"text,omitempty"`
	// After are the moves played since, by both sides in turn; Stones, Last and Legal describe
	// the position after them.
	After []string `json:"after,omitempty"`
}

// NextDrill asks for a problem that is due: the one after Not, which is the ID of the problem asked
// last, or the first if Not is empty. Set is one of the player's collections.
type NextDrill struct {
	Not string `json:"not,omitempty"`
	Set string `json:"set,omitempty"`
}

// ProblemSet is a collection of problems that the player brought along.
type ProblemSet struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Problems int    `json:"problems"`
	Solved   int    `json:"solved"` // problems whose last answer was right
}

// DrillAnswer answers a problem. An empty move gives up. After is as in the problem, Seconds
// what all moves took. Again is a further try, which is not graded.
type DrillAnswer struct {
	Again   bool     `json:"again,omitempty"`
	ID      string   `json:"id"`
	After   []string `json:"after,omitempty"`
	Move    string   `json:"m,omitempty"`
	Seconds float64  `json:"seconds"`
}

// DrillVerdict answers DrillAnswer. Grade is 1 to 4: again, hard, good, easy; 0 for a further try.
// The answer is on the disk; drill.grade overrules its grade until the next problem is asked for.
type DrillVerdict struct {
	// Next is the problem after the other side's answer, if the move is right and the solution
	// needs further moves. Nothing is graded yet.
	Next    *Problem `json:"next,omitempty"`
	Verdict Verdict  `json:"verdict"` // after a wrong move, its line includes the refutation
	Best    Verdict  `json:"best"`
	Text    string   `json:"text,omitempty"` // comment of the problem's author
	Played  string   `json:"played"`
	Loss    float64  `json:"loss"` // points lost by the move played in the game
	Kind    string   `json:"kind"`
	Reason  string   `json:"reason"`
	Claims  []Claim  `json:"claims,omitempty"` // claims that make up Reason
	Points  []string `json:"points,omitempty"`
	Grade   int      `json:"grade"`
	Due     [4]int64 `json:"due"` // Unix seconds when it comes again, by grade
}

// GradeDrill overrules the grade of the last answer.
type GradeDrill struct {
	ID    string `json:"id"`
	Grade int    `json:"grade"`
}
