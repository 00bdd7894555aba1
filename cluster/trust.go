package cluster

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/selfplay"
)

const (
	probation  = 4  // games of a new worker that must be found right when they are searched again
	auditEvery = 50 // later games of which one is
	komiDrift  = 2  // points that a fair komi, as a network sees it, may differ by between processors
	bannedFile = "aside.json"

	provenFile = "trusted.json" // who passed the probation, also before a restart
)

// member is a worker as the server knows it.
type member struct {
	card   Card
	seen   time.Time
	passed map[string]bool // exams, by the network's sha256
	last   beat
	beaten time.Time
	games  counts
	tasks  int64

	trusted bool // it is the server's own
	judged  atomic.Int64
	good    atomic.Int64 // games that were searched again and found right

	mu       sync.Mutex
	audits   int
	strikes  int
	drift    float64 // running mean of the difference of raw values
	compared int
}

// counts are verdicts.
type counts struct {
	Stored    int64 `json:"stored"`
	Duplicate int64 `json:"duplicate"`
	Rejected  int64 `json:"rejected"`
	Later     int64 `json:"later"`
}

func (w *member) count(verdict string) {
	switch verdict {
	case stored:
		w.games.Stored++
	case duplicate:
		w.games.Duplicate++
	case rejected:
		w.games.Rejected++
	case later:
		w.games.Later++
	}
}

// tolerance says how far a worker's numbers may be from the server's in fp32:
// mean differences of win minus loss, and of policies.
type tolerance struct {
	game, mean   float64 // raw values of one game, and over many
	policy, root float64 // of searches played again
	divergence   float64 // of the policies in the exam, nats
}

func (c *Card) tolerance() tolerance {
	switch c.Precision {
	case "fp32":
		return tolerance{0.05, 0.02, 0.1, 0.1, 0.01}
	case "int16": // as near, but now and then a search takes another turn
		return tolerance{0.05, 0.02, 0.25, 0.1, 0.01}
	}
	return tolerance{0.25, 0.12, 0.8, 0.5, 0.15}
}

// assess says what is wrong with a game that was looked at again, if anything.
func (w *member) assess(a *selfplay.Audit, t tolerance, again, random bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if random {
		if !a.Opening || a.Turns > 0 && (a.Policy > 0 || a.Root > 0) {
			return errors.New("a game of random moves is not the one that its number makes")
		}
		return nil
	}
	if a.Raw > 0 {
		w.compared++
		w.drift += (a.Value - w.drift) / float64(min(w.compared, 50))
		if a.Raw >= 3 && a.Value > t.game {
			return fmt.Errorf("the network's values in a game are off by %.3f on average", a.Value)
		}
		if w.compared >= 10 && w.drift > t.mean {
			return fmt.Errorf("the network's values are off by %.3f on average of many games", w.drift)
		}
	}
	if !again {
		return nil
	}
	if a.Komi > komiDrift {
		return fmt.Errorf("a game's komi is %.1f points from the one that its number makes", a.Komi)
	}
	w.audits++
	bad := a.Turns > 0 && (a.Policy > t.policy || a.Root > t.root)
	if bad || !a.Opening {
		w.strikes++
	}
	if w.strikes >= 3 && 2*w.strikes > w.audits {
		return fmt.Errorf("%d of %d games are not the ones that their numbers make", w.strikes, w.audits)
	}
	if bad {
		return fmt.Errorf("searches of a game, made again, differ by %.2f in policy and %.2f in value", a.Policy, a.Root)
	}
	return nil
}

// examPositions are positions that a network is asked about: random legal moves
// on the recipe's boards, drawn by the network's own sha256.
func examPositions(o *Offer) ([]*board.Game, error) {
	raw, err := hex.DecodeString(o.SHA256)
	if err != nil || len(raw) < 16 {
		return nil, fmt.Errorf("%q is not a SHA-256", o.SHA256)
	}
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])))
	var all []*board.Game
	for k := range 8 {
		size := selfplay.BoardAt(o.Recipe.Boards, (float64(k)+0.5)/8).Size()
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
func answerExam(ctx context.Context, o *Offer, e nn.Evaluator) (answers, error) {
	a := answers{Offer: o.ID}
	games, err := examPositions(o)
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

// exam compares a worker's answers with the server's own.
func (s *Server) exam(c *call) {
	var a answers
	if err := unpack(c.data, &a); err != nil {
		s.conn.reply(c.reply, receipt{rejected, err.Error()})
		return
	}
	s.mu.Lock()
	w, o := s.roster.members[c.who], s.leases.find(a.Offer)
	var t tolerance
	if w != nil && o != nil {
		t = w.card.tolerance()
		copied := *o
		o = &copied
	}
	s.mu.Unlock()
	if w == nil || o == nil {
		s.conn.reply(c.reply, receipt{later, needHello})
		return
	}
	j := s.judges.of(o.SHA256)
	if j == nil {
		s.conn.reply(c.reply, receipt{later, "that network is not in use"})
		return
	}
	defer j.users.Done()
	j.once.Do(func() { j.want, j.err = answerExam(context.Background(), o, j.eval) })
	if j.err != nil {
		s.conf.Log.Error("the exam cannot be answered here", "error", j.err)
		s.conn.reply(c.reply, receipt{later, "the server cannot check now"})
		return
	}
	if err := compareAnswers(&j.want, &a, t); err != nil {
		s.ban(c.who, err)
		s.conn.reply(c.reply, receipt{rejected, err.Error()})
		return
	}
	s.mu.Lock()
	w.passed[o.SHA256] = true
	s.mu.Unlock()
	s.conn.reply(c.reply, receipt{Verdict: stored})
}

// compareAnswers holds answers against those that are right.
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
