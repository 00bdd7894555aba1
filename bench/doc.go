// Package bench measures networks and searches: how fast a network is alone and in
// search, which numbers of sessions, batches and workers suit a machine, and how
// far short searches foresee what long ones choose, and which problems are solved.
package bench
