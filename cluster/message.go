package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// Verbs of requests. The subject of a request is kosumi.VERB.ID, where ID is the public half of
// the client's key. No other client may publish to it. Beats and releases have no reply.
const (
	verbHello   = "hello"
	verbLease   = "lease"
	verbExam    = "exam"
	verbGame    = "game"
	verbNet     = "net"
	verbStatus  = "status"
	verbBeat    = "beat"
	verbRelease = "release"
	verbGate    = "gate"
	verbOutcome = "outcome"
)

func subjectOf(verb, id string) string { return "kosumi." + verb + "." + id }

// Card describes a worker to the server.
type Card struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Processor string `json:"processor,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Precision string `json:"precision,omitempty"`
	// Price is the cost of an hour of the worker, in a unit of the owners' choice; 0: none.
	Price    float64 `json:"price,omitempty"`
	Protocol [2]int  `json:"protocol"` // lowest and highest version
}

// Maximum lengths of a card's texts, in characters.
const maxWord, maxWords = 64, 128

// plain shortens a card's texts, replaces unprintable characters, and sets a bad price to 0.
func (c *Card) plain() {
	for text, most := range map[*string]int{&c.Name: maxWord, &c.Version: maxWord, &c.Processor: maxWords, &c.Provider: maxWord, &c.Precision: maxWord} {
		runes := []rune(strings.ToValidUTF8(*text, "?"))
		runes = runes[:min(len(runes), most)]
		for i, r := range runes {
			if !unicode.IsPrint(r) {
				runes[i] = '?'
			}
		}
		*text = string(runes)
	}
	if !(c.Price >= 0) {
		c.Price = 0
	}
}

// welcome answers a hello.
type welcome struct {
	Run      string `json:"run"`
	Protocol int    `json:"protocol"`
	Refused  string `json:"refused,omitempty"` // why the worker is refused; if WaitMS is 0, for good
	WaitMS   int64  `json:"wait_ms,omitempty"` // time after which a refused worker may try again
}

// Offer is the message that offers work. Its ID is a hash of the other fields.
type Offer struct {
	ID      string          `json:"id"`
	Network string          `json:"network"`
	SHA256  string          `json:"sha256,omitempty"` // "" where no network plays
	File    string          `json:"file,omitempty"`   // base name of the network's file; its extension tells the format
	Bytes   int64           `json:"bytes,omitempty"`
	Seed    uint64          `json:"seed"`
	Recipe  selfplay.Config `json:"recipe"`
}

// leaseRequest asks for numbers of games. Held are the numbers that the worker still holds.
type leaseRequest struct {
	Want int      `json:"want"`
	Held []uint64 `json:"held,omitempty"`
}

// leaseReply leases numbers, or says what the worker must do first: take an exam, wait or say hello.
type leaseReply struct {
	Offer   *Offer   `json:"offer,omitempty"`
	Numbers []uint64 `json:"numbers,omitempty"`
	Exam    *Exam    `json:"exam,omitempty"` // must be answered first
	WaitMS  int64    `json:"wait_ms,omitempty"`
	Refused string   `json:"refused,omitempty"`
	Hello   bool     `json:"hello,omitempty"` // the server does not know the worker: say hello again
}

// File is a network that workers fetch.
type File struct {
	Name   string `json:"name"` // base name; its extension tells the format
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Exam asks for a network's evaluation of positions on some boards.
type Exam struct {
	File
	Boards []selfplay.BoardShare `json:"boards"`
}

// answers are a network's evaluations of the exam's positions.
type answers struct {
	SHA256 string      `json:"sha256"`
	Policy [][]float32 `json:"policy"`
	Value  []float32   `json:"value"` // win minus loss, of the side to move
}

// upload is the header line of an uploaded game; the packed game follows it.
type upload struct {
	Offer string `json:"offer"`
}

// Verdicts on an upload.
const (
	stored    = "stored"    // the game is in the loop's folder, synced
	duplicate = "duplicate" // the game was stored before
	rejected  = "rejected"  // the game is refused for good
	later     = "later"     // the worker must send the game again
)

// receipt answers an upload, an exam or a malformed request.
type receipt struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
}

// wanted asks for a piece of a network.
type wanted struct {
	SHA256 string `json:"sha256"`
	Offset int64  `json:"offset"`
}

// beat is the periodic report of a worker.
type beat struct {
	Held    []uint64 `json:"held,omitempty"`
	Spooled int      `json:"spooled"`
	Games   int64    `json:"games"` // games finished since the worker began
	Time    float64  `json:"seconds"`
	// Processor is the processor time that the worker has used, in seconds.
	Processor float64 `json:"processor_seconds"`
}

// gateOffer offers a worker a game of a gating match.
type gateOffer struct {
	ID   string        `json:"id"`
	Game loop.GateGame `json:"game"`
	A    File          `json:"a"`
	B    File          `json:"b"`
}

// gateRequest asks for games of a gating match. Held are the games that the worker plays. Games
// that it held before and no longer lists go to other workers.
type gateRequest struct {
	Want int      `json:"want,omitempty"`
	Held []string `json:"held,omitempty"`
}

// gateReply gives games to a worker. The worker must pass the exams before it sends an outcome.
type gateReply struct {
	Games   []gateOffer `json:"games,omitempty"`
	Gone    []string    `json:"gone,omitempty"` // held games that are no longer needed
	Exams   []Exam      `json:"exams,omitempty"`
	Refused string      `json:"refused,omitempty"`
	Hello   bool        `json:"hello,omitempty"` // the server does not know the worker: say hello again
}

// gateOutcome is a game that a worker has played, or the reason why the worker cannot play it.
type gateOutcome struct {
	ID      string           `json:"id"`
	Outcome loop.GateOutcome `json:"outcome"`
	Error   string           `json:"error,omitempty"`
}

func pack(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // marshalling a message cannot fail
		panic(fmt.Sprintf("cluster: %T: %v", v, err))
	}
	return data
}

func unpack(data []byte, v any) error {
	if len(data) > maxControl {
		return fmt.Errorf("a message of %d bytes; %d are the most", len(data), maxControl)
	}
	return json.Unmarshal(data, v)
}

// leaseTime is how long a lease lasts without a sign of life.
const leaseTime = 2 * time.Minute
