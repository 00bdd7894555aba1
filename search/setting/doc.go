// Package setting describes values that users may set: each has a name, a range and an explanation,
// and for KataGo's clients a parameter: the setting under KataGo's name. Packages keep tables of
// settings over their own structs (search over its parameters, engine over its configuration, the
// command over its flags), and [Lift] turns the table of a part into rows of the whole's table.
// Command line flags, TOML files, GTP's parameters, the example file and --help are all made from
// these rows, so a new row is all that a new setting needs.
package setting
