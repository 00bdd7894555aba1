// Package web serves Kosumi's page on this machine: it plays, analyses and
// reviews games in a browser, over the messages of package web/api.
//
// The server owns games and documents; pages are views of them. Each move of a
// game is on disk before it is acknowledged, so a reload, a crash and kill -9
// lose nothing. Requests are checked before anything else: Host and Origin must be
// its own, and a token, which no other site knows, comes in the first message of a
// WebSocket.
//
// Its parts have packages and locks of their own: wire (who may speak, who is told), store
// (files), engines (networks, and who searches when), reviews (with the problems they make).
// This package has the games, the connections and the port. [Server] puts them together and
// answers requests.
//
// Goroutines: each connection has a reader, a writer and at most one analysis;
// each game has at most one that thinks. They are joined by [Server.Close].
//
// Lock order: a game's mu, then the parts' own, then a connection's.
package web
