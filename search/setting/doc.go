// Package setting describes values that users may set: each has a name, a range and an explanation.
// KataGo's clients see each as a parameter, with KataGo's name and form of the value. Packages keep
// tables of settings over their own structs (search over its parameters, engine over its
// configuration, the command over its flags); [Lift] makes them rows of the whole program's table.
// Command line flags, TOML files, GTP's parameters, the example file and --help are all made from
// these rows, so a new row is all that a new setting needs.
package setting
