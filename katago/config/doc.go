// Package config reads the configuration files of KataGo 1.18. It knows the syntax of the files and
// the keys of KataGo's gtp and analysis programs, with their ranges and defaults. It sets the
// parameters of a search; package katago applies the rest.
//
// # Terms
//
// A key is used once a program has read its value. For unused keys, most of which are misspelt,
// KataGo only prints a warning. Texts of errors are KataGo's, because clients show them and look
// for parts of them.
package config
