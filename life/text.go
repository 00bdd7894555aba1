package life

import (
	"fmt"
	"strings"

	"kosumi/life/solver"
)

// Text says an answer in words, several lines.
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
		first string
		card  *Card
	}{{a.Attacker, a.Attacks}, {a.Defender, a.Defends}} {
		if c.card != nil {
			fmt.Fprintf(&b, "%s first: %s\n", title(c.first), a.say(c.card, title(c.first)))
		}
	}
	return b.String()
}

func title(color string) string { return strings.ToUpper(color[:1]) + color[1:] }

// say puts a card into words, for the side that moves first.
func (a *Answer) say(c *Card, first string) string {
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
	switch {
	case c.AnyMove:
		words += ", whatever " + first + " plays"
	case len(c.Moves) > 0:
		words += "; moves: " + strings.Join(c.Moves, " ")
		if !c.AllMoves {
			words += " (perhaps others)"
		}
	}
	if len(c.Known) > 0 {
		words += "; proved: " + strings.Join(c.Known, ", ")
	}
	then := map[string]string{Dead: "it dies", Alive: "it lives", Seki: "it is seki", Held: "it is not taken", Repetition: "positions repeat"}[c.Then]
	switch {
	case c.NeedD == solver.Endless:
		words += "; threats only delay that"
	case c.NeedD > 0:
		words += fmt.Sprintf("; with %s for %s %s", threats(c.NeedD), title(a.Defender), then)
	case c.NeedA == solver.Endless:
		words += "; only with endless threats for " + title(a.Attacker) + " " + then
	case c.NeedA > 0:
		words += fmt.Sprintf("; with %s for %s %s", threats(c.NeedA), title(a.Attacker), then)
	}
	if c.Ko != nil {
		words += " (" + c.Ko.Name
		if c.Ko.Name == "approach ko" {
			words += fmt.Sprintf(" of %d", c.Ko.Steps)
		}
		if len(c.Ko.Line) > 0 {
			words += ": " + strings.Join(c.Ko.Line, " ")
		}
		words += ")"
	}
	return words
}

// under says for which ko threats of both sides a claim holds.
func under(threat [2]uint8, attacker, defender string) string {
	for k, who := range []string{attacker, defender} {
		switch n := Need(threat[k]); {
		case n >= solver.Endless:
			return "with endless ko threats for " + title(who)
		case n > 0:
			return fmt.Sprintf("with %s for %s", threats(n), title(who))
		}
	}
	return "without ko threats"
}

func threats(n Need) string {
	if n == 1 {
		return "1 ko threat more"
	}
	return fmt.Sprintf("%d ko threats more", n)
}
