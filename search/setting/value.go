package setting

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errValue stands for any bad value; Setting.set replaces it with an explanation.
var errValue = errors.New("bad value")

// in parses a number and checks it against Low and High. NaN is refused.
func (i *Info) in(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= i.Low && x <= i.High) {
		return 0, errValue
	}
	return x, nil
}

// unit is the number that the field holds when the setting is 1, as 1<<20 for a setting in MiB.
func (i *Info) unit() int64 { return max(i.Unit, 1) }

// parsed is a field that accepts every text that read can parse.
type parsed[F any] struct {
	at   *F
	read func(string) (F, error)
}

func (v parsed[F]) String() string { return fmt.Sprint(*v.at) }
func (v parsed[F]) check() bool    { return true }
func (v parsed[F]) Set(text string) error {
	x, err := v.read(text)
	if err == nil {
		*v.at = x
	}
	return err
}

type text struct{ at *string }

func (v text) String() string     { return *v.at }
func (v text) check() bool        { return true }
func (v text) Set(s string) error { *v.at = s; return nil }

// word is a text field that takes one of several words, in any case.
type word struct {
	at    *string
	words []string
}

func (v word) String() string { return *v.at }
func (v word) check() bool    { return slices.Contains(v.words, *v.at) }
func (v word) Set(text string) error {
	i := indexFold(v.words, text)
	if i < 0 {
		return errValue
	}
	*v.at = v.words[i]
	return nil
}

func indexFold(words []string, text string) int {
	return slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, text) })
}

// enum is a field that is an index into words.
type enum[F ~uint8 | ~int8] struct {
	at    *F
	words []string
}

func (v enum[F]) String() string {
	if !v.check() {
		return strconv.Itoa(int(*v.at))
	}
	return v.words[*v.at]
}
func (v enum[F]) check() bool { return int(*v.at) >= 0 && int(*v.at) < len(v.words) }
func (v enum[F]) Set(text string) error {
	i := indexFold(v.words, text)
	if i < 0 {
		return errValue
	}
	*v.at = F(i)
	return nil
}

// real is a number, or a duration in seconds.
type real[F float32 | float64 | time.Duration] struct {
	at   *F
	info Info
	unit float64 // the field's value for a setting of 1
}

func (v real[F]) value() float64 { return float64(*v.at) / v.unit }
func (v real[F]) check() bool    { return v.value() >= v.info.Low && v.value() <= v.info.High }
func (v real[F]) String() string {
	bits := 64
	if _, single := any(*v.at).(float32); single {
		bits = 32
	}
	return strconv.FormatFloat(v.value(), 'g', -1, bits)
}
func (v real[F]) Set(text string) error {
	x, err := v.info.in(text)
	if err == nil {
		*v.at = F(x * v.unit)
	}
	return err
}

type whole[F int | int64] struct {
	at   *F
	info Info
}

func (v whole[F]) value() float64 { return float64(int64(*v.at) / v.info.unit()) }
func (v whole[F]) String() string { return strconv.FormatInt(int64(*v.at)/v.info.unit(), 10) }
func (v whole[F]) check() bool    { return v.value() >= v.info.Low && v.value() <= v.info.High }
func (v whole[F]) Set(text string) error {
	x, err := v.info.in(text)
	if err != nil || x != math.Trunc(x) || math.Abs(x)*float64(v.info.unit()) >= 1<<63 {
		return errValue
	}
	*v.at = F(int64(x) * v.info.unit())
	return nil
}

// own is a field that itself converts between its value and text; it allows every value.
type own struct{ Value }

func (own) check() bool { return true }
