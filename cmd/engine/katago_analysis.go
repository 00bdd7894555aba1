package main

import (
	"context"
	"fmt"
	"os"

	"kosumi/board"
	"kosumi/engine/analysis"
	"kosumi/katagocfg"
)

// kataAnalysis is katago analysis.
func kataAnalysis(ctx context.Context, f *kataFlags) error {
	c, err := f.config("")
	if err != nil {
		return err
	}
	threads, err := f.number("analysis-threads", 0)
	if err != nil {
		return err
	}
	human := f.texts["human-model"]
	var log *kataLog
	a, err := c.Analysis(threads, human != "", func(conf katagocfg.Log) {
		log = openKataLog(conf, c)
		log.write("Analysis Engine starting...")
		log.say(katagocfg.Version)
	})
	if err != nil {
		return err
	}
	defer log.close()
	s := defaultSettings()
	conf := analysis.Defaults()
	s.searchFrom(conf.Search)
	idle := append(kataSearch(&s.Play.Search, a.Search, katagocfg.Analysis), a.Patterns...)
	s.kataNetwork(a.Network, a.Threads*s.Play.Search.Parallel.Workers)
	if a.Deterministic {
		s.seed("forDeterministicTesting")
	}
	if err := s.kataOwn(c); err != nil {
		return err
	}
	s.Model, s.HumanModel = f.model(), human
	s.stderr = log.logger(a.LogSearch)
	if err := s.engineConfig().Validate(); err != nil {
		return err
	}
	conf.Search = s.params()
	conf.Search.Memory.MaxBytes = max(16<<20, conf.Search.Memory.MaxBytes/int64(a.Threads))
	conf.Limits = kataLimit(a.Search, "")
	conf.Threads, conf.PVLen, conf.MaxSize, conf.Base, conf.Version = a.Threads, a.PVLen, katagocfg.MaxSize, c, katagocfg.Release
	conf.Perspective, _ = analysis.ParsePerspective(map[string]string{"": "SIDETOMOVE"}[a.Perspective] + a.Perspective)
	conf.QuitWithoutWaiting, conf.IgnoreUnknown = f.switches["quit-without-waiting"], !a.WarnUnused
	conf.CleanupPhases, conf.NoInferredHandicap = !a.PreventCleanupPhase, !a.StartBlackMovesAreHandicap
	if a.LogErrors {
		conf.Faulty = func(warning bool, text string) {
			log.write(map[bool]string{false: "Error: ", true: "Warning: "}[warning] + text)
		}
	}
	return kataAnalyze(ctx, &s, c, conf, &a, log, idle)
}

// kataAnalyze loads the network, greets and serves.
func kataAnalyze(ctx context.Context, s *settings, c *katagocfg.Config, conf analysis.Config, a *katagocfg.AnalysisSettings, log *kataLog, idle []string) error {
	size := board.Square(katagocfg.MaxSize)
	log.write("After dedups: nnModelFile0 = " + s.Model + " useFP16 " + a.Network.FP16)
	net := openNetwork(s, size, s.stderr)
	if err := net.wait(); err != nil {
		return err
	}
	for _, line := range c.Warning() {
		log.write(line)
		fmt.Fprintln(os.Stderr, line)
	}
	conf.HumanModel, conf.ModelNames = s.HumanModel != "", s.Model
	if conf.HumanModel {
		conf.ModelNames += " and " + s.HumanModel
	}
	conf.TakesProfile = net.kataProfile(size, s.HumanModel)
	if a.Search["humanSLProfile"].Text != "" && !conf.TakesProfile {
		log.say("WARNING: humanSLProfile is specified as config param but model(s) don't use it: " + s.Model)
	}
	conf.Models = func() []any {
		list := net.models(size, s.batchSize())
		if len(list) > 0 {
			model := list[0].(map[string]any)
			model["name"], model["usingFP16"] = s.Model, a.Network.FP16
		}
		return list
	}
	server, err := analysis.New(conf, net, s.stderr)
	if err != nil {
		return err
	}
	log.write("Loaded config " + c.Name())
	log.write("Loaded model " + s.Model)
	log.write(fmt.Sprintf("Analyzing up to %d positions at a time in parallel", conf.Threads))
	warnIdle(s.stderr, c, idle)
	log.say("Started, ready to begin handling requests")
	in, out := &tee{r: os.Stdin, word: "Request: ", log: log}, &tee{w: os.Stdout, word: "Response: ", log: log}
	err = serveClient(ctx, s, net, "", func(ctx context.Context) error {
		switch {
		case a.LogRequests && a.LogResponses:
			return server.Serve(ctx, in, out)
		case a.LogRequests:
			return server.Serve(ctx, in, os.Stdout)
		case a.LogResponses:
			return server.Serve(ctx, os.Stdin, out)
		}
		return server.Serve(ctx, os.Stdin, os.Stdout)
	})
	stats := net.Stats()
	log.write(s.Model)
	log.write(fmt.Sprintf("NN rows: %d", stats.Rows))
	log.write(fmt.Sprintf("NN batches: %d", stats.Batches))
	log.write("All cleaned up, quitting")
	return err
}
