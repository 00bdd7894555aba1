// Package cluster distributes the games of one loop to many machines over NATS: games of
// self-play and of gating matches.
//
// A game counts when it is stored in the loop's folder and synced. Until that is confirmed, the
// worker keeps the game on its own disk. Number, recipe and network determine a game, so any
// worker may play it and it may arrive several times; it is stored once. The server replays
// every game on its own board, makes the training rows from the replay, and evaluates a sample
// of positions again. This finds broken workers. It does not find a skilful forger, and need
// not, since workers belong to the loop's owner.
//
// A client proves its identity: it connects with its own key and sends requests to subjects that
// end in the key's public half. The broker lets no other client publish there or read the client's
// inbox. Only the server communicates with all clients; clients see each other under shortened
// names, which prove nothing.
package cluster

// Protocol versions that this program speaks, highest and lowest. A worker and a server use the
// highest version that both speak.
const (
	Protocol    = 1
	ProtocolMin = 1
)

// Limits that keep one side from filling the other's memory.
const (
	maxGame    = 1 << 20   // bytes of a game, packed
	maxControl = 1 << 18   // bytes of any other request
	piece      = 512 << 10 // bytes of a network in one message
	maxNetwork = 2 << 30   // bytes of a network: no ONNX file has more
	maxLease   = 1024      // maximum of game numbers in one lease
)
