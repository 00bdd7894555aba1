// Package setting describes values that users may set: each has a name, a
// range, an explanation, and the name that KataGo and its clients give it, its
// parameter. Packages keep tables of them over their own structs
// (search over its parameters, engine over its configuration, the command over
// all that its flags say), and a table of a part becomes rows of the whole's
// ([Lift]). Command line flags, TOML files, GTP's parameters, the
// example file and --help are all made from these rows, so a new row is all that
// a new setting needs.
package setting
