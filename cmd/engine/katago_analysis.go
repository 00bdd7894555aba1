package main

import (
	"context"
	"fmt"
	"os"

	"kosumi/board"
	"kosumi/engine/analysis"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/thinking"
)

// kataAnalysis is katago analysis.
func kataAnalysis(ctx context.Context, f *katago.Flags) error {
	c, err := f.Config("")
	if err != nil {
		return err
	}
	threads, err := f.Number("analysis-threads", 0)
	if err != nil {
		return err
	}
	s := defaultSettings()
	s.Model, s.HumanModel = f.Model(), f.Texts["human-model"]
	var log *katago.Log
	a, err := c.Analysis(threads, s.HumanModel != "", func(conf config.Log) {
		log = katago.OpenLog(conf, c)
		log.Write("Analysis Engine starting...")
		log.Say(config.Version)
	})
	if err != nil {
		return err
	}
	defer log.Close()
	setup, conf := katago.Analysis(c, &a, s.Play)
	if err := s.take(c, &setup); err != nil {
		return err
	}
	s.stderr = kataLogger(log, a.LogSearch)
	if _, err := avoid(&s.Play.Search.RepeatPenalty, setup.Avoid, log); err != nil {
		return err
	}
	conf.Search = s.Play.Search
	conf.Search.Memory.MaxBytes = max(16<<20, conf.Search.Memory.MaxBytes/int64(a.Threads))
	conf.QuitWithoutWaiting = f.Switches["quit-without-waiting"]
	if a.LogErrors {
		conf.Faulty = func(warning bool, text string) {
			log.Write(map[bool]string{false: "Error: ", true: "Warning: "}[warning] + text)
		}
	}
	return kataAnalyze(ctx, &s, c, f, conf, &a, log, setup.Idle)
}

// kataAnalyze loads the network, greets and serves.
func kataAnalyze(ctx context.Context, s *settings, c *config.Config, f *katago.Flags, conf analysis.Config, a *config.AnalysisSettings, log *katago.Log, idle []string) error {
	size := board.Square(config.MaxSize)
	log.Write("After dedups: nnModelFile0 = " + s.Model + " useFP16 " + a.Network.FP16)
	if err := kataMissing(s); err != nil {
		return err
	}
	net := openNetwork(s, size, s.stderr)
	if err := net.Wait(); err != nil {
		return err
	}
	humans := net.Humans()
	if humans != nil && !humans.Describe().TakesProfile {
		log.Say(kataUnranked)
	}
	for _, line := range c.Warning() {
		log.Write(line)
		log.Tell(line)
	}
	conf.HumanModel, conf.ModelNames = s.HumanModel != "", s.kataNames()
	conf.TakesProfile = takesProfile(net)
	conf.SupportedRules = supportedRules(net)
	if katago.Profiled(a.Search) && !conf.TakesProfile {
		log.Say(katago.Unprofiled(s.kataNames()))
	}
	conf.Models = func() []thinking.ModelInfo {
		list := modelInfos(net)
		for i, name := range []string{s.Model, s.HumanModel}[:min(2, len(list))] {
			list[i].Name, list[i].FP16 = name, a.Network.FP16
		}
		return list
	}
	server, err := analysis.New(conf, net, s.stderr)
	if err != nil {
		return err
	}
	log.Write("Loaded config " + c.Name())
	log.Write("Loaded model " + s.Model)
	f.LogOverrides(log)
	if humans != nil && !c.Has("humanSLProfile") && humans.Describe().TakesProfile {
		log.Say(kataUnsetDuring)
	}
	log.Write(fmt.Sprintf("Analyzing up to %d positions at a time in parallel", conf.Threads))
	log.WithoutEffect(idle)
	log.Say("Started, ready to begin handling requests")
	in, out := log.Copy(os.Stdin, word(a.LogRequests, "Request: "), os.Stdout, word(a.LogResponses, "Response: "))
	err = serveClient(ctx, s, net, "", func(ctx context.Context) error { return server.Serve(ctx, in, out) })
	stats := net.Stats()
	log.Write(s.Model)
	log.Write(fmt.Sprintf("NN rows: %d", stats.Rows))
	log.Write(fmt.Sprintf("NN batches: %d", stats.Batches))
	log.Write("All cleaned up, quitting")
	return err
}
