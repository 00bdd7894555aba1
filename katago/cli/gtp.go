package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/clock"
	"kosumi/gtp"
	"kosumi/katago"
	"kosumi/katago/commands"
	"kosumi/katago/config"
	"kosumi/nn/open"
	"kosumi/search/thinking"
	"kosumi/sgf"
)

// session holds an engine that answers GTP as KataGo does, with its settings, networks and log.
type session struct {
	host   Host
	set    config.GTPSettings
	engine *engine.Engine
	net    *open.Network
	files  katago.Files
	params *katago.Params
	log    *katago.Log
	stderr *slog.Logger
}

// loadRecord sets up a position of a game record as KataGo does, with the forced komi if there is
// one.
func (k *session) loadRecord(name string, data []byte, before int) error {
	was := k.engine.Game().Rules()
	record, rules, err := katago.ReadRecord(data, was, k.log.Both)
	if err != nil {
		return err
	}
	if known := katago.RulesOf(k.net)(rules); known != rules {
		k.log.Say("WARNING: Rules " + rules.JSON() + " from sgf not supported by neural net, using " + known.JSON() + " instead")
		rules = known
	}
	if k.set.ForcedKomi != nil {
		rules.Komi = *k.set.ForcedKomi
	}
	if rules.JSON() != was.JSON() {
		k.log.Say("Changing rules to " + rules.JSON())
	}
	if err = katago.CheckRecord(record, before); err == nil {
		err = k.engine.LoadRecord(record, rules, before)
	}
	var illegal *sgf.MoveError
	switch {
	case errors.As(err, &illegal):
		return fmt.Errorf("Illegal move in %s turn %d move %s", name, illegal.Move-1, illegal.Vertex) //nolint:staticcheck // KataGo's wording
	case errors.Is(err, board.ErrSetup):
		return errors.New("setupInitialBoardAndHist: initial board position contains invalid stones or zero-liberty stones")
	}
	return err
}

func playGTP(ctx context.Context, h Host, f *katago.Flags) error {
	c, err := f.Config(StandIn)
	if err != nil {
		return err
	}
	k := &session{host: h, files: katago.Files{Model: f.Model(), HumanModel: f.Texts["human-model"]}}
	var said []string
	k.set, err = c.GTP(k.files.HumanModel != "", func(line string) { said = append(said, line) })
	k.log = katago.OpenLog(k.set.Log, c)
	defer k.log.Close()
	for _, line := range said {
		k.log.Say(line)
	}
	if err != nil {
		return err
	}
	setup := katago.GTP(c, &k.set, *h.Play())
	if err := h.Take(c, &setup); err != nil {
		return err
	}
	k.stderr = logger(h, k.log, k.set.LogSearch)
	if err := k.open(c); err != nil {
		return err
	}
	defer k.engine.Close()
	k.params = katago.NewParams(c, &k.set, k.engine, k.files, takesProfile(k.net), k.log)
	k.greet(c, setup.Idle)
	return k.serve(ctx, f)
}

// open loads the networks and makes the engine.
func (k *session) open(c *config.Config) (err error) {
	if err := missing(k.files); err != nil {
		return err
	}
	play := k.host.Play()
	k.net = k.host.Open(k.files, k.host.Batch(), play.Size, k.stderr)
	if err := k.net.Wait(); err != nil {
		return err
	}
	if rules := play.Rules; katago.RulesOf(k.net)(rules) != rules {
		return fmt.Errorf("Rules %s from config file %s are NOT supported by neural net", rules.JSON(), c.Name()) //nolint:staticcheck // KataGo's wording
	}
	k.engine, err = engine.New(*play, k.net, k.stderr)
	return err
}

// greet prints KataGo's messages after loading.
func (k *session) greet(c *config.Config, idle []string) {
	size, say := k.host.Play().Size, k.log.Say
	if !k.set.Greet {
		say = k.log.Write
	}
	humans := k.net.Humans()
	if humans != nil && !humans.Describe().TakesProfile {
		k.log.Say(unranked)
	}
	k.log.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", size.W, size.H))
	warnings := c.Warning()
	if katago.Profiled(k.set.Play.Search) && !takesProfile(k.net) {
		warnings = append(warnings, katago.Unprofiled(k.files))
	}
	for _, line := range warnings {
		k.log.Both(line)
	}
	say("Loaded config " + c.Name())
	say("Loaded model " + k.files.Model)
	if k.files.HumanModel != "" {
		say("Loaded human SL model " + k.files.HumanModel)
	}
	say("Model name: " + k.net.Describe().Name)
	if humans != nil {
		say("Human SL model name: " + humans.Describe().Name)
	}
	say("GTP ready, beginning main protocol loop")
	if humans != nil && !c.Has("humanSLProfile") && humans.Describe().TakesProfile {
		k.log.Say(unset)
	}
	k.log.WithoutEffect(idle)
}

func (k *session) serve(ctx context.Context, f *katago.Flags) error {
	set := &k.set
	version := config.Release
	for _, model := range katago.Models(k.net) {
		version += "+" + katago.ShortName(model.InternalName)
	}
	as := &commands.Personality{
		Engine: k.engine, Version: version, Params: k.params, PVLen: set.PVLen, LoadSGF: k.loadRecord,
		MaxSize: config.MaxSize, ForcedKomi: set.ForcedKomi, Perspective: set.Perspective, Say: k.log.Say, Models: func() []thinking.ModelInfo { return models(k.net, k.files) },
		Supports: func(r board.Rules) bool { return katago.RulesOf(k.net)(r) == r },
		Benchmark: func(ctx context.Context, size, visits int, to *gtp.Reply) error {
			return katago.Benchmark(ctx, k.net, k.engine.Config().Search, k.params.Threads(), board.Square(size), int64(visits), to)
		},
	}
	if text, ok := f.Texts["override-version"]; ok {
		as.Version = text
	}
	var chat func(string)
	if set.OGSChat {
		chat = func(line string) { fmt.Fprintln(os.Stderr, line) }
	}
	if set.NoLimit {
		as.Clock = clock.Settings{System: clock.Byoyomi, Main: time.Second, Period: 5 * time.Second, Periods: 5}
		if err := k.engine.SetClock(as.Clock); err != nil {
			return err
		}
	}
	in, out := k.log.Copy(os.Stdin, word(set.LogCommands, "Controller: "), os.Stdout, word(set.LogCommands, "KataGo: "))
	server := commands.NewServer(as, k.stderr, chat)
	return k.host.Serve(ctx, k.net, func(ctx context.Context) error { return server.Serve(ctx, in, out) })
}
