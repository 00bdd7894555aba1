//go:build !js

package sgf

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// indexed decodes a charset by one of the encodings in golang.org/x/text/encoding.
type indexed struct{ encoding.Encoding }

// tableOf returns the table of a charset and the name that it has in the WHATWG index; nil and ""
// for an unknown name.
func tableOf(name string) (t table, canonical string) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, ""
	}
	canonical, _ = htmlindex.Name(e) // every entry of the index has a name
	return indexed{e}, canonical
}

func (t indexed) decode(raw string) (string, error) { return t.NewDecoder().String(raw) }
