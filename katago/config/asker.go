package config

import (
	"cmp"
	"errors"
)

// asker reads values from a config and keeps the first error.
type asker struct {
	c   *Config
	err error
}

func (a *asker) value(k Key, absent Value) Value {
	if a.err != nil {
		return absent
	}
	var v Value
	if v, a.err = a.c.GetOr(k, absent); a.err != nil {
		return absent
	}
	return v
}

func (a *asker) flag(name string, absent bool) bool {
	return a.value(Key{Name: name, Kind: Bool}, Value{Bool: absent}).Bool
}

func (a *asker) enabled(name string) string {
	return a.value(Key{Name: name, Kind: Enabled}, Value{Text: "auto"}).Text
}

func (a *asker) number(name string, low, high, absent float64) float64 {
	return a.value(Key{Name: name, Kind: Double, Low: low, High: high}, Value{Number: absent}).Number
}

func (a *asker) whole(name string, low, high, absent int) int {
	return int(a.value(Key{Name: name, Kind: Int, Low: float64(low), High: float64(high)}, Value{Int: int64(absent)}).Int)
}

func (a *asker) text(name string) string { return a.value(Key{Name: name}, Value{}).Text }

// needed reads a required key.
func (a *asker) needed(k Key) (v Value) {
	if a.err == nil {
		v, a.err = a.c.Get(k)
	}
	return v
}

// Log holds the settings of a program's log.
type Log struct {
	File, Dir, DirDated string // at most one is set
	ToStdout, ToStderr  bool
	TimeStamp, Contents bool
}

func (a *asker) log(toStderr bool) Log {
	l := Log{Contents: a.flag("logConfigContents", true)}
	l.ToStdout, l.ToStderr = a.flag("logToStdout", false), a.flag("logToStderr", toStderr)
	l.TimeStamp = a.flag("logTimeStamp", true)
	given := 0
	for _, key := range []string{"logFile", "logDir", "logDirDated"} {
		if a.c.Has(key) {
			given++
		}
	}
	if given > 1 {
		a.err = cmp.Or(a.err, errors.New("Cannot specify more than one of logFile and logDir and logDirDated in config"))
	}
	l.File, l.Dir, l.DirDated = a.text("logFile"), a.text("logDir"), a.text("logDirDated")
	return l
}
