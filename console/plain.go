package console

import (
	"regexp"
	"strings"
)

// words replaces what Go's library says by what it means.
var words = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`(?:stat|lstat|open|mkdir|fork/exec|read|access|CreateFile) ([^:\n]+): (no such file or directory|permission denied|is a directory|not a directory|file exists|read-only file system|The system cannot find the (?:file|path) specified|Access is denied)`), "$1: $2"},
	{regexp.MustCompile(`exec: "([^"]+)": executable file not found in \S+`), "there is no program $1"},
	{regexp.MustCompile(`exec: no command`), "no program is named"},
	{regexp.MustCompile(`listen tcp: (?:address|lookup) ([^:]+): missing port in address`), "cannot listen on $1: HOST:PORT is wanted, or :PORT"},
	{regexp.MustCompile(`listen tcp: lookup (\S+?):? .*`), "cannot listen on $1: there is no such machine"},
	{regexp.MustCompile(`listen tcp \S+: bind: address already in use`), "something listens on this port already: name another"},
	{regexp.MustCompile(`listen tcp (\S+): bind: (?:cannot assign requested address|The requested address is not valid in its context.)`), "cannot listen on $1: this machine has no such address"},
	{regexp.MustCompile(`listen tcp (\S+): bind: (?:permission denied|An attempt was made to access a socket .*)`), "cannot listen on $1: this port is not for everybody, take one from 1024 up"},
	{regexp.MustCompile(`invalid character (.+) (?:looking for|after|in) .*`), "no JSON (at $1)"},
	{regexp.MustCompile(`strconv\.\w+: parsing ("[^"]*"): (?:invalid syntax|value out of range)`), "$1 is not a number"},
	{regexp.MustCompile(`flag needs an argument: (?:'\w' in )?(--?\w[\w-]*)`), "$1 needs a value"},
	{regexp.MustCompile(`\n\s*`), "; "},
}

// Plain says an error in one line, without the words of Go's library.
func Plain(text string) string {
	text = strings.TrimSpace(text)
	for _, w := range words {
		text = w.of.ReplaceAllString(text, w.by)
	}
	return text
}
