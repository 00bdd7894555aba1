package console

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words replaces error messages of Go's library by plain ones.
var words = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`(?:stat|lstat|open|read|access|CreateFile) ((?:[A-Za-z]:)?[^:\n]+): (?:no such file or directory|The system cannot find the (?:file|path) specified\.?)`), "no file $1"},
	{regexp.MustCompile(`fork/exec ([^:\n]+): no such file or directory`), "there is no program $1"},
	{regexp.MustCompile(`(?:stat|lstat|open|mkdir|fork/exec|read|access|CreateFile) ([^:\n]+): (no such file or directory|permission denied|is a directory|not a directory|file exists|read-only file system|The system cannot find the (?:file|path) specified|Access is denied)`), "$1: $2"},
	{regexp.MustCompile(`exec: "([^"]+)": executable file not found in \S+`), "there is no program $1"},
	{regexp.MustCompile(`exec: no command`), "no program is named"},
	{regexp.MustCompile(`listen tcp: (?:address|lookup) ([^:]+): missing port in address`), "cannot listen on $1: HOST:PORT is wanted, or :PORT"},
	{regexp.MustCompile(`listen tcp: lookup (\S+?):? .*`), "cannot listen on $1: there is no such machine"},
	{regexp.MustCompile(`listen tcp \S*:(\d+): bind: (?:address already in use|Only one usage of each socket address .*)`), "another program listens on port $1: name another port"},
	{regexp.MustCompile(`listen tcp (\S+): bind: (?:cannot assign requested address|The requested address is not valid in its context.)`), "cannot listen on $1: this machine has no such address"},
	{regexp.MustCompile(`listen tcp (\S+): bind: (?:permission denied|An attempt was made to access a socket .*)`), "cannot listen on $1: this port is not for everybody, take one from 1024 up"},
	{regexp.MustCompile(`invalid character (.+) (?:looking for|after|in) .*`), "no JSON (at $1)"},
	{regexp.MustCompile(`json: cannot unmarshal (\w+) into Go .*`), "JSON of another kind (at its $1)"},
	{regexp.MustCompile(`strconv\.\w+: parsing ("[^"]*"): (?:invalid syntax|value out of range)`), "$1 is not a number"},
	{regexp.MustCompile(`flag needs an argument: (?:'\w' in )?(--?\w[\w-]*)`), "$1 needs a value"},
}

// mostLine is the length in bytes at which Plain drops further lines. A text of twice that length is cut.
const mostLine = 320

// Plain formats an error as one line, in plain words. Of many lines it keeps the first few and the
// last.
func Plain(text string) string {
	text = strings.TrimSpace(text)
	for _, w := range words {
		text = w.of.ReplaceAllString(text, w.by)
	}
	faults := lineEnd.Split(text, -1)
	text = faults[0]
	for k, f := range faults[1:] {
		if left := len(faults) - 2 - k; left > 0 && len(text)+len(f) > mostLine {
			text += fmt.Sprintf("; %d more; %s", left, faults[len(faults)-1])
			break
		}
		text += "; " + f
	}
	if len(text) > 2*mostLine {
		text = text[:mostLine] + " ... " + text[len(text)-mostLine/2:]
	}
	return Line(text)
}

var (
	lineEnd = regexp.MustCompile(`\n\s*`)
	// one matches a count of 1 with a plural noun, such as "1 games".
	one = regexp.MustCompile(`(^|[^\w.,:+-])(1 (?:different |wrong |more )?(?:game|row|sample|step|move|label|file|iteration|problem|position|opening|stone|point|visit|session|worker|thread|core|pair|evaluation|round|rank|task|upload|network|setting))s\b`)
)

// Line escapes invalid and control characters, and writes counts of one in the singular.
func Line(text string) string {
	text = one.ReplaceAllString(text, "$1$2")
	if !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// Writer writes counts of one in the singular, if one call of Write has both count and noun.
type Writer struct{ io.Writer }

func (w Writer) Write(text []byte) (int, error) {
	if _, err := w.Writer.Write(one.ReplaceAll(text, []byte("$1$2"))); err != nil {
		return 0, err
	}
	return len(text), nil
}
