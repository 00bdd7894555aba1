package config

import (
	"errors"
	"fmt"

	"kosumi/board"
)

type AnalysisSettings struct {
	Log                                Log
	Threads                            int // positions searched at the same time
	LogRequests, LogResponses          bool
	LogErrors, LogSearch, WarnUnused   bool
	Search                             Search
	Perspective                        board.Color // Empty: the side to move
	PVLen                              int         // maximum number of moves that a variation shows after its first
	StartBlackMovesAreHandicap         bool
	PreventCleanupPhase, Deterministic bool
	Network                            Network
}

// Analysis reads the settings of the analysis program. threads is the command line's value for
// numAnalysisThreads, 0 if not given. The function say gets the log's settings first, so that errors
// in other keys can be logged.
func (c *Config) Analysis(threads int, human bool, say func(Log)) (AnalysisSettings, error) {
	var s AnalysisSettings
	if threads, given := c.values["numSearchThreadsPerAnalysisThread"]; given { // another name of numSearchThreads
		if c.Has("numSearchThreads") {
			return s, errors.New("Cannot specify both numSearchThreadsPerAnalysisThread and numSearchThreads in the same config")
		}
		delete(c.values, "numSearchThreadsPerAnalysisThread")
		c.values["numSearchThreads"] = threads
	}
	s.Threads = threads
	switch {
	case threads > 0 && c.Has("numAnalysisThreads"):
		return s, fmt.Errorf("When specifying numAnalysisThreads in the config (%s), it is redundant and disallowed to also specify it via -analysis-threads", c.name)
	case threads < 0 || threads > 16384:
		return s, fmt.Errorf("Invalid value for numAnalysisThreads: %d", threads)
	case threads == 0:
		v, err := c.Get(Key{Name: "numAnalysisThreads", Kind: Int, Low: 1, High: 16384})
		if err != nil {
			return s, err
		}
		s.Threads = int(v.Int)
	}
	a := &asker{c: c}
	s.Deterministic = a.flag("forDeterministicTesting", false)
	if s.Log = a.log(true); a.err != nil {
		return s, a.err
	}
	say(s.Log)
	s.LogRequests, s.LogResponses = a.flag("logAllRequests", false), a.flag("logAllResponses", false)
	s.LogErrors, s.LogSearch, s.WarnUnused = a.flag("logErrorsAndWarnings", true), a.flag("logSearchInfo", false), a.flag("warnUnusedFields", true)
	if a.err == nil {
		s.Search, a.err = c.Search(Analysis, human)
	}
	if a.err == nil {
		s.Perspective, a.err = c.Perspective(board.Empty)
	}
	s.PVLen = a.whole("analysisPVLen", 1, 100, 15)
	s.StartBlackMovesAreHandicap = a.flag("assumeMultipleStartingBlackMovesAreHandicap", true)
	s.PreventCleanupPhase = a.flag("preventCleanupPhase", true)
	s.Network = a.network(Analysis)
	return s, a.err
}

// Parameters applies the values that kata-set-param or kata-set-params sets. It checks them alone,
// then together with the current values of other keys. c changes only if all are valid.
func (c *Config) Parameters(pairs map[string]string, since Search, threads string, human bool, was PlayOptions) (Play, PlayOptions, error) {
	alone := New(nil)
	alone.values = map[string]string{}
	alone.Override(pairs)
	if !alone.Has("numSearchThreads") {
		alone.values["numSearchThreads"] = threads
	}
	if _, err := alone.Play(human); err != nil {
		return Play{}, PlayOptions{}, err
	}
	for _, name := range []string{"dynamicPlayoutDoublingAdvantageCapPerOppLead", "avoidRepeatedPatternUtility"} {
		if _, given := pairs[name]; given {
			return Play{}, PlayOptions{}, errors.New("Cannot be overridden in kata-set-param: " + name)
		}
	}
	for _, name := range []string{"allowResignation", "ponderingEnabled", "delayMoveScale", "delayMoveMax"} {
		alone.used[name] = true
	}
	if unused := alone.Unused(); len(unused) > 0 {
		return Play{}, PlayOptions{}, errors.New("Unrecognized or non-overridable parameter in kata-set-params: " + unused[0])
	}
	all := c.overridden(pairs)
	p, err := all.Play(human)
	if err != nil {
		return Play{}, PlayOptions{}, err
	}
	m, err := all.PlayOptions(was)
	if err == nil {
		err = p.Changes(since)
	}
	if err != nil {
		return Play{}, PlayOptions{}, err
	}
	*c = *all
	return p, m, nil
}
