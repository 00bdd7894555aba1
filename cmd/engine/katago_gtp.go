package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"kosumi/board"
	"kosumi/console"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/nn"
	"kosumi/nn/open"
	"kosumi/search"
	"kosumi/sgf"
	"kosumi/thinking"
)

// kataStandIn is the config where none is given.
const kataStandIn = "logAllGTPCommunication=false,logSearchInfo=false,numSearchThreads=16,rules=tromp-taylor,allowResignation=true,resignThreshold=-0.90,lagBuffer=1.0"

// take takes over what a config of KataGo's sets, also by the names of this
// program's own settings, such as precision = fp32.
func (s *settings) take(c *config.Config, setup *katago.Setup) error {
	s.kataGo = true
	s.Play, s.Cache, s.Batch = setup.Play, min(s.Cache, setup.Net.CacheBytes), setup.Net.Batch
	if n := setup.Net.Sessions; n > 0 {
		s.Sessions = min(n, s.sessionCount())
	}
	for _, name := range c.Unused() {
		row := table.Find(name)
		if row == nil || row.Name != name || row.Section != "" || name == "komi" { // in KataGo's files the rules alone say what komi is
			continue
		}
		v, err := c.Get(config.Key{Name: name})
		if err == nil {
			err = row.Set(s, v.Text)
		}
		if err != nil {
			return err
		}
	}
	if gpu := s.Provider != "cpu" && s.Provider != "auto"; gpu && setup.Net.FP16 == "true" {
		s.Precision = "fp16"
	} else if !gpu {
		s.Batch = min(s.Batch, 2) // KataGo's own on CPUs: more would leave sessions without work
		if c.Has("useFP16") {
			setup.Idle = append(setup.Idle, "useFP16")
		}
	}
	s.Play.Search.Parallel.Sessions = s.sessionCount()
	return s.Play.Validate()
}

// kataLogger sends the engine's own messages to the log; warnings go to people too.
func kataLogger(log *katago.Log, all bool) *slog.Logger {
	level := slog.LevelWarn
	if all {
		level = slog.LevelInfo
	}
	return console.NewLog(log.Messages(), level)
}

// kataSeat is a seat that answers as KataGo does.
type kataSeat struct {
	*engine.Engine
	net    *open.Network
	opts   *settings
	params *katago.Params
	log    *katago.Log
	memory *katago.Memory // of moves that are to be varied; nil: none
}

// TakesProfile implements katago.Seat.
func (k *kataSeat) TakesProfile() bool { return takesProfile(k.net) }

// loadRecord puts a game record on the board as KataGo does; d says what komi all
// games have, if there is one.
func (k *kataSeat) loadRecord(name string, data []byte, before int, d *katago.Dialect) error {
	was := k.Game().Rules()
	record, rules, err := katago.ReadRecord(data, was, func(line string) { k.log.Write(line); k.log.Tell(line) })
	if err != nil {
		return err
	}
	if known := supportedRules(k.net)(rules); known != rules {
		k.log.Say("WARNING: Rules " + rules.JSON() + " from sgf not supported by neural net, using " + known.JSON() + " instead")
		rules = known
	}
	if d.ForcedKomi != nil {
		rules.Komi = *d.ForcedKomi
	}
	if rules.JSON() != was.JSON() {
		k.log.Say("Changing rules to " + rules.JSON())
	}
	if err = katago.CheckRecord(record, before); err == nil {
		err = k.LoadRecord(record, rules, before)
	}
	var illegal *sgf.MoveError
	switch {
	case errors.As(err, &illegal):
		return fmt.Errorf("Illegal move in %s turn %d move %s", name, illegal.Move-1, illegal.Vertex) //nolint:staticcheck // KataGo's text
	case errors.Is(err, board.ErrSetup):
		return errors.New("setupInitialBoardAndHist: initial board position contains invalid stones or zero-liberty stones")
	}
	return err
}

// WithoutEffect implements katago.Seat.
func (k *kataSeat) WithoutEffect(idle []string) { k.log.WithoutEffect(idle) }

// kataGTP is katago gtp.
func kataGTP(ctx context.Context, f *katago.Flags) error {
	c, err := f.Config(kataStandIn)
	if err != nil {
		return err
	}
	s := defaultSettings()
	s.Model, s.HumanModel = f.Model(), f.Texts["human-model"]
	var said []string
	g, err := c.GTP(s.HumanModel != "", func(line string) { said = append(said, line) })
	log := katago.OpenLog(g.Log, c)
	defer log.Close()
	log.Write("GTP Engine starting...")
	for _, line := range said {
		log.Say(line)
	}
	if err != nil {
		return err
	}
	setup, dialect := katago.GTP(c, &g, s.Play)
	if err := s.take(c, &setup); err != nil {
		return err
	}
	s.stderr = kataLogger(log, dialect.LogSearch)
	if err := kataMissing(&s); err != nil {
		return err
	}
	net := openNetwork(&s, s.Play.Size, s.stderr)
	if err := net.Wait(); err != nil {
		return err
	}
	if rules := s.Play.Rules; supportedRules(net)(rules) != rules {
		return fmt.Errorf("Rules %s from config file %s are NOT supported by neural net", rules.JSON(), c.Name()) //nolint:staticcheck // KataGo's text
	}
	memory, err := avoid(&s.Play.Search.RepeatPenalty, setup.Avoid, log)
	if err != nil {
		return err
	}
	e, err := engine.New(s.Play, net, s.stderr)
	if err != nil {
		return err
	}
	defer e.Close()
	seat := &kataSeat{Engine: e, net: net, opts: &s, log: log, memory: memory}
	seat.params = katago.NewParams(c, &g, seat, s.HumanModel != "", s.kataNames())
	seat.greet(c, f, dialect.Quiet, setup.Idle)
	return seat.serve(ctx, f, &dialect)
}

