package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/katagocfg"
)

// kataStandIn is the config where none is given.
const kataStandIn = "logAllGTPCommunication=false,logSearchInfo=false,numSearchThreads=16,rules=tromp-taylor,allowResignation=true,resignThreshold=-0.90,lagBuffer=1.0"

// kataSeat is a seat that answers as KataGo does.
type kataSeat struct {
	*seat
	conf     *katagocfg.Config
	g        *katagocfg.GTPSettings
	start    katagocfg.Search // what the program began with
	play     katagocfg.Play
	manners  katagocfg.Manners
	settings *settings
	human    bool
}

// kataGTP is katago gtp.
func kataGTP(ctx context.Context, f *kataFlags) error {
	c, err := f.config(kataStandIn)
	if err != nil {
		return err
	}
	human := f.texts["human-model"] != ""
	var log *kataLog
	var said []string
	g, err := c.GTP(human, func(line string) { said = append(said, line) })
	log = openKataLog(g.Log, c)
	defer log.close()
	log.write("GTP Engine starting...")
	for _, line := range said {
		log.say(line)
	}
	if err != nil {
		return err
	}
	s, idle, err := kataSettings(&g, c)
	if err != nil {
		return err
	}
	s.Model, s.HumanModel = f.model(), f.texts["human-model"]
	s.stderr = log.logger(g.LogSearch)
	if err := s.engineConfig().Validate(); err != nil {
		return err
	}
	return kataServe(ctx, f, &s, c, &g, log, idle)
}

// kataServe loads the network, greets and serves.
func kataServe(ctx context.Context, f *kataFlags, s *settings, c *katagocfg.Config, g *katagocfg.GTPSettings, log *kataLog, idle []string) error {
	size := s.Play.Size
	net := openNetwork(s, size, s.stderr)
	if err := net.wait(); err != nil {
		return err
	}
	if rules := g.Rules; net.SupportedRules(rules) != rules {
		return fmt.Errorf("Rules %s from config file %s are NOT supported by neural net", rules.JSON(), c.Name()) //nolint:staticcheck // KataGo's text
	}
	e, err := engine.New(s.engineConfig(), net, s.stderr)
	if err != nil {
		return err
	}
	defer e.Close()
	seat := &kataSeat{seat: &seat{Engine: e, net: net, opts: s}, conf: c, g: g, start: g.Play.Search, play: g.Play, manners: g.Manners, settings: s, human: s.HumanModel != ""}
	say := log.say
	if !g.Greet {
		say = log.write
	}
	seat.greet(f, say, log, idle)
	model, _ := net.info(size, 0)
	version := katagocfg.Release + "+" + shortName(model.InternalName)
	if text, ok := f.texts["override-version"]; ok {
		version = text
	}
	opts := gtp.Options{KataGo: seat.dialect(version, log)}
	if g.OGSChat {
		opts.Chat = func(line string) { fmt.Fprintln(os.Stderr, line) }
	}
	server := gtp.NewServer(seat, s.stderr, opts)
	if opts.KataGo.Clock != nil {
		if err := seat.SetClock(*opts.KataGo.Clock); err != nil {
			return err
		}
	}
	var in io.Reader = os.Stdin
	var out io.Writer = os.Stdout
	if g.LogCommands {
		in, out = &tee{r: in, word: "Controller: ", log: log}, &tee{w: out, word: "KataGo: ", log: log}
	}
	err = serveClient(ctx, s, net, "", func(ctx context.Context) error { return server.Serve(ctx, in, out) })
	log.write("All cleaned up, quitting")
	return err
}

