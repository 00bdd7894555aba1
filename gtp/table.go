package gtp

import (
	"context"
	"slices"
)

// HandlerFunc carries out a command and writes the text of its reply to r. An error becomes the
// failure reply: the error's text, on one line, replaces the text written to r. ctx ends when the command
// should hurry: on "# interrupt", when the client leaves and, if the handler has ByInput set, at the
// next line.
type HandlerFunc func(ctx context.Context, c Command, r *Reply) error

// Handler is an entry of a [Table].
type Handler struct {
	Name    string
	Run     HandlerFunc
	Hidden  bool // works but is not listed
	ByInput bool // any input line ends it
	args    int  // how many arguments it takes; 0: it checks them itself
	usage   usage
}

// Table holds the commands of a [Server], in the order of list_commands. It must not change while
// the server runs. The zero value is an empty table.
type Table struct {
	order  []string
	byName map[string]Handler
}

// Add adds commands; each replaces an existing command of the same name.
func (t *Table) Add(list ...Handler) {
	if t.byName == nil {
		t.byName = map[string]Handler{}
	}
	for _, h := range list {
		if _, known := t.byName[h.Name]; !known {
			t.order = append(t.order, h.Name)
		}
		t.byName[h.Name] = h
	}
}

// Find returns the command with a name; known is false if there is none.
func (t *Table) Find(name string) (h Handler, known bool) {
	h, known = t.byName[name]
	return h, known
}

// Listed returns the names of all commands that are not hidden, in the order of list_commands.
func (t *Table) Listed() []string {
	return slices.DeleteFunc(slices.Clone(t.order), func(name string) bool { return t.byName[name].Hidden })
}

// Wrap replaces the functions of the named commands by what wrap returns for them.
func (t *Table) Wrap(wrap func(HandlerFunc) HandlerFunc, names ...string) {
	for _, name := range names {
		if h, known := t.byName[name]; known {
			h.Run = wrap(h.Run)
			t.byName[name] = h
		}
	}
}

// Keep drops all commands that are in neither list. list_commands shows the commands in listed, in
// this order, and not those in hidden.
func (t *Table) Keep(listed, hidden []string) {
	old := *t
	*t = Table{}
	for _, name := range slices.Concat(listed, hidden) {
		if h, known := old.byName[name]; known {
			h.Hidden = !slices.Contains(listed, name)
			t.Add(h)
		}
	}
}
