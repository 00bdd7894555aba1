// Package web serves Kosumi's page on this machine: it plays, analyses and
// reviews games in a browser, over the messages of package web/api.
//
// The server owns games and documents; pages are views of them. Each move of a
// game is on disk before it is acknowledged, so a reload, a crash and kill -9
// lose nothing. Who may speak with the server is settled before anything else:
// Host and Origin must be its own, and a token, which no other site knows, comes
// in the first message of a WebSocket.
//
// Goroutines: each connection has a reader, a writer and at most one analysis;
// each game has at most one that thinks. They are joined by [Server.Close]. All
// searches share the processor through the desk, which lets one search at a time
// run and orders them: a running clock first, then hints and counts, then
// analysis in slices.
//
// Lock order: Server.reading, a game's or document's mu, then Server.mu, then conn.mu.
package web
