package api

import (
	"fmt"
	"strings"
)

// Say is a sentence of the page, in every language under the key say_KEY. With holds the values
// of its placeholders by name.
type Say struct {
	Key  string            `json:"key"`
	With map[string]string `json:"with,omitempty"`
	// Cause is a sentence of the page that replaces {why}; if nil, With["why"] replaces it, in English.
	Cause *Say `json:"cause,omitempty"`
}

// Sentences are the English texts of the errors that pages show, by key.
var Sentences = map[string]string{
	"sgf_none":       "it is not a game record",
	"sgf_page":       "it is a page for the browser: open it there, and choose the game's .sgf file here",
	"sgf_large":      "it is too large (limit {n} MB)",
	"sgf_nodes":      "it has too many moves and properties",
	"sgf_size":       "boards have 2 to 25 lines a side",
	"sgf_moves":      "its moves cannot be played ({why})",
	"sgf_bad":        "it cannot be read ({why})",
	"record_not_go":  "it is not a game of Go",
	"record_empty":   "it has no moves",
	"backup_torn":    "the file is damaged: a part of it is missing",
	"backup_newer":   "it was made by a newer Kosumi ({by}): update this one first",
	"backup_large":   "it is too large (limit {n} MB)",
	"backup_odd":     "it is not a backup that Kosumi made ({name})",
	"zip_empty":      "there is no game record in it",
	"net_board":      "the network in use does not know boards of {board}",
	"no_levels":      "this network has no levels on {board}",
	"no_level":       "there is no level {level} on {board}: {low} to {high}",
	"handicap":       "{n} handicap stones do not go on a {board} board",
	"komi":           "komi {komi}: a multiple of 0.5 within {most}",
	"clock":          "these times are out of range: {why}",
	"limits":         "visits or seconds of a move are out of range",
	"nothing_back":   "there is nothing to take back",
	"nothing_on":     "there is nothing to redo",
	"no_time_back":   "too late to take that back: your thinking since then exceeds the time your clock had left",
	"not_looked":     "this move was not analysed",
	"note_long":      "a note has at most {n} bytes",
	"tree_full":      "the tree has {n} nodes, the most allowed",
	"root_stays":     "the beginning cannot be deleted",
	"marks_many":     "more marks than points",
	"name_long":      "a name has at most {n} bytes",
	"names_many":     "at most {n} names",
	"search_long":    "a search has at most {n} bytes",
	"profile":        "{file} was damaged ({why}). It is kept as {aside}; a new one has been begun.",
	"levels":         "{why}. It is kept as {aside}; your rank starts over.",
	"profile_unread": "{file} cannot be read: {why}",
	"net_name":       "the file of a network ends in {endings}; its name consists of letters, digits, dots and dashes",
	"net_coming":     "{name} is being fetched already",
	"net_there":      "there is a network of that name already: remove it first",
	"net_gone":       "there is no network of that name",
	"net_https":      "the address of a network begins with https://",
	"net_sha":        "a sha256 has 64 hexadecimal digits",
	"net_large":      "the file has more than {n} GB",
	"net_stop":       "stop it first",
	"net_used":       "this network is in use: choose another one first",
	"net_foreign":    "this network is not in the folder of networks",
	"net_redirect":   "the address leads to one that is not https",
	"net_redirects":  "too many redirects",
	"net_again":      "the part fetched so far does not fit the file: starting over",
	"net_status":     "the server answers {status}",
	"net_other":      "the file is another one: its sha256 is {sum}. It was removed",
	"net_broken":     "the file is not a network that works here: {why}. It was removed",
	"net_boards":     "it serves none of the boards of 19x19, 13x13, 9x9 and 7x7",
	"net_short":      "the file ends too early",
	"net_size":       "the file is another one: it does not have the {n} bytes that were announced. It was removed",
	"net_latest":     "choose strongest or newest",
	"net_answer":     "{host} did not name a network; its page for people is {page}",
	"net_page":       "the browser may not fetch it from {host}, or there is no connection",

	"own_problems": "Problems taken: {n}.",
	"own_games":    "Games, to be reviewed: {n}.",
	"own_unsolved": "Positions without an answer, left out: {n}.",
	"own_position": "This position has no answer: it is opened for analysis.",
	"own_turned":   "Problems whose record names the wrong side to move: {n}. The side that begins the answers moves first.",
	"own_broken":   "Records that cannot be read: {n}.",

	"cause_full":        "the disk is full",
	"cause_readonly":    "the disk is read-only",
	"cause_gone":        "{file} does not exist",
	"cause_denied":      "there is no permission for {file}",
	"cause_name":        "the name {host} cannot be looked up: check the address and the connection",
	"cause_unreachable": "the server cannot be reached: check the connection",
	"cause_refused":     "the server refuses the connection",
	"cause_reset":       "the connection broke off",
	"cause_time":        "no answer came in time",
	"cause_certificate": "the server's certificate is not trusted",
}

// Tell returns an error that pages show as the sentence with this key. The arguments after the key are
// names and values in turn; the page translates a value that is an error if it can.
func Tell(code, key string, with ...any) error {
	e := Error{Code: code, Text: Sentences[key], Say: &Say{Key: key}}
	for i := 0; i+1 < len(with); i += 2 {
		if e.Say.With == nil {
			e.Say.With = map[string]string{}
		}
		if err, ok := with[i+1].(error); ok {
			e.Say.Cause = Cause(err)
		}
		name, value := fmt.Sprint(with[i]), fmt.Sprint(with[i+1])
		e.Say.With[name] = value
		e.Text = strings.ReplaceAll(e.Text, "{"+name+"}", value)
	}
	return e
}

// Warned adds an error about a damaged file to the warnings; nil adds nothing.
func (p *Profile) Warned(err error) {
	if err == nil {
		return
	}
	p.Warn = strings.TrimSpace(p.Warn + " " + err.Error())
	if s := Said(err); s != nil {
		p.Says = append(p.Says, *s)
	}
}

// String is the sentence in English.
func (s *Say) String() string {
	text := Sentences[s.Key]
	for name, value := range s.With {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// Said is the sentence of an error, or of its cause; nil if it has none.
func Said(err error) *Say {
	if say := AsError(err).Say; say != nil {
		return say
	}
	return Cause(err)
}
