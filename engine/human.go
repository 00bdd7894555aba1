package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/search"
	"kosumi/search/thinking"
)

// Errors of evaluations by a human SL network.
var (
	ErrNoHumans  = errors.New("no network of human moves: name one with --human-model")
	ErrNoProfile = errors.New("no profile of who plays: kata-set-param humanSLProfile rank_5k, or --set humanSLProfile=rank_5k")
)

// profile describes the player whom networks of human moves imitate; nil if none is set.
func (c *Config) profile() *features.Meta {
	if m, set := c.Search.Human.Meta(); set {
		return &m
	}
	return nil
}

// CheckHuman returns an error if no loaded network supports a change of the human-like settings:
// names are the settings that change, h their new values.
func CheckHuman(net nn.Network, names []string, h search.Human) error {
	humans := net.Humans()
	for _, name := range names {
		if strings.HasPrefix(name, "humanSL") && name != "humanSLProfile" && humans == nil {
			return errors.New(name + " needs a network of human moves: name one with --human-model")
		}
	}
	_, set := h.Meta()
	if set && slices.Contains(names, "humanSLProfile") {
		if files, any := nn.Profiled(net); !any && len(files) > 0 {
			return errors.New("humanSLProfile has no effect on " + strings.Join(files, " and ") + ": name a network of human moves with --human-model")
		}
	}
	return nil
}

// HumanPolicy returns the human SL network's policy for a profile such as rank_5k: W*H+1
// probabilities for the colour, pass last; -1 if illegal. It changes no setting. Errors are
// ErrNoHumans, or about the profile.
func (e *Engine) HumanPolicy(ctx context.Context, c board.Color, profile string) ([]float32, error) {
	before := e.cfg.Search.Human.Profile
	defer func() { e.cfg.Search.Human.Profile = before }()
	e.cfg.Search.Human.Profile = profile
	if err := e.cfg.Search.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParam, err)
	}
	out, err := e.Evaluate(ctx, thinking.EvaluationRequest{Color: c, Human: true})
	if err != nil {
		return nil, err
	}
	return out.Policy, nil
}

// Delay makes the engine wait before answering, as people do: longer for less obvious moves.
type Delay struct {
	Scale float64 // factor of all waits, in seconds; 0: no waits (KataGo's delayMoveScale)
	Most  float64 // longest wait, in seconds (KataGo's delayMoveMax)
}

// forMove draws the wait before a move of this probability: the average of two exponential variates
// with mean 0.5*Scale/(probability+0.1).
func (d Delay) forMove(probability float64, rng *rand.Rand) time.Duration {
	if d.Scale <= 0 {
		return 0
	}
	mean := 0.5 * d.Scale / (probability + 0.10)
	wait := mean * (rng.ExpFloat64() + rng.ExpFloat64()) / 2
	return time.Duration(max(0.0001, min(wait, d.Most)) * float64(time.Second))
}

// probability returns a move's policy in the human SL network if there is one, else in the main
// network.
func probability(r *search.Result, p board.Point) float64 {
	policy := r.Policy
	if r.Human != nil {
		policy = r.Human.Policy
	}
	if i := r.Size.Index(p); i < len(policy) {
		return max(0, float64(policy[i]))
	}
	return 0
}

// wait delays an answer within the move's time and returns how long it waited. It stops when ctx
// ends.
func (d Delay) wait(ctx context.Context, r *search.Result, p board.Point, random *seeds, t turn) time.Duration {
	wait := t.budget.Hold(d.forMove(probability(r, p), random.stream()), t.used())
	if wait <= 0 {
		return 0
	}
	began := time.Now()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return time.Since(began)
}
