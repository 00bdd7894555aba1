// Package api holds the messages of Kosumi's page and of other programs that
// speak with `engine web`: the types of their fields, and all events. Package web
// registers the commands, by these types. schema.json follows from both and
// describes the messages for everybody else; the TypeScript types of the page
// follow from it. docs/web-api.md explains the messages.
//
// Every message is one JSON object: {"t": name, ...}. A client sends commands
// {"t","id","d"} and gets {"t":"ok","re","d"} or {"t":"err","re","d"}; the server
// also sends events {"t","d"} on its own. Moves are GTP's vertices ("D4",
// "pass"), colours "b" and "w", points count row by row from the top left, stones
// are a string of W*H characters out of ".bw". Winrates are Black's, in [0,1],
// leads Black's, in points, unless a comment says otherwise.
package api

import (
	"encoding/json"
)

// Version of the protocol. Fields and messages may be added within a version; their meaning never
// changes.
const Version = 1

// Subprotocol is the WebSocket subprotocol that a client must request.
const Subprotocol = "kosumi.v1"

// Command is what a client sends. ID is unique for the client: a command repeated within ten
// minutes with the same ID gets the same answer and does nothing.
type Command struct {
	T  string          `json:"t"`
	ID string          `json:"id,omitempty"`
	D  json.RawMessage `json:"d,omitempty"`
}

// Event is what the server sends: an answer, which has Re, or news. F numbers
// the frames of a stream: a client acknowledges them, see Ack.
type Event struct {
	T  string `json:"t"`
	Re string `json:"re,omitempty"`
	F  int64  `json:"f,omitempty"`
	D  any    `json:"d,omitempty"`
}

// Hello is a client's first message, within five seconds.
type Hello struct {
	Token  string `json:"token,omitempty"`
	Key    string `json:"key,omitempty"` // one-time key, answered with the token
	API    []int  `json:"api"`
	Client string `json:"client"` // random, one for each tab
}

// Welcome answers Hello.
type Welcome struct {
	API      int       `json:"api"`
	Version  string    `json:"version"`
	Build    string    `json:"build"` // build of the page that this server serves
	Token    string    `json:"token,omitempty"`
	Networks []Network `json:"networks"`
	Engine   Engine    `json:"engine"`
	Features []string  `json:"features"` // of "drills", "levels", "life", "networks", "review", "training"
	// Loss holds the losses, in points, from which a move belongs to the next worse class.
	Loss   []float64 `json:"loss"`
	Levels []Level   `json:"levels"`         // levels on any board; levels.on lists those of one board
	Fits   []Fit     `json:"fits"`           // the player's known levels
	Said   string    `json:"said,omitempty"` // the rank that the player claims, if a board still uses it
	Rules  []Rules   `json:"rules"`
	Folder string    `json:"folder"` // folder of the games
}

// Level is one strength that the engine can play at.
type Level struct {
	ID   string `json:"id"`   // "12k", "1d"
	Rank int    `json:"rank"` // 1d is 0, 1k is -1, 2d is 1
	// Measured reports whether the rank was measured on this board in games against another
	// program. Otherwise it is extrapolated.
	Measured bool `json:"measured"`
	// Next is set in levels.on for the level of the player's next adaptive game.
	Next bool `json:"next,omitempty"`
}

// OnBoard asks for the levels that the network serves on a board; the answer lists them,
// the weakest first.
type OnBoard struct {
	Size [2]int `json:"size"` // columns, rows
}

// PlayerRank is the rank that the player claims; the first games begin at that rank.
type PlayerRank struct {
	Rank string `json:"rank"` // "12k"
}

// Fit is the estimate of the player's level on one board size: it lies between Low and High with
// a probability of 80 %.
type Fit struct {
	Size  string  `json:"size"` // "9x9"
	Low   string  `json:"low"`
	Mid   string  `json:"mid"`
	High  string  `json:"high"`
	Games float64 `json:"games"` // number of games that counted
	// Judged is the number of reviewed games whose moves counted.
	Judged int    `json:"judged,omitempty"`
	Was    string `json:"was,omitempty"`  // Mid before the last game
	Next   string `json:"next,omitempty"` // level of the next adaptive game; set only after a game
}

