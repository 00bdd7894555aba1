package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"kosumi/board"
	"kosumi/engine/analysis"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/search/thinking"
)

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
	return (&analyst{h, c, &a, log, logger(h, log, a.LogSearch), files}).serve(ctx, conf, setup.Idle)
}

// analyst is the analysis program while it starts.
type analyst struct {
	host   Host
	conf   *config.Config
	set    *config.AnalysisSettings
	log    *katago.Log
	stderr *slog.Logger
	files  katago.Files
}

// serve loads the network, prints KataGo's greeting and answers queries.
func (a *analyst) serve(ctx context.Context, conf analysis.Config, idle []string) error {
	log, files := a.log, a.files
	size := board.Square(config.MaxSize)
	if err := missing(files); err != nil {
		return err
	}
	net := a.host.Open(files, a.host.Batch(), size, a.stderr)
	if err := net.Wait(); err != nil {
		return err
	}
	humans := net.Humans()
	if humans != nil && !humans.Describe().TakesProfile {
		log.Say(unranked)
	}
	for _, line := range a.conf.Warning() {
		log.Both(line)
	}
	conf.ModelNames = files.String()
	conf.SupportedRules = katago.RulesOf(net)
	if katago.Profiled(a.set.Search) && !takesProfile(net) {
		log.Say(katago.Unprofiled(files))
	}
	conf.Models = func() []thinking.ModelInfo {
		list := models(net, files)
		for i := range list {
			list[i].FP16 = a.set.Network.FP16
		}
		return list
	}
	var err error
	if conf.Overrides, err = config.NewOverrides(a.conf, files.HumanModel != ""); err != nil {
		return err
	}
	server, err := analysis.New(conf, net, a.stderr)
	if err != nil {
		return err
	}
	log.Write("Loaded config " + a.conf.Name())
	log.Write("Loaded model " + files.Model)
	if humans != nil && !a.conf.Has("humanSLProfile") && humans.Describe().TakesProfile {
		log.Say(unsetDuring)
	}
	log.Write(fmt.Sprintf("Analyzing up to %d positions at a time in parallel", conf.Threads))
	log.WithoutEffect(idle)
	log.Say("Started, ready to begin handling requests")
	in, out := log.Copy(os.Stdin, word(a.set.LogRequests, "Request: "), os.Stdout, word(a.set.LogResponses, "Response: "))
	return a.host.Serve(ctx, net, func(ctx context.Context) error { return server.Serve(ctx, in, out) })
}
