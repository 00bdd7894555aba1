package katago

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"kosumi/engine"
	"kosumi/katago/config"
	"kosumi/search"
)

// Params are the parameters of a running engine. Clients read and change them by KataGo's names and
// get KataGo's error texts.
type Params struct {
	conf     *config.Config
	start    config.Search // values at the start of the program
	play     config.Play
	options  config.PlayOptions
	engine   Engine
	files    Files
	profiled bool // a loaded network takes a human profile
	log      *Log
}

// Engine is the engine whose parameters change.
type Engine interface {
	Config() engine.Config
	Configure(engine.Config) error
	DropTree()
}

// Files are the network files as the user named them.
type Files struct{ Model, HumanModel string }

func (f Files) String() string {
	if f.HumanModel == "" {
		return f.Model
	}
	return f.Model + " and " + f.HumanModel
}

// NewParams returns the parameters of an engine set up from a config. profiled says that a loaded
// network takes a human profile. The log gets names of parameters without effect.
func NewParams(c *config.Config, g *config.GTPSettings, e Engine, files Files, profiled bool, log *Log) *Params {
	return &Params{conf: c, start: g.Play.Search, play: g.Play, options: g.PlayOptions, engine: e, files: files, profiled: profiled, log: log}
}

func (p *Params) Names() []string { return slices.Concat(config.OwnNames, p.play.Names()) }

func (p *Params) JSON() string { return p.conf.ParamsJSON(p.play, p.options) }

func (p *Params) Get(name string) (string, bool) { return p.conf.Param(p.play, p.options, name) }

// Threads is the number of search threads.
func (p *Params) Threads() int { return int(p.play.Search["numSearchThreads"].Int) }

// Set changes all the given parameters, or none on error. An empty value restores the default.
// Set accepts every value that [Params.JSON] shows, even those that KataGo shows but refuses.
// Error texts become replies.
func (p *Params) Set(values map[string]string) error {
	err := p.set(values)
	if err == nil {
		return nil
	}
	changed := maps.Clone(values)
	maps.DeleteFunc(changed, func(name, value string) bool {
		text, known := p.Get(name)
		return known && (value == text || config.Value{Text: value}.JSON() == text)
	})
	switch len(changed) {
	case 0:
		return nil
	case len(values):
		return err
	}
	return p.set(changed)
}

func (p *Params) set(values map[string]string) error {
	next := p.conf.Clone()
	changed, options, err := next.Parameters(values, p.start, strconv.Itoa(p.Threads()), p.files.HumanModel != "", p.options)
	if err != nil {
		return err
	}
	if _, given := values["humanSLProfile"]; given && Profiled(changed.Search) && !p.profiled {
		return fmt.Errorf("%s\n", Unprofiled(p.files)) //nolint:staticcheck // KataGo's wording
	}
	cfg := p.engine.Config()
	idle := play(&cfg, next, changed)
	playOptions(&cfg, options)
	if err := p.engine.Configure(cfg); err != nil {
		return err
	}
	if !maps.Equal(p.play.Search, changed.Search) {
		p.engine.DropTree() // KataGo drops the tree even for a new limit
	}
	p.conf, p.play, p.options = next, changed, options
	p.log.WithoutEffect(slices.DeleteFunc(idle, func(name string) bool { _, given := values[name]; return !given }))
	return nil
}

// Profiled reports whether s has a human profile; "" and "_" mean none.
func Profiled(s config.Search) bool {
	_, set := search.Human{Profile: s["humanSLProfile"].Text}.Meta()
	return set
}

// Unprofiled is KataGo's warning about a human profile that no network uses.
func Unprofiled(files Files) string {
	return "WARNING: humanSLProfile is specified as config param but model(s) don't use it: " + files.String()
}
