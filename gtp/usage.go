package gtp

// usage is a command's entry in the manual: its arguments, its effect, and the program that
// defines it.
type usage struct{ args, does, from string }

const (
	standard = "GTP 2"
	byKataGo = "KataGo"
	byLeela  = "Leela Zero"
	byGoGui  = "GoGui"
	byKGS    = "KGS"
	byGNUGo  = "GNU Go"
	byGomill = "gomill"
	byUs     = "Kosumi"
)

const analyzeArgs = "[COLOR] [CENTISECONDS] [KEY VALUE]..."
