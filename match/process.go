package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
)

// quitPatience is how long a program may take to quit before it is killed.
const quitPatience = 3 * time.Second

// infoBytes bounds the part of a program's stderr that becomes a move's comment.
const infoBytes = 1000

// process is a program that plays one game after another, and is started again after it has ended. The
// methods of process return a *faultError for a fault of the program, an error that wraps ErrConfig if
// the match cannot be played, or the context's error. After a fault of kind crash, timeout or time the
// process has ended.
type process struct {
	plan *plan
	side side
	log  io.Writer // receives the program's stderr; may be nil
	warn func(s side, text string)

	client  *client
	starts  int
	name    string
	knows   map[string]bool // from list_commands; nil without such a list
	dialect timeDialect
}

func (s *process) can(command string) bool { return s.knows[command] }

// do sends a command. kind is the fault if no answer comes in time.
func (s *process) do(ctx context.Context, timeout time.Duration, kind Reason, command string) (reply, error) {
	r, err := s.client.send(ctx, command, timeout)
	if err != nil {
		return r, s.broken(err, kind, command)
	}
	return r, nil
}

// ask formats a command and sends it with the match's timeout for answers.
func (s *process) ask(ctx context.Context, format string, args ...any) (reply, error) {
	return s.do(ctx, s.plan.MoveTimeout, ReasonTimeout, fmt.Sprintf(format, args...))
}

// broken ends a process that did not answer and returns its fault, or the context's error.
func (s *process) broken(err error, slow Reason, command string) error {
	kind := ReasonCrash
	switch {
	case errors.Is(err, errSlow):
		kind = slow
	case !errors.Is(err, errGone) && !errors.Is(err, errFlood) && !errors.Is(err, errForeign):
		return err // the match was stopped
	}
	patience := time.Duration(0)
	if errors.Is(err, errGone) {
		patience = time.Second // time to wait for the program's exit status
	}
	c := s.client
	s.client = nil
	c.close(patience)
	fault := newFault(s.side, kind, "%v at %q", err, command)
	if errors.Is(err, errGone) {
		fault.Detail += ": " + c.cmd.ProcessState.String()
	}
	if s.name == "" { // the program has never answered
		fault.Detail += c.wrote()
	}
	if last := c.stderr.since(0, infoBytes); last != "" {
		fault.Detail += "; its last words: " + last
	}
	if errors.Is(err, errForeign) {
		fault.Detail += "; it may need an option for GTP, as GNU Go needs --mode gtp"
	}
	return fault
}

// start starts the program unless it is already running, and asks for its name and commands.
func (s *process) start(ctx context.Context) error {
	if s.client != nil {
		select {
		case <-s.client.gone:
			s.warn(s.side, "the program ended between two games and was started again")
			s.end(quitPatience)
		default:
			return nil
		}
	}
	c, err := startClient(s.plan.argv[s.side], s.log)
	if err != nil {
		if s.starts > 0 {
			return newFault(s.side, ReasonCrash, "%v", err)
		}
		return fmt.Errorf("%w: program %s does not start: %w", ErrConfig, s.side, err)
	}
	s.client = c
	s.starts++
	if err := s.introduce(ctx); err != nil {
		if fault, ok := errors.AsType[*faultError](err); ok && s.starts == 1 {
			return fmt.Errorf("%w: program %s does not start: %s: %s", ErrConfig, s.side, s.program().Command, fault.Detail)
		}
		return err
	}
	return nil
}

func (s *process) program() Program { return [2]Program{s.plan.A, s.plan.B}[s.side] }

// introduce asks a program that was just started for its name and commands.
func (s *process) introduce(ctx context.Context) error {
	c := s.client
	r, err := c.hello(ctx, "name", s.plan.StartTimeout, func() {
		s.plan.log.Warn(fmt.Sprintf("program %s (%s) has not answered for %v: it may be loading, or not speak GTP%s; its last words: %s",
			s.side, s.program().Command, soon, c.wrote(), cmp.Or(c.stderr.since(0, infoBytes), "none")))
	})
	if err != nil {
		return s.broken(err, ReasonTimeout, "name")
	}
	s.name = s.nameFrom(r)
	r, err = s.ask(ctx, "list_commands")
	if err != nil {
		return err
	}
	s.knows = nil
	if r.ok {
		s.knows = make(map[string]bool)
		for _, command := range strings.Fields(r.text) {
			s.knows[command] = true
		}
	}
	s.dialect = dialectOf(s.can)
	return nil
}

func (s *process) nameFrom(r reply) string {
	if name := s.program().Name; name != "" {
		return name
	}
	name, _, _ := strings.Cut(cleanText(r.text), "\n")
	if !r.ok || name == "" {
		return "program " + s.side.String()
	}
	return name
}