// greet says what KataGo says once it has loaded.
func (k *kataSeat) greet(f *kataFlags, say func(string), log *kataLog, idle []string) {
	size := k.settings.Play.Size
	say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", size.W, size.H))
	for _, line := range k.conf.Warning() {
		log.write(line)
		fmt.Fprintln(os.Stderr, line)
	}
	if k.play.Search["humanSLProfile"].Text != "" && !k.net.kataProfile(size, k.settings.HumanModel) {
		log.write(k.unprofiled())
		fmt.Fprintln(os.Stderr, k.unprofiled())
	}
	model, _ := k.net.info(size, 0)
	say("Loaded config " + k.conf.Name())
	say("Loaded model " + k.settings.Model)
	if k.human {
		say("Loaded human SL model " + k.settings.HumanModel)
	}
	say("Model name: " + model.InternalName)
	say("GTP ready, beginning main protocol loop")
	warnIdle(slog.New(newPlainHandler(lines(log.say), slog.LevelWarn)), k.conf, idle)
}

// unprofiled is what KataGo says of a profile that no network takes.
func (k *kataSeat) unprofiled() string {
	return "WARNING: humanSLProfile is specified as config param but model(s) don't use it: " + k.settings.Model
}

// dialect says how the server answers.
func (k *kataSeat) dialect(version string, log *kataLog) *gtp.KataGo {
	d := &gtp.KataGo{
		Engine: k.Engine, Version: version, Params: k, PVLen: k.g.PVLen, MaxSize: katagocfg.MaxSize, ForcedKomi: k.g.ForcedKomi, Say: log.say,
		Supports:  func(r board.Rules) bool { return k.net.SupportedRules(r) == r },
		LagBuffer: func() float64 { return k.play.Search["lagBuffer"].Number },
		Benchmark: func(ctx context.Context, size, visits int, to *gtp.Reply) error {
			return k.benchmark(ctx, board.Square(size), int64(visits), to)
		},
	}
	switch k.g.Perspective {
	case "black":
		d.Perspective = board.Black
	case "white":
		d.Perspective = board.White
	}
	if k.g.NoLimit {
		d.Clock = &gtp.TimeSettings{System: gtp.TimeByoyomi, Main: time.Second, Period: 5 * time.Second, Periods: 5}
	}
	return d
}

// Names implements gtp.KataGoParams.
func (k *kataSeat) Names() []string { return slices.Concat(katagocfg.OwnNames, k.play.Names()) }

// JSON implements gtp.KataGoParams.
func (k *kataSeat) JSON() string { return k.conf.ParamsJSON(k.play, k.manners) }

// Get implements gtp.KataGoParams.
func (k *kataSeat) Get(name string) (string, bool) { return k.conf.Param(k.play, k.manners, name) }

// Set implements gtp.KataGoParams.
func (k *kataSeat) Set(values map[string]string) error {
	threads := strconv.FormatInt(k.play.Search["numSearchThreads"].Int, 10)
	next := k.conf.Clone()
	play, manners, err := next.Parameters(values, k.start, threads, k.human, k.manners)
	if err != nil {
		return err
	}
	if _, given := values["humanSLProfile"]; given && play.Search["humanSLProfile"].Text != "" && !k.net.kataProfile(k.Game().Size(), k.settings.HumanModel) {
		return fmt.Errorf("%s\n", k.unprofiled()) //nolint:staticcheck // KataGo's text
	}
	s := *k.settings
	idle := s.kataPlay(play)
	s.kataManners(manners)
	if next.Has("playoutDoublingAdvantage") && !next.Has("dynamicPlayoutDoublingAdvantageCapPerOppLead") {
		s.Play.HandicapAdvantage = 0
	}
	if err := k.Engine.Configure(s.engineConfig()); err != nil {
		return err
	}
	*k.settings, k.conf, k.play, k.manners = s, next, play, manners
	idle = slices.DeleteFunc(idle, func(name string) bool { _, given := values[name]; return !given })
	warnIdle(s.stderr, next, idle)
	return nil
}

// Models names the network as it was named on the command line.
func (k *kataSeat) Models() []gtp.ModelInfo {
	list := k.seat.Models()
	for i := range list[:min(1, len(list))] {
		list[i].Name = k.settings.Model
	}
	return list
}
