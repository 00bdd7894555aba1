// Package handout writes single HTML files that can be mailed. They use the same components as the
// web page of the command engine web. A program built without npm cannot write them.
package handout

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// ErrNotBuilt says that the program was built without the bundle of scripts.
var ErrNotBuilt = errors.New("this program was built without its page: HTML files are left out (make build, which needs npm)")

// bundle holds the script and the style sheet that go into each HTML file, and the licences of the script's libraries.
type bundle struct{ script, style, licences []byte }

var load = sync.OnceValues(func() (bundle, error) {
	script, err1 := unpack("dist/handout.js.gz")
	style, err2 := unpack("dist/handout.css.gz")
	licences, err3 := unpack("dist/licences.txt.gz")
	return bundle{script, style, licences}, cmp.Or(err1, err2, err3)
})

func unpack(name string) ([]byte, error) {
	data, err := dist.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotBuilt
	}
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// Built returns nil if the program has the bundle, else [ErrNotBuilt].
func Built() error {
	_, err := load()
	return err
}

// Data is the HTML tag that precedes the JSON data in a file that [Write] makes.
const Data = `<script type="application/json" id="data">`

// Write writes an HTML file that shows data under a title. A field of data tells the script which
// kind of data it is. The file needs no network and no other file. Without the bundle of scripts
// the error is [ErrNotBuilt].
func Write(w io.Writer, title string, data any) error {
	b, err := load()
	if err != nil {
		return err
	}
	text, err := json.Marshal(data) // escapes text that could end a script element
	if err != nil {
		return err
	}
	for _, part := range [][]byte{
		[]byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"), []byte(html.EscapeString(title)), []byte("</title>\n<style>\n"),
		b.style, []byte("</style>\n</head>\n<body>\n<div id=\"app\"></div>\n" + Data), text, []byte("</script>\n<script>\n"), b.script, []byte("</script>\n<script type=\"text/plain\" id=\"licences\">\n"), b.licences, []byte("</script>\n</body>\n</html>\n"),
	} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("cannot write the page: %w", err)
		}
	}
	return nil
}