// newGame sends the board size, rules, komi and clock.
func (s *process) newGame(ctx context.Context) error {
	for _, command := range []string{s.sizeCommand(), "clear_board"} {
		r, err := s.ask(ctx, "%s", command)
		if err != nil {
			return err
		}
		if !r.ok {
			return fmt.Errorf("%w: program %s (%s) refuses %q: %s", ErrConfig, s.side, s.name, command, r.text)
		}
	}
	if err := s.tellRules(ctx); err != nil {
		return err
	}
	komi := strconv.FormatFloat(float64(s.plan.rules.Komi), 'f', -1, 32)
	r, err := s.ask(ctx, "komi %s", komi)
	switch {
	case err != nil:
		return err
	case !r.ok && (s.knows == nil || s.can("komi")):
		return fmt.Errorf("%w: program %s (%s) refuses komi %s: %s", ErrConfig, s.side, s.name, komi, r.text)
	case !r.ok:
		s.warn(s.side, "does not know the command komi; its komi may differ")
	}
	return s.tellClock(ctx)
}

func (s *process) sizeCommand() string {
	size := s.plan.Size
	switch {
	case size.W == size.H:
		return fmt.Sprintf("boardsize %d", size.W)
	case s.can("rectangular_boardsize"):
		return fmt.Sprintf("rectangular_boardsize %d %d", size.W, size.H)
	}
	return fmt.Sprintf("boardsize %d %d", size.W, size.H)
}

// kgsRules maps names of rules to those of kgs-rules.
var kgsRules = map[string]string{
	"japanese": "japanese", "chinese": "chinese", "chinesekgs": "chinese", "aga": "aga",
	"newzealand": "new_zealand", "nz": "new_zealand",
}

// tellRules sends the rules in the first form that the program accepts.
func (s *process) tellRules(ctx context.Context) error {
	var commands []string
	if s.can("kata-set-rules") {
		if !strings.HasPrefix(strings.TrimSpace(s.plan.Rules), "{") {
			commands = append(commands, "kata-set-rules "+strings.Join(strings.Fields(s.plan.Rules), " "))
		}
		commands = append(commands, "kata-set-rules "+s.plan.rules.JSON())
	}
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s.plan.Rules))
	if name := kgsRules[plain]; name != "" && s.can("kgs-rules") {
		commands = append(commands, "kgs-rules "+name)
	}
	refused := "lists no command for rules"
	for _, command := range commands {
		r, err := s.ask(ctx, "%s", command)
		if err != nil || r.ok {
			return err
		}
		refused = fmt.Sprintf("refuses %q", command)
	}
	s.warn(s.side, refused+"; its own rules must be the same as the match's")
	return nil
}

func (s *process) tellClock(ctx context.Context) error {
	set := s.plan.Time
	switch {
	case set.System == clock.None: // nothing is sent, so that the program's own setting applies
		return nil
	case s.dialect == dialectNone:
		s.warn(s.side, "lists no command for clocks; it plays under one all the same")
		return nil
	}
	command := s.dialect.settings(set)
	if set.System == clock.Fischer && s.dialect != dialectKata {
		s.warn(s.side, "does not know Fischer's clock; it gets Canadian overtime instead")
	}
	r, err := s.ask(ctx, "%s", command)
	if err == nil && !r.ok {
		s.warn(s.side, fmt.Sprintf("refuses %q; it plays under a clock all the same", command))
	}
	return err
}

func (s *process) play(ctx context.Context, m board.Move) error {
	vertex := s.plan.Size.Vertex(m.Point)
	r, err := s.ask(ctx, "play %s %s", m.Color, vertex)
	if err == nil && !r.ok {
		return newFault(s.side, ReasonRefusal, "refuses the legal move %s %s: %s", m.Color, vertex, cleanText(r.text))
	}
	return err
}

// genmove asks for a move and returns the first word of the answer and the time taken.
func (s *process) genmove(ctx context.Context, c board.Color, k *clock.Clock) (word string, took time.Duration, err error) {
	if left := s.dialect.left(k); left != "" && s.can("time_left") {
		if _, err := s.ask(ctx, "time_left %s %s", c, left); err != nil {
			return "", 0, err
		}
	}
	limit, kind := s.plan.MoveTimeout, ReasonTimeout
	if left := k.Total() + s.plan.TimeGrace; k.Limited() && left < limit {
		limit, kind = left, ReasonTime
	}
	start := time.Now()
	r, err := s.do(ctx, limit, kind, "genmove "+c.String())
	took = time.Since(start)
	if err != nil {
		return "", took, err
	}
	if !r.ok {
		return "", took, newFault(s.side, ReasonRefusal, "refuses to move: %s", cleanText(r.text))
	}
	fields := strings.Fields(r.text)
	if len(fields) == 0 {
		return "", took, newFault(s.side, ReasonIllegal, "empty answer to genmove")
	}
	return fields[0], took, nil
}

// explain returns the program's comment on its last move: its answer to gomill-explain_last_move if
// it has that command, else its stderr after the first mark bytes.
func (s *process) explain(ctx context.Context, mark int64) (string, error) {
	if !s.can("gomill-explain_last_move") {
		return s.client.stderr.since(mark, infoBytes), nil
	}
	r, err := s.ask(ctx, "gomill-explain_last_move")
	if err != nil || !r.ok {
		return "", err
	}
	return cleanText(r.text), nil
}

// end ends the program, if it runs, and kills it if it has not quit in time.
func (s *process) end(patience time.Duration) {
	if s.client != nil {
		s.client.close(patience)
		s.client = nil
	}
}
