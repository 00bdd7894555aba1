package cli

import (
	"context"
	"fmt"
	"os"

	"kosumi/board"
	"kosumi/engine/analysis"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/search/thinking"
)

// analyze reads the config, loads the network, prints KataGo's greeting and answers queries.
func analyze(ctx context.Context, h Host, f *katago.Flags) error {
	c, err := f.Config("")
	if err != nil {
		return err
	}
	threads, err := f.Number("analysis-threads", 0)
	if err != nil {
		return err
	}
	files := katago.Files{Model: f.Model(), HumanModel: f.Texts["human-model"]}
	var log *katago.Log
	a, err := c.Analysis(threads, files.HumanModel != "", func(conf config.Log) {
		log = katago.OpenLog(conf, c)
		log.Say(config.Version)
	})
	if err != nil {
		return err
	}
	defer log.Close()
	setup, conf := katago.Analysis(c, &a, *h.Play())
	if err := h.Take(c, &setup); err != nil {
		return err
	}
	conf.Search = h.Play().Search
	conf.Search.Memory.MaxBytes = max(16<<20, conf.Search.Memory.MaxBytes/int64(a.Threads))
	conf.QuitWithoutWaiting = f.Switches["quit-without-waiting"]
	if a.LogErrors {
		conf.Faulty = func(warning bool, text string) {
			log.Write(map[bool]string{false: "Error: ", true: "Warning: "}[warning] + text)
		}
	}
	if err := missing(files); err != nil {
		return err
	}
	stderr := logger(h, log, a.LogSearch)
	net := h.Open(files, h.Batch(), board.Square(config.MaxSize), stderr)
	if err := net.Wait(); err != nil {
		return err
	}
	humans := net.Humans()
	if humans != nil && !humans.Describe().TakesProfile {
		log.Say(unranked)
	}
	for _, line := range c.Warning() {
		log.Both(line)
	}
	conf.ModelNames = files.String()
	conf.SupportedRules = katago.RulesOf(net)
	if katago.Profiled(a.Search) && !takesProfile(net) {
		log.Say(katago.Unprofiled(files))
	}
	conf.Models = func() []thinking.ModelInfo {
		list := models(net, files)
		for i := range list {
			list[i].FP16 = a.Network.FP16
		}
		return list
	}
	if conf.Overrides, err = config.NewOverrides(c, files.HumanModel != ""); err != nil {
		return err
	}
	server, err := analysis.New(conf, net, stderr)
	if err != nil {
		return err
	}
	log.Write("Loaded config " + c.Name())
	log.Write("Loaded model " + files.Model)
	if humans != nil && !c.Has("humanSLProfile") && humans.Describe().TakesProfile {
		log.Say(unsetDuring)
	}
	log.Write(fmt.Sprintf("Analyzing up to %d positions at a time in parallel", conf.Threads))
	log.WithoutEffect(setup.Idle)
	log.Say("Started, ready to begin handling requests")
	in, out := log.Copy(os.Stdin, word(a.LogRequests, "Request: "), os.Stdout, word(a.LogResponses, "Response: "))
	return h.Serve(ctx, net, func(ctx context.Context) error { return server.Serve(ctx, in, out) })
}
