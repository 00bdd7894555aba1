// Package bench measures networks and searches: how fast a network is alone and in
// search, and which numbers of sessions, batches and workers suit a machine.
package bench
