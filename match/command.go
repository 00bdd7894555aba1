package match

import (
	"errors"
	"runtime"
	"strings"
)

// SplitCommand cuts a command line into words as a POSIX shell does, with
// single quotes, double quotes and backslashes, but expands nothing. On Windows
// a backslash is a character of a path, except before a double quote.
func SplitCommand(line string) ([]string, error) {
	return splitWords(line, runtime.GOOS == "windows")
}

func splitWords(line string, pathBackslash bool) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'':
			next := byte(0)
			if i+1 < len(line) {
				next = line[i+1]
			}
			keep := pathBackslash && next != '"' || quote == '"' && !strings.ContainsRune("\"\\$`\n", rune(next))
			if !keep && next == 0 {
				return nil, errors.New("backslash at the end")
			}
			if keep {
				word.WriteByte(c)
			} else {
				word.WriteByte(next)
				i++
			}
			inWord = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("quote is never closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("no program named")
	}
	return words, nil
}
