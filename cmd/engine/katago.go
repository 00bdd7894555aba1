package main

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/internal/console"
	"kosumi/katago"
	"kosumi/katago/cli"
	"kosumi/katago/config"
	"kosumi/nn/model"
	"kosumi/nn/open"
)

// runKataGo runs the program in KataGo's place.
func runKataGo(ctx context.Context, args []string) int {
	s := defaultSettings()
	s.Context = ctx
	if cli.Run(ctx, &kataHost{&s}, args) {
		return exitDone
	}
	return exitFailed
}

// kataHost provides KataGo's subcommands with the program's settings and networks. It implements
// cli.Host.
type kataHost struct{ *settings }

func (h *kataHost) Version() string      { return version }
func (h *kataHost) Play() *engine.Config { return &h.settings.Play }
func (h *kataHost) Threads() int         { return h.workers() }
func (h *kataHost) Batch() int           { return h.settings.Batch }

func (h *kataHost) Log(w io.Writer, level slog.Level) *slog.Logger { return console.NewLog(w, level) }

func (h *kataHost) Open(files katago.Files, batch int, size board.Size, log *slog.Logger) *open.Network {
	warnWithoutC()
	h.Model, h.HumanModel, h.settings.Batch = files.Model, files.HumanModel, batch
	return openNetwork(h.settings, size, log)
}

func (h *kataHost) Serve(ctx context.Context, net *open.Network, serve func(context.Context) error) error {
	return serveClient(ctx, h.settings, net, "", serve)
}

// Take implements [cli.Host]. It applies a KataGo config, which may also have settings by this
// program's names, such as precision = fp32.
func (s *settings) Take(c *config.Config, setup *katago.Setup) error {
	s.kataGo = true
	s.Play, s.Cache, s.Batch = setup.Play, min(s.Cache, setup.Net.CacheBytes), setup.Net.Batch
	if n := setup.Net.Sessions; n > 0 {
		s.Sessions = min(n, s.SessionCount())
	}
	for _, name := range c.Unused() {
		row := table.Find(name)
		if row == nil || row.Name != name || row.Section != "" || name == "komi" { // komi is excluded: in KataGo's files the rules alone determine it
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
	if gpu := !slices.Contains([]string{"auto", "cpu", model.Kernel, model.OnnxGo}, s.Provider); gpu && setup.Net.FP16 == "true" {
		s.Precision = "fp16"
	} else if !gpu {
		s.Batch = min(s.Batch, 2) // KataGo's default on CPUs; with larger batches some sessions would have no work
		if c.Has("useFP16") {
			setup.Idle = append(setup.Idle, "useFP16")
		}
	}
	s.Play.Search.Parallel.Sessions = s.SessionCount()
	return s.Play.Validate()
}
