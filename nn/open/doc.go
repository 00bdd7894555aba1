// Package open makes of a network file a network that runs: [Network] loads it in the
// background, with one of human moves beside it where that is wanted. [Fair] shares a
// network among users, and [Switch] has another one follow it between searches.
//
// How a file is read is the caller's to say, see package model.
package open