// Rules names a rule set and its usual komi.
type Rules struct {
	ID   string  `json:"id"`
	Komi float64 `json:"komi"`
}

// Network is one that the server can play and analyse with.
type Network struct {
	Name  string `json:"name"`
	Sizes string `json:"sizes"` // "any", or for example "9x9"
	Human bool   `json:"human"` // has a policy of human players
	InUse bool   `json:"inUse"`
	// BuiltIn marks the network inside the program, which plays on boards up to 19x19.
	BuiltIn bool   `json:"builtIn,omitempty"`
	Detail  string `json:"detail"`
	Bytes   int64  `json:"bytes,omitempty"` // size of the file; 0 for the built-in network
	// Removable reports whether the network is a file in the folder of networks.
	Removable bool `json:"removable,omitempty"`
	// Speed was measured when the network was downloaded or uploaded; absent for other networks.
	Speed *NetworkSpeed `json:"speed,omitempty"`
}

// NetworkSpeed is how fast this machine runs a network.
type NetworkSpeed struct {
	Size  string  `json:"size"`  // board size, such as 19x19
	Evals float64 `json:"evals"` // evaluations a second
}

// NetworkList holds the networks, and the jobs that add more.
type NetworkList struct {
	Networks []Network    `json:"networks"`
	Jobs     []NetworkJob `json:"jobs"`
	Folder   string       `json:"folder"`
}

// NetworkJob is a network that is being added. State is asking (for Latest), fetching, checking
// (its sha256), trying, stopped (it can be resumed), failed, or ready (for Latest).
type NetworkJob struct {
	Name   string  `json:"name"`             // file name; Latest until the file is known
	Latest string  `json:"latest,omitempty"` // as in FetchNetwork
	URL    string  `json:"url,omitempty"`    // empty for a browser's upload
	SHA256 string  `json:"sha256,omitempty"`
	State  string  `json:"state"`
	Done   int64   `json:"done"`            // bytes
	Total  int64   `json:"total,omitempty"` // 0: not known
	Speed  float64 `json:"speed,omitempty"` // bytes a second
	Error  string  `json:"error,omitempty"`
	Say    *Say    `json:"say,omitempty"` // the page's sentence for Error
}

// FetchNetwork asks for a network from an https address, with its sha256. Without an address the
// network is KataGo's: Latest names the strongest or the newest one, and KataGo's training site
// supplies address and sha256.
type FetchNetwork struct {
	URL    string `json:"url,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Latest string `json:"latest,omitempty"`
}

// NetworkName names the file of a network.
type NetworkName struct {
	Name string `json:"name"`
}

// Engine is the state of the engine.
type Engine struct {
	State     string  `json:"state"` // loading, ready, failed
	Name      string  `json:"name"`
	Provider  string  `json:"provider"`
	Precision string  `json:"precision"`
	Why       string  `json:"why"`
	Speed     float64 `json:"speed"` // visits a second lately
	Error     string  `json:"error,omitempty"`
	Say       *Say    `json:"say,omitempty"`  // the page's sentence for Error
	Slow      bool    `json:"slow,omitempty"` // runs without onnxruntime
}

// Watch asks for the present state of a topic, and for every change. Topics are "games",
// "game:ID", "doc:ID", "docs", "engine", "training", "reviews", "review:ID", "profile",
// "networks", "life", and "you", which sends no changes.
type Watch struct {
	What string `json:"what"`
}

// Visible reports whether anybody can see the page.
type Visible struct {
	Visible bool `json:"visible"`
}

// Ping asks for Pong, to compare clocks.
type Ping struct {
	T0 float64 `json:"t0"`
}

// Pong carries the server's clock in milliseconds.
type Pong struct {
	T0 float64 `json:"t0"`
	T1 float64 `json:"t1"`
}

// Ack names the frame that was painted last.
type Ack struct {
	F int64 `json:"f"`
}

// ID names a game, document or review. Known reports that it existed before.
type ID struct {
	ID    string `json:"id"`
	Known bool   `json:"known,omitempty"`
}
