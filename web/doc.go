// Package web serves Kosumi's page on this machine: it plays, analyses and
// reviews games in a browser, over the messages of package web/api.
//
// The server owns games and documents; pages are views of them. Each move of a
// game is on disk before it is acknowledged, so a reload, a crash and kill -9
// lose nothing. Each request is checked first: Host and Origin must be the server's own, and
// the first message of a WebSocket carries a token that no other site knows.
//
// The packages below have their own locks: wire checks access and sends events, store keeps files,
// engines holds networks and schedules searches, reviews makes reviews and problems. This package
// has the games, the connections and the port; [Server] ties them together.
//
// Goroutines: each connection has a reader, a writer and at most one analysis;
// each game has at most one that searches. They are joined by [Server.Close].
//
// Lock order: a game's mu, then the locks of the packages below, then a connection's mu.
package web
