package loop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kosumi/nn/katago"
)

// grow begins anew with another architecture on the rows that there are: with the
// weights of the network that plays, where it can grow into that shape, else with
// random ones. The network that plays goes on playing until the new one has passed
// the gate.
func (l *Loop) grow() error {
	s, arch := l.state, l.conf.Arch
	base, from := freshName(arch), "random weights"
	switch net, err := l.grown(arch); {
	case err == nil && net != nil:
		base, from = fmt.Sprintf("grown-%s-d%d", arch, s.Rows), "its weights"
		if err := writeNetwork(modelPath(l.dir, arch, base), net); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, katago.ErrGrow):
		return err
	default:
		if err := writeFresh(modelPath(l.dir, arch, base), arch, s.Seed, l.conf.Selfplay.Boards); err != nil {
			return err
		}
	}
	l.say("%s follows %s with %s", arch, s.Arch, from)
	s.Arch, s.Candidate = arch, ""
	s.GoalGames, s.GoalRows = 0, 0
	target, c := int64(0), l.stageConfig()
	if l.bootstrapping() {
		s.Stage = stageSelfplay
	} else if s.Rows > 0 {
		s.Stage, target = stageTrain, int64(c.Train.Ratio*float64(l.windowRows(&c)))
	}
	return l.follow(base, target)
}

// grown is the network that plays in another shape; nil where none plays yet.
func (l *Loop) grown(arch string) (*katago.Network, error) {
	s := l.state
	if s.Current == "" {
		return nil, nil
	}
	net, err := katago.ReadFile(modelPath(l.dir, s.Arch, s.Current))
	if err != nil {
		return nil, err
	}
	return katago.Grow(net, arch, s.Seed)
}

func writeNetwork(path string, net *katago.Network) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return katago.WriteFile(path, net)
}

// renew begins the learner anew, as there are no checkpoints that it could go on
// from: with the weights of the network that plays, if it is of its shape. The
// training after that network is done again.
func (l *Loop) renew(why string) error {
	s := l.state
	base, trained := s.base(), int64(0)
	if s.ownPlays() && s.Current != base {
		base = s.Current
		if n := s.network(base); n != nil {
			trained = n.Samples
		}
	}
	l.say("%s: the learner begins anew with %s", why, base)
	if s.Stage != stageSelfplay {
		s.Stage = stageTrain
	}
	return l.follow(base, max(0, s.Target-trained))
}

// ownPlays reports whether a network of the learner's shape that this loop made plays.
func (s *State) ownPlays() bool { return strings.HasPrefix(s.Current, s.Arch+"-s") }

// follow lets a new learner begin with a network, and have so many samples to learn.
func (l *Loop) follow(base string, target int64) error {
	// Without checkpoints an interruption ends up here again.
	if err := os.RemoveAll(l.checkpoints()); err != nil {
		return err
	}
	s := l.state
	s.Base = base
	s.Before += s.Samples
	s.Samples, s.Target, s.Owed, s.Credited = 0, target, 0, s.Rows
	return s.save(l.dir)
}
