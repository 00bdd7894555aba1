package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/thinking"
)

// openHumans starts to load the network of human moves.
func openHumans(s *settings, size board.Size, log *slog.Logger) *network {
	n := &network{ready: make(chan struct{}), conf: s.serverConfig(), log: log}
	go func() {
		defer close(n.ready)
		if n.err = n.load(s, s.HumanModel, size); n.err != nil {
			n.err = fmt.Errorf("--human-model: %w", n.err)
		}
	}()
	return n
}

// awaitHumans waits for the network of human moves, and says what its user may
// not expect.
func (n *network) awaitHumans(s *settings, size board.Size) error {
	_, set := s.Play.Search.Human.Meta()
	if n.humans == nil {
		if set && !n.takesProfile(size) && !s.kataGo {
			n.log.Warn("humanSLProfile is set, but no network takes profiles: load one with --human-model or --model")
		}
		return nil
	}
	if err := n.humans.wait(); err != nil || s.kataGo {
		return err
	}
	switch takes := n.humans.takesProfile(size); {
	case !takes:
		n.log.Warn("the network of --human-model was not trained to play by rank: its policy is the same for every profile")
	case !set:
		n.log.Warn("--human-model is not used until there is a profile: --set humanSLProfile=rank_5k, or kata-set-param humanSLProfile rank_5k")
	}
	return nil
}

// takesProfile reports whether the network wants to know who plays.
func (n *network) takesProfile(size board.Size) bool {
	spec, err := n.model.Spec(size)
	return err == nil && spec.KataGo.MetaEncoder > 0
}

// Humans returns the network of human moves, nil if there is none, and whether it
// wants a profile.
func (n *network) Humans(size board.Size) (nn.Evaluator, bool) {
	if n.humans == nil || n.wait() != nil {
		return nil, false
	}
	return n.humans, n.humans.takesProfile(size)
}

// Profiled names the networks by their files, and reports whether any of them wants
// a profile.
func (n *network) Profiled(size board.Size) (files []string, any bool) {
	if n.wait() != nil {
		return nil, false
	}
	for m := n; m != nil; m = m.humans {
		files = append(files, filepath.Base(m.model.Describe().File))
		any = any || m.takesProfile(size)
	}
	return files, any
}

// SHA256 is that of the network's file.
func (n *network) SHA256() string {
	if n.wait() != nil {
		return ""
	}
	return n.model.Describe().SHA256
}

// infos describes the main network and then the one of human moves.
func (n *network) infos(size board.Size, maxBatch int) []thinking.ModelInfo {
	var all []thinking.ModelInfo
	for m := n; m != nil; m = m.humans {
		if info, ok := m.info(size, maxBatch); ok {
			all = append(all, info)
		}
	}
	return all
}

// checkHuman refuses settings of human-like play that have no network to act on.
func (s *settings) checkHuman() error {
	h, none := s.Play.Search.Human, search.Defaults().Human
	if h.Profile = ""; s.HumanModel == "" && h != none {
		return errors.New("the humanSL settings, but for humanSLProfile, need a network of human moves: name one with --human-model")
	}
	return nil
}
