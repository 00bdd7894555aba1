// Package open opens networks: [Network] loads a file in the background, and a second one
// of human moves if there is one. [Fair] shares a network among users, [Switch] replaces it
// between searches. The caller passes the function that reads a file, see package model.
package open
