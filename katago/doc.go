// Package katago lets an engine replace KataGo: it applies KataGo's configuration files to an
// engine, keeps the parameters that clients change over GTP, and measures speed as KataGo's
// benchmark does.
//
// Everything in the program that imitates KataGo is in this package and those below it: config
// reads the files and applies their settings to a search, commands answers GTP, cli is the
// command line. Lower packages do not know of them.
//
// # Keys
//
// Every key that KataGo 1.18 reads either changes something here, or is returned as idle, so that
// the program can name it once. testdata/keys.txt lists them all.
package katago
