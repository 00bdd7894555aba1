package config

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// maxFile bounds the size of a config file, in bytes.
const maxFile = 16 << 20

// reader reads a file and the files that it includes into a Config.
type reader struct {
	files    fs.FS
	to       map[string]string
	main     string   // file named by the user
	included []string // files included so far
	folders  []string // folders of the files on the current chain of includes
}

// place is a file and line, for messages.
type place struct {
	file string
	line int
}

func (p place) fault(format string, args ...any) error {
	return fmt.Errorf("%s, line %d in '%s'", fmt.Sprintf(format, args...), p.line, p.file)
}

// spaces are the characters trimmed around keys and values, and the byte order mark of a file.
const spaces = " \t\r\v\f\ufeff"

// read reads the file at path. Errors in its lines show name instead of path.
func (r *reader) read(name, path string) error {
	f, err := r.files.Open(path)
	if err != nil {
		return fmt.Errorf("Could not open file %s - does not exist or invalid permissions?", path)
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxFile))
	lines.Buffer(nil, maxFile)
	seen := map[string]bool{}
	for at := (place{name, 1}); lines.Scan(); at.line++ {
		if err := r.line(strings.Trim(lines.Text(), spaces), at, seen); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("Could not read file %s: %w", path, err)
	}
	return nil
}

func (r *reader) line(text string, at place, seen map[string]bool) error {
	switch {
	case text == "" || text[0] == '#':
		return nil
	case text[0] == '@':
		return r.directive(text, at)
	}
	key, value, ok := keyValue(text)
	if !ok {
		return at.fault("Could not parse key value pair")
	}
	if seen[key] {
		return fmt.Errorf("Key '%s' + was specified multiple times in %s, you probably didn't mean to do this, please delete one of them", key, at.file)
	}
	seen[key] = true
	r.to[key] = value
	return nil
}

// directive reads a line that begins with @. Only @include is supported.
func (r *reader) directive(text string, at place) error {
	text, _, _ = strings.Cut(text, "#")
	const shortest = len("@include ")
	if len(text) < shortest {
		return at.fault("Unsupported @ directive")
	}
	const separators = " \t\v\f="
	i := strings.IndexAny(text, separators)
	if i < 0 {
		return at.fault("@ directive without value (key-val separator is not found)")
	}
	if word := text[:i]; word != "@include" {
		return at.fault("Unsupported @ directive '%s'", word)
	}
	value := strings.TrimLeft(text[i:], separators)
	if value == "" {
		return at.fault("@ directive without value (value after key-val separator is not found)")
	}
	return r.include(strings.Trim(strings.Trim(strings.Trim(value, spaces), "'"), `"`), at)
}

// include reads an included file; at is the place of the @include line.
func (r *reader) include(name string, at place) error {
	if name == r.main || slices.Contains(r.included, name) {
		return at.fault("Circular or multiple inclusion of the same file: '%s'", name)
	}
	r.included = append(r.included, name)
	path := strings.Join(r.folders, "") + name
	if dir := folder(name); dir != "" {
		if dir[0] == '/' || dir[0] == '\\' {
			return fmt.Errorf("Absolute paths in the included files are not supported yet")
		}
		r.folders = append(r.folders, dir)
		defer func() { r.folders = r.folders[:len(r.folders)-1] }()
	}
	return r.read(name, path)
}

// folder returns a path up to and including its last separator.
func folder(path string) string { return path[:strings.LastIndexAny(path, `/\`)+1] }

// keyValue reads "key = value # comment".
func keyValue(line string) (key, value string, ok bool) {
	end := strings.IndexFunc(line, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	})
	if end < 0 {
		return "", "", false
	}
	key = line[:end]
	rest, found := strings.CutPrefix(strings.TrimLeft(line[end:], spaces), "=")
	if !found || key == "" {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, spaces)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		value, rest, ok = unquote(quoted)
		rest = strings.Trim(rest, spaces)
		return key, value, ok && value != "" && (rest == "" || rest[0] == '#')
	}
	rest, _, _ = strings.Cut(rest, "#")
	value = strings.Trim(rest, spaces)
	return key, value, value != ""
}

// unquote reads up to the next quotation mark; a backslash escapes the character after it.
func unquote(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}

// Pairs reads "key=value, key=value", the form of -override-config. Values cannot contain commas.
func Pairs(text string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, piece := range strings.Split(text, ",") {
		piece = strings.Trim(piece, spaces)
		if piece == "" {
			continue
		}
		key, value, ok := strings.Cut(piece, "=")
		if !ok {
			return nil, fmt.Errorf("Could not parse kv pair, could not find '=' in:%s", piece)
		}
		pairs[strings.Trim(key, spaces)] = strings.Trim(value, spaces)
	}
	return pairs, nil
}
