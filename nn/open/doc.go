// Package open opens networks. [Network] loads a file in the background, and optionally a second
// network that predicts human moves. [Fair] shares a network among users, [Switch] replaces it between
// searches. The caller passes the function that reads a file, such as one from package model.
package open
