// Package clock keeps a player's thinking time: the settings of a game, the remaining time, time
// losses, and the time that the next move should take. The engine, the web page, the referee of
// matches and GTP share it.
package clock

import (
	"errors"
	"fmt"
	"time"
)

// System is a way to limit a player's time.
type System uint8

// The time systems that GTP, KGS and KataGo have commands for.
const (
	None          System = iota // no limit
	Absolute                    // main time only
	Canadian                    // after main time: Stones moves in each Period
	Byoyomi                     // after main time: Periods periods, one move each
	Fischer                     // each move adds Increment
	CappedFischer               // Fischer, with limits on the bank and on each move
)

// names are the systems' names in kgs-time_settings and kata-time_settings.
var names = [...]string{"none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"}

func (s System) String() string { return names[s] }

// Settings is the time limit of a game, the same for both players. The zero value
// is no limit.
type Settings struct {
	System    System
	Main      time.Duration
	Period    time.Duration // length of an overtime period
	Stones    int           // Canadian: moves to play in a period
	Periods   int           // byo-yomi: number of periods
	Increment time.Duration // Fischer
	MainLimit time.Duration // capped Fischer: the most that the bank can hold; negative: no limit
	MoveLimit time.Duration // capped Fischer: longest move; negative: no limit
}

// ErrSettings is the error for impossible settings.
var ErrSettings = errors.New("bad time settings")

// maxDuration bounds every duration, so that sums do not overflow.
const maxDuration = 10_000 * time.Hour

// Normalize returns settings that a clock can use: negative times, which some GTP controllers
// send, become zero, and overtime without stones, periods or time becomes [Absolute] time.
func (s Settings) Normalize() (Settings, error) {
	clamp := func(d *time.Duration) { *d = min(max(*d, 0), maxDuration) }
	clamp(&s.Main)
	clamp(&s.Period)
	clamp(&s.Increment)
	s.MainLimit = min(s.MainLimit, maxDuration)
	s.MoveLimit = min(s.MoveLimit, maxDuration)
	switch {
	case s.System > CappedFischer:
		return s, fmt.Errorf("%w: unknown time system", ErrSettings)
	case s.System == Canadian && s.Stones < 0:
		return s, fmt.Errorf("%w: %d stones a period", ErrSettings, s.Stones)
	case s.System == Byoyomi && s.Periods < 0:
		return s, fmt.Errorf("%w: %d periods", ErrSettings, s.Periods)
	case s.System == CappedFischer && s.MainLimit >= 0 && s.MainLimit < s.Main:
		return s, fmt.Errorf("%w: the cap on main time is below main time", ErrSettings)
	case s.hasOvertime() && (s.count() == 0 || s.Period == 0):
		s.System = Absolute
	}
	return s, nil
}

func (s Settings) hasOvertime() bool { return s.System == Canadian || s.System == Byoyomi }

// count returns the number of byo-yomi periods, or the stones of a Canadian period.
func (s Settings) count() int {
	if s.System == Byoyomi {
		return s.Periods
	}
	return s.Stones
}
