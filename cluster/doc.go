// Package cluster has the games of one loop played by many machines, over NATS: those of
// self-play, and those of its gating matches.
//
// The loop's folder is the only truth, NATS only carries: a game counts when it
// lies in that folder, synced, and a worker keeps it on its own disk until it is
// told so. A game is named by its number, and number, recipe and network make the
// game, so it does not matter who plays it, or how often it arrives: it is stored
// once. The server replays every game on its own board, makes the training rows from
// that, and asks the network again about a sample: this finds workers that are broken.
// Against one that lies with skill there is no check; workers are the owner's own.
//
// Identity is proved, never told: a client connects with a key of its own, asks by
// subjects that end in the key's public half, to which the broker lets nobody else
// publish, and reads an inbox that nobody else may read. The server alone speaks with
// everybody; of each other clients see names that prove nothing.
package cluster

// Protocol versions that this program speaks; a worker and a server agree on the
// highest that both do.
const (
	Protocol    = 1
	ProtocolMin = 1
)

// Limits that keep one side from filling the other's memory.
const (
	maxGame    = 1 << 20   // bytes of a game, packed
	maxControl = 1 << 18   // bytes of any other request
	piece      = 512 << 10 // bytes of a network that travel at a time
	maxNetwork = 2 << 30   // bytes of a network: no ONNX file has more
	maxLease   = 1024      // numbers handed out at a time
)
