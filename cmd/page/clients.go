//go:build js

package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"syscall/js"

	"kosumi/engine"
	"kosumi/engine/analysis"
	"kosumi/gtp"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/life"
	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/nn/open"
	"kosumi/search"
	"kosumi/search/thinking"
)

// clients are programs that speak GTP or KataGo's analysis protocol, each over its own port. The
// messages are texts that would otherwise go through standard input and output.
type clients struct {
	net        *open.Network
	repeatable bool // equal queries get equal answers
	log        *slog.Logger
}

// newClients begins to load the network: the one in the host's field given, or the built-in one.
func newClients(host js.Value, log *slog.Logger) *clients {
	read := func(file string) (nn.Model, error) { return model.Open(file, modelConfig(log)) }
	name := ""
	if given := host.Get("given"); given.Truthy() {
		data := bytesOf(given)
		name = cmp.Or(host.Get("name").String(), "network.bin.gz")
		read = func(file string) (nn.Model, error) { return model.Read(file, data, modelConfig(log)) }
	}
	conf, repeatable := serverConfig(), host.Get("repeatable").Bool()
	conf.FixedSymmetry, conf.Reproducible = repeatable, repeatable
	return &clients{start(name, read, conf, log), repeatable, log}
}

// engineConfig is the default configuration of engines, which clients can change.
func (c *clients) engineConfig() engine.Config {
	conf := engineConfig()
	if c.repeatable {
		conf.Seed, conf.Search.Parallel.Workers = 1, 1
	}
	return conf
}

// calls returns the functions for the worker. There is only "speak", with three arguments: a
// protocol, settings as pairs of name and value, and a port.
func (c *clients) calls() map[string]any {
	return map[string]any{"speak": function(func(args []js.Value) {
		sock := newSocket(args[2], mostLines)
		protocol, settings := args[0].String(), map[string]string{}
		for i := range args[1].Length() {
			pair := args[1].Index(i)
			settings[pair.Index(0).String()] = pair.Index(1).String()
		}
		go c.attend(sock, protocol, settings)
	})}
}

// attend speaks with one client until either side ends it, and reports errors to the client.
func (c *clients) attend(sock *socket, protocol string, settings map[string]string) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		<-sock.ended
		stop()
	}()
	err := c.speak(ctx, &stream{socket: sock}, protocol, settings)
	if sock.full {
		err = fmt.Errorf("more than %d messages wait: send them as they are answered", mostLines)
	} else if ctx.Err() != nil { // the client has closed its port
		err = nil
	}
	if err != nil {
		sock.port.Call("postMessage", map[string]any{"error": strings.ReplaceAll(err.Error(), "\n", "; ")})
	}
	sock.Close(ended, "")
}

// ended is the code that tells a client that its messages are no longer read.
const ended = 1000

// speak serves one client until it closes its port, which ends ctx. If the network cannot be used
// or a setting is wrong, it returns an error and answers nothing.
func (c *clients) speak(ctx context.Context, s *stream, protocol string, settings map[string]string) error {
	if err := c.net.Wait(); err != nil {
		return err
	}
	switch protocol {
	case "gtp":
		return c.speakGTP(ctx, s, settings)
	case "analysis":
		return c.speakAnalysis(ctx, s, settings)
	}
	return fmt.Errorf("there is no protocol %q: gtp or analysis", protocol)
}

func (c *clients) speakGTP(ctx context.Context, s *stream, settings map[string]string) error {
	conf := c.engineConfig()
	conf.Name = "Kosumi " + version
	if err := set(&conf, settings); err != nil {
		return err
	}
	e, err := engine.New(conf, c.net, c.log)
	if err != nil {
		return err
	}
	defer e.Close()
	return gtp.NewServer(e, c.log, gtp.Options{Version: version, Life: life.Judge{Network: life.Evaluated{Evaluator: c.net}}, Models: c.models}).Serve(ctx, s, s)
}

// analystsQueue bounds the bytes of waiting queries.
const analystsQueue = 16 << 20

func (c *clients) speakAnalysis(ctx context.Context, s *stream, settings map[string]string) error {
	conf, play := analysis.Defaults(), c.engineConfig()
	conf.Threads = kernel.Count()
	workers := max(1, play.Search.Parallel.Workers/conf.Threads)
	play.Limits, play.Search = conf.Limits, conf.Search
	play.Search.Parallel.Workers, play.Search.Parallel.Sessions = workers, 1
	play.Search.Memory.MaxBytes = max(search.MinBytes, treeBytes/int64(conf.Threads))
	if err := set(&play, settings); err != nil {
		return err
	}
	if play.Limits.Visits < 1 {
		return fmt.Errorf("visits is %d, must be 1 or more: an analysis needs an end", play.Limits.Visits)
	}
	conf.Search, conf.Limits = play.Search, search.Limits{Visits: play.Limits.Visits}
	conf.Version, conf.MaxQueue, conf.QuitWithoutWaiting = version, analystsQueue, true
	conf.Overrides = config.PlainOverrides(play.Search.Parallel.Workers)
	conf.Models, conf.SupportedRules = c.models, katago.RulesOf(c.net)
	server, err := analysis.New(conf, c.net, c.log)
	if err != nil {
		return err
	}
	return server.Serve(ctx, s, s)
}

func (c *clients) models() []thinking.ModelInfo { return katago.Models(c.net) }

// set applies settings by name; `engine config` lists the names.
func set(conf *engine.Config, settings map[string]string) error {
	table := engine.Settings()
	if err := table.Apply(conf, settings, table.Set); err != nil {
		return err
	}
	conf.Search.Seed = conf.Seed
	return conf.Validate()
}

// stream is an [io.ReadWriter] that reads a client's messages as lines, and writes messages.
type stream struct {
	*socket
	rest []byte
}

func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		text, err := s.socket.Read(context.Background())
		if err != nil {
			return 0, err
		}
		s.rest = append(text, '\n')
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) Write(p []byte) (int, error) {
	return len(p), s.socket.Write(context.Background(), p)
}
