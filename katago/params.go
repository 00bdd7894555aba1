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

// Params are the parameters of a running seat, as clients ask for them and change
// them. It implements commands.Params.
type Params struct {
	conf    *config.Config
	start   config.Search // what the program began with
	play    config.Play
	manners config.Manners
	seat    Seat
	human   bool // there is a network of human moves
	model   string
}

// Seat is what parameters act on.
type Seat interface {
	Config() engine.Config
	Configure(engine.Config) error
	DropTree()
	TakesProfile() bool     // some network varies by profile
	WithoutEffect([]string) // names what has none
}

// NewParams returns the parameters of a seat that was set up from a config.
func NewParams(c *config.Config, g *config.GTPSettings, s Seat, human bool, model string) *Params {
	return &Params{conf: c, start: g.Play.Search, play: g.Play, manners: g.Manners, seat: s, human: human, model: model}
}

// Names implements commands.Params.
func (p *Params) Names() []string { return slices.Concat(config.OwnNames, p.play.Names()) }

// JSON implements commands.Params.
func (p *Params) JSON() string { return p.conf.ParamsJSON(p.play, p.manners) }

// Get implements commands.Params.
func (p *Params) Get(name string) (string, bool) { return p.conf.Param(p.play, p.manners, name) }

// Threads is the number of search threads.
func (p *Params) Threads() int { return int(p.play.Search["numSearchThreads"].Int) }

// Set implements commands.Params. Values that JSON shows are taken as they stand,
// those too that KataGo shows and refuses.
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
	play_, manners_, err := next.Parameters(values, p.start, strconv.Itoa(p.Threads()), p.human, p.manners)
	if err != nil {
		return err
	}
	if _, given := values["humanSLProfile"]; given && Profiled(play_.Search) && !p.seat.TakesProfile() {
		return fmt.Errorf("%s\n", Unprofiled(p.model)) //nolint:staticcheck // KataGo's text
	}
	cfg := p.seat.Config()
	idle := play(&cfg, next, play_)
	manners(&cfg, manners_)
	if err := p.seat.Configure(cfg); err != nil {
		return err
	}
	if !maps.Equal(p.play.Search, play_.Search) {
		p.seat.DropTree() // also for a limit, which does not change what is found
	}
	p.conf, p.play, p.manners = next, play_, manners_
	p.seat.WithoutEffect(slices.DeleteFunc(idle, func(name string) bool { _, given := values[name]; return !given }))
	return nil
}

// Profile reports whether a profile is set.
func (p *Params) Profile() bool { return Profiled(p.play.Search) }

// Profiled reports whether a profile is set: "" and "_" are none.
func Profiled(s config.Search) bool {
	_, set := search.Human{Profile: s["humanSLProfile"].Text}.Meta()
	return set
}

// Unprofiled is what KataGo says of a profile that no network takes.
func Unprofiled(model string) string {
	return "WARNING: humanSLProfile is specified as config param but model(s) don't use it: " + model
}
