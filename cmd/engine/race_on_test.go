//go:build race

package main

// raceFlags build the program that the tests run with the race detector too.
var raceFlags = []string{"-race"}
