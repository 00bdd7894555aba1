package life

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/life/solver"
)

// Text describes an answer in several lines.
func (a *Answer) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s's %s", title(a.Defender), strings.Join(a.Target, " "))
	switch {
	case a.Quantifier == "all":
		b.WriteString(", all of which must be taken")
	case len(a.Target) > 1:
		b.WriteString(", all of which must live")
	}
	fmt.Fprintf(&b, "; %s\n", a.Rules)
	if len(a.Assumed) > 0 {
		fmt.Fprintf(&b, "If these are alive: %s\n", strings.Join(a.Assumed, " "))
	}
	for _, c := range []struct {
		first, second string
		card          *Card
	}{{a.Attacker, a.Defender, a.Attacks}, {a.Defender, a.Attacker, a.Defends}} {
		if c.card != nil {
			fmt.Fprintf(&b, "%s first: %s\n", title(c.first), c.card.say())
			for _, line := range []string{a.plays(c.card, c.first), a.ko(c.card)} {
				if line != "" {
					fmt.Fprintf(&b, "  %s.\n", line)
				}
			}
		}
	}
	return b.String()
}

func title(color string) string { return strings.ToUpper(color[:1]) + color[1:] }

// say describes a card's verdict.
func (c *Card) say() string {
	words := map[string]string{
		Dead: "dead", Alive: "alive", Seki: "seki", Held: "not taken; whether it can live is open",
		Repetition: "positions repeat: it depends on the ko rule", Unknown: "not proven",
	}[c.Verdict]
	if c.Proved {
		words += ", proved"
	}
	if c.Network != nil {
		words += fmt.Sprintf("; the network says %.0f %% alive", 100**c.Network)
	}
	if len(c.Known) > 0 {
		words += "; proved: " + strings.Join(c.Known, ", ")
	}
	return words
}

// plays describes the first moves that reach the verdict.
func (a *Answer) plays(c *Card, first string) string {
	who, deed := first, ""
	switch c.Verdict {
	case Dead:
		who, deed = a.Attacker, "kills"
	case Alive:
		who, deed = a.Defender, "lives"
	case Held:
		who, deed = a.Defender, "holds"
	case Seki:
		deed = "makes seki"
	case Repetition:
		deed = "has positions repeat"
	default:
		return ""
	}
	other := map[string]string{a.Attacker: a.Defender, a.Defender: a.Attacker}[who]
	words := title(who) + " " + deed
	if who != first || len(c.Moves) == 0 && c.AllMoves {
		return words + " whatever " + title(other) + " plays"
	}
	if len(c.Moves) == 0 {
		return ""
	}
	at := slices.DeleteFunc(slices.Clone(c.Moves), func(m string) bool { return m == "pass" })
	switch {
	case len(at) == 0:
		words += " by playing elsewhere"
	case len(at) < len(c.Moves):
		words += " at " + listed(append(at, "elsewhere"))
	default:
		words += " at " + listed(at)
	}
	if !c.AllMoves {
		words += " (perhaps also by other moves)"
	}
	return words
}

// listed joins names: "A1, A2 or A3".
func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ko describes the threats that change the verdict, and the ko.
func (a *Answer) ko(c *Card) string {
	who, other, n := a.Defender, a.Attacker, c.NeedD
	if n == 0 {
		who, other, n = a.Attacker, a.Defender, c.NeedA
	}
	deed := map[string]string{Dead: "kill", Alive: "live", Seki: "make seki", Held: "hold", Repetition: "have positions repeat"}[c.Then]
	switch {
	case n == 0:
		return ""
	case c.NeedD == Endless:
		return "Ko threats only delay that"
	case n == Endless:
		return fmt.Sprintf("Double ko: %s needs endless threats to %s", title(who), deed)
	case c.AtLeast && deed == "" && n == 2:
		return fmt.Sprintf("Ko: one threat more for %s changes nothing", title(who))
	case c.AtLeast && deed == "":
		return fmt.Sprintf("Ko: up to %s for %s change nothing", threats(n-1), title(who))
	case c.AtLeast:
		return fmt.Sprintf("Ko: %s needs at least %s to %s", title(who), threats(n), deed)
	}
	words := fmt.Sprintf("Ko: %s takes first, and %s needs %s to %s", title(other), title(who), threats(n), deed)
	if c.Ko == nil {
		return words
	}
	words += "; " + c.Ko.Name
	if strings.HasSuffix(c.Ko.Name, "approach ko") {
		words += fmt.Sprintf(" of %d", c.Ko.Steps)
	}
	if len(c.Ko.Line) > 0 {
		words += ": " + strings.Join(c.Ko.Line, " ")
	}
	return words
}

// under describes the ko threats under which a claim holds.
func under(threat [2]uint8, attacker, defender string) string {
	for k, who := range []string{attacker, defender} {
		switch n := Need(threat[k]); {
		case n == solver.Any:
			return "with any number of ko threats for " + title(who)
		case n == solver.Endless:
			return "with endless ko threats for " + title(who)
		case n > 0:
			return fmt.Sprintf("with %s for %s", threats(n), title(who))
		}
	}
	return "without ko threats"
}

func threats(n Need) string {
	if n == 1 {
		return "one threat more"
	}
	return fmt.Sprintf("%d threats more", n)
}