// avoid has searches charge for moves of earlier games as a config wants it. The
// memory of the program's own moves is nil where none is kept.
func avoid(to *search.RepeatPenalty, a config.Avoid, log *katago.Log) (memory *katago.Memory, err error) {
	if to.History, err = katago.AvoidGames(a.Games, log.Write); err != nil || a.Own == nil {
		return nil, err
	}
	memory = katago.NewMemory(a.Own, log.Write)
	to.History, err = memory.Load()
	return memory, err
}

// newGame writes down the moves that were chosen, and reads them where a new game
// begins.
func (k *kataSeat) newGame(cleared bool) {
	k.memory.Save(false)
	if !cleared || !k.memory.Fresh() {
		return
	}
	cfg := k.Config()
	var err error
	if cfg.Search.RepeatPenalty.History, err = k.memory.Load(); err == nil {
		err = k.Configure(cfg)
	}
	if err != nil {
		kataLogger(k.log, false).Warn("moves of earlier games could not be read again", "err", err)
	}
}

// greet says what KataGo says once it has loaded.
func (k *kataSeat) greet(c *config.Config, f *katago.Flags, quiet bool, idle []string) {
	size, say := k.opts.Play.Size, k.log.Say
	if quiet {
		say = k.log.Write
	}
	humans := k.net.Humans()
	if humans != nil && !humans.Describe().TakesProfile {
		k.log.Say(kataUnranked)
	}
	k.log.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", size.W, size.H))
	warnings := c.Warning()
	if k.params.Profile() && !k.TakesProfile() {
		warnings = append(warnings, katago.Unprofiled(k.opts.kataNames()))
	}
	for _, line := range warnings {
		k.log.Write(line)
		k.log.Tell(line)
	}
	say("Loaded config " + c.Name())
	say("Loaded model " + k.opts.Model)
	if k.opts.HumanModel != "" {
		say("Loaded human SL model " + k.opts.HumanModel)
	}
	f.LogOverrides(k.log)
	say("Model name: " + k.net.Describe().Name)
	if humans != nil {
		say("Human SL model name: " + humans.Describe().Name)
	}
	say("GTP ready, beginning main protocol loop")
	if humans != nil && !c.Has("humanSLProfile") && humans.Describe().TakesProfile {
		k.log.Say(kataUnset)
	}
	k.WithoutEffect(idle)
}

// serve answers a client.
func (k *kataSeat) serve(ctx context.Context, f *katago.Flags, d *katago.Dialect) error {
	version := config.Release
	for _, model := range modelInfos(k.net) {
		version += "+" + katago.ShortName(model.InternalName)
	}
	as := &gtp.KataGo{
		Engine: k, Version: version, Params: k.params, PVLen: d.PVLen,
		MaxSize: config.MaxSize, ForcedKomi: d.ForcedKomi, Perspective: d.Perspective, Say: k.log.Say,
		Supports: func(r board.Rules) bool { return supportedRules(k.net)(r) == r },
		Benchmark: func(ctx context.Context, size, visits int, to *gtp.Reply) error {
			return katago.Benchmark(ctx, k.net, k.Config().Search, k.params.Threads(), board.Square(size), int64(visits), to)
		},
	}
	as.LoadSGF = func(name string, data []byte, before int) error { return k.loadRecord(name, data, before, d) }
	if k.memory != nil {
		as.Chosen, as.NewGame = k.memory.Chosen, k.newGame
		defer k.memory.Save(true)
	}
	if text, ok := f.Texts["override-version"]; ok {
		as.Version = text
	}
	opts := gtp.Options{KataGo: as, Models: k.models}
	if d.Chat {
		opts.Chat = func(line string) { fmt.Fprintln(os.Stderr, line) }
	}
	if d.NoLimit {
		as.Clock = &gtp.TimeSettings{System: gtp.TimeByoyomi, Main: time.Second, Period: 5 * time.Second, Periods: 5}
		if err := k.SetClock(*as.Clock); err != nil {
			return err
		}
	}
	in, out := k.log.Copy(os.Stdin, word(d.LogCommands, "Controller: "), os.Stdout, word(d.LogCommands, "KataGo: "))
	server := gtp.NewServer(k, k.opts.stderr, opts)
	err := serveClient(ctx, k.opts, k.net, "", func(ctx context.Context) error { return server.Serve(ctx, in, out) })
	k.log.Write("All cleaned up, quitting")
	return err
}

// word returns a word where it is wanted.
func word(wanted bool, text string) string {
	if wanted {
		return text
	}
	return ""
}

// models names the networks as they were named on the command line.
func (k *kataSeat) models() []thinking.ModelInfo {
	list := modelInfos(k.net)
	for i, name := range []string{k.opts.Model, k.opts.HumanModel}[:min(2, len(list))] {
		list[i].Name = name
	}
	return list
}

// takesProfile reports whether a network that is loaded takes profiles.
func takesProfile(n nn.Network) bool {
	_, any := nn.Profiled(n)
	return any
}

// kataNames are the networks' files as messages name them.
func (s *settings) kataNames() string {
	if s.HumanModel == "" {
		return s.Model
	}
	return s.Model + " and " + s.HumanModel
}

// What KataGo says of a network of human moves.
const (
	kataUnranked    = "WARNING: Human model was not trained from SGF metadata to vary by rank! Did you pass the wrong model for -human-model?\n"
	kataUnset       = "WARNING: Provided -human-model but humanSLProfile was not set in the config or overrides. The human SL model will not be used until it is set in the config or at runtime via kata-set-param."
	kataUnsetDuring = "Warning: Provided -human-model but humanSLProfile is not yet set. The human SL model will only be used on queries that provide humanSLProfile in overrideSettings."
)
