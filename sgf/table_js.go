package sgf

import "syscall/js"

// indexed is the name of a charset that the browser decodes; own tables would take half a megabyte.
type indexed string

// tableOf returns the table of a charset and the name that it has in the WHATWG index; nil and ""
// for an unknown name.
func tableOf(name string) (t table, canonical string) {
	defer func() {
		if recover() != nil { // TextDecoder throws a RangeError for an unknown name
			t, canonical = nil, ""
		}
	}()
	canonical = js.Global().Get("TextDecoder").New(name).Get("encoding").String()
	return indexed(canonical), canonical
}

func (t indexed) decode(raw string) (string, error) {
	bytes := js.Global().Get("Uint8Array").New(len(raw))
	js.CopyBytesToJS(bytes, []byte(raw))
	return js.Global().Get("TextDecoder").New(string(t), map[string]any{"ignoreBOM": true}).Call("decode", bytes).String(), nil
}
