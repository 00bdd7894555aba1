package cluster

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/selfplay"
)

// tolerance bounds how far a worker's evaluations may differ from the server's in fp32.
type tolerance struct {
	game, mean float64 // mean difference of win minus loss, in one game and over many games
	divergence float64 // mean divergence of the policies in the exam, nats
}

func (c *Card) tolerance() tolerance {
	if c.Precision == "fp32" || c.Precision == "int16" {
		return tolerance{0.05, 0.02, 0.01}
	}
	return tolerance{0.25, 0.12, 0.15}
}

// assess returns an error if the worker's values in a game, or on average in all games, differ too
// much from the server's. n is the number of values compared in this game, off their mean difference.
func (w *member) assess(n int, off float64, t tolerance) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n == 0 {
		return nil
	}
	w.compared++
	w.drift += (off - w.drift) / float64(min(w.compared, 50))
	if n >= 3 && off > t.game {
		return fmt.Errorf("the network's values in a game are off by %.3f on average", off)
	}
	if w.compared >= 10 && w.drift > t.mean {
		return fmt.Errorf("the network's values are off by %.3f on average of many games", w.drift)
	}
	return nil
}

// examPositions are the positions for the exam of a network: random legal moves on the exam's
// boards, seeded by the network's sha256.
func examPositions(x *Exam) ([]*board.Game, error) {
	raw, err := hex.DecodeString(x.SHA256)
	if err != nil || len(raw) < 16 || len(x.Boards) == 0 {
		return nil, fmt.Errorf("no exam: %q is not a SHA-256, or there is no board", x.SHA256)
	}
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])))
	var all []*board.Game
	for k := range 8 {
		size := selfplay.BoardAt(x.Boards, (float64(k)+0.5)/8).Size()
		g, err := board.NewGame(size, board.Rules{Ko: board.KoPositional, Komi: 7})
		if err != nil {
			return nil, err
		}
		for range rng.IntN(size.Area()/2 + 1) {
			for range 20 {
				if p := size.FromIndex(rng.IntN(size.Area())); g.Legal(g.ToMove(), p) == nil {
					if err := g.Play(g.ToMove(), p); err != nil {
						return nil, err
					}
					break
				}
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// answerExam asks a network about the positions of the exam.
func answerExam(ctx context.Context, x *Exam, e nn.Evaluator) (answers, error) {
	a := answers{SHA256: x.SHA256}
	games, err := examPositions(x)
	if err != nil {
		return a, err
	}
	for _, g := range games {
		var out nn.Output
		if err := e.Evaluate(ctx, &nn.Query{Game: g, SkipCache: true}, &out); err != nil {
			return a, err
		}
		a.Policy = append(a.Policy, out.Policy[:g.Size().Area()+1:g.Size().Area()+1])
		a.Value = append(a.Value, out.Value())
	}
	return a, nil
}

func (s *Server) exam(c *call) {
	s.mu.Lock()
	a, w := read[answers](s, c, receipt{later, needHello})
	s.mu.Unlock()
	if w != nil {
		s.conn.reply(c.reply, s.mark(c.who, w, a))
	}
}

// mark compares a worker's answers to an exam with the server's own.
func (s *Server) mark(who string, w *member, a *answers) receipt {
	j := s.judges.of(a.SHA256)
	if j == nil {
		return receipt{later, "that network is not in use"}
	}
	defer j.users.Done()
	want, err := j.answers()
	if err != nil {
		s.conf.Log.Error("the exam cannot be answered here", "error", err)
		return receipt{later, "the server cannot check now"}
	}
	if err := compareAnswers(&want, a, s.tolerance(w)); err != nil {
		s.ban(who, err)
		return receipt{rejected, err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.passed[a.SHA256] = true
	return receipt{Verdict: stored}
}

func (s *Server) tolerance(w *member) tolerance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.card.tolerance()
}

// compareAnswers returns an error if answers differ from the right ones by more than t.
func compareAnswers(want, got *answers, t tolerance) error {
	if len(got.Policy) != len(want.Policy) || len(got.Value) != len(want.Value) {
		return fmt.Errorf("%d answers in the exam, %d are expected", len(got.Value), len(want.Value))
	}
	var value, divergence float64
	n := float64(len(want.Value))
	for i := range want.Value {
		if len(got.Policy[i]) != len(want.Policy[i]) {
			return fmt.Errorf("a policy of %d numbers in the exam", len(got.Policy[i]))
		}
		value += math.Abs(float64(want.Value[i]-got.Value[i])) / n
		for k, p := range want.Policy[i] {
			if p > 0 {
				divergence += float64(p) * math.Log(float64(p)/max(1e-9, float64(got.Policy[i][k]))) / n
			}
		}
	}
	if !(value <= t.mean && divergence <= t.divergence) {
		return fmt.Errorf("in the exam the network's values are off by %.3f, its policies by %.3f nats", value, divergence)
	}
	return nil
}
