package review

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Claim is one statement about a mistake, checked before it is made. Vertices are such as "Q16".
type Claim struct {
	Kind ClaimKind `json:"kind"`
	// After names the line that shows it.
	After Line `json:"after"`
	// Color is the side, "b" or "w", of Stones.
	Color  string   `json:"color,omitempty"`
	Stones []string `json:"stones,omitempty"`
	// Others are the stones that Stones are cut from or connected to.
	Others []string `json:"others,omitempty"`
	// Area are the points of a territory that changes hands.
	Area []string `json:"area,omitempty"`
	// Move is the move that does it.
	Move string `json:"move,omitempty"`
	// Line is the line from the position before the mistake, if it is neither the better line
	// nor the refutation.
	Line []string `json:"line,omitempty"`
	// Number is in points; for Weak and Stronger it is
	// the stones' chance of life in percent.
	Number float64 `json:"number,omitempty"`
	// Against is what Number compares with: the value of the better move, for Weak and Stronger the
	// chance after it.
	Against float64 `json:"against,omitempty"`
	// Region is a key of the part of the board, such as "upper_left" or "centre".
	Region string `json:"region,omitempty"`
	// Proved reports whether life and death was proved.
	Proved bool `json:"proved,omitempty"`
	// Of is the claim that a threat is about.
	Of *Claim `json:"of,omitempty"`
}

// Line names a line of play from the position before a mistake.
type Line string

// The lines.
const (
	AfterPlayed Line = "played"  // the mistake and its refutation
	AfterBetter Line = "better"  // the better line
	AfterPass   Line = "pass"    // a pass in place of the mistake, and the opponent's best
	AfterTenuki Line = "ignored" // the better move, a pass of the opponent's, and the best that follows
)

// ClaimKind is the kind of a claim.
type ClaimKind string

// The kinds of claims. Small to Worth name no stones.
const (
	Captured  ClaimKind = "captured"  // Stones are taken
	Laddered  ClaimKind = "laddered"  // Stones are caught in a ladder
	Dies      ClaimKind = "dies"      // Stones cannot be saved any more
	Lives     ClaimKind = "lives"     // the opponent's Stones cannot be killed any more
	Parted    ClaimKind = "parted"    // Stones are cut from Others, and weak
	Weak      ClaimKind = "weak"      // Stones are in danger
	Stronger  ClaimKind = "stronger"  // the opponent's Stones are safer
	Threat    ClaimKind = "threat"    // the opponent threatens Of, and the mistake leaves it
	Saves     ClaimKind = "saves"     // the better move saves Stones
	Kills     ClaimKind = "kills"     // the better move kills Stones
	Connects  ClaimKind = "connects"  // the better move connects Stones and Others
	Takes     ClaimKind = "takes"     // the better move captures Stones
	Hunts     ClaimKind = "hunts"     // the better move catches Stones in a ladder
	Threatens ClaimKind = "threatens" // the better move threatens Of
	Small     ClaimKind = "small"     // Number points against Against
	Unneeded  ClaimKind = "unneeded"  // Small, as an answer to the move before
	Inside    ClaimKind = "inside"    // Small, in the mover's own territory
	Gains     ClaimKind = "gains"     // the better move gains Number points in Region
	Sente     ClaimKind = "sente"     // to ignore the better move costs Number points
	Direct    ClaimKind = "direction" // Region is the bigger part of the board
	Worth     ClaimKind = "worth"     // the better move is Number points better, no more is known
)

// Concrete reports whether a claim names stones, or a threat to stones.
func (c *Claim) Concrete() bool { return len(c.Stones) > 0 || c.Of != nil }

// Templates are the texts of claims in English, by [Claim.Key]; the page has them in other
// languages. {us} is the mover, {them} the opponent.
var Templates = map[string]string{
	"captured":           "{them} answers {move} and captures {stones} at {at}: about {points} points.",
	"laddered":           "{them} catches {stones} at {at} in a ladder that begins with {move}.",
	"dies":               "{them} answers {move} and kills {stones} at {at}: about {points} points.",
	"lives":              "{them} answers {move} and saves {stones} at {at}: about {points} points.",
	"parted":             "{them} cuts {stones} at {at} off from {other}, and they become weak.",
	"weak":               "The chance of {stones} at {at} to live falls to {points} %; after {move} it is {against} %.",
	"stronger":           "The chance of {them}'s {stones} at {at} to live rises to {points} %; after {move} it is {against} %.",
	"threat_captured":    "This leaves {them}'s threat of {move}, which captures {stones} at {at}.",
	"threat_laddered":    "This leaves {them}'s threat of {move}, a ladder that catches {stones} at {at}.",
	"threat_dies":        "This leaves {them}'s threat of {move}, which kills {stones} at {at}.",
	"saves":              "{move} saves {stones} at {at} and is about {points} points better.",
	"saves_proved":       "Only {move} saves {stones} at {at}; that is proved.",
	"kills":              "{move} kills {stones} at {at} and is about {points} points better.",
	"kills_proved":       "Only {move} kills {stones} at {at}; that is proved.",
	"connects":           "{move} connects {at} and {other} and is about {points} points better.",
	"takes":              "{move} leads to the capture of {stones} at {at}: about {points} points.",
	"hunts":              "{move} catches {stones} at {at} in a ladder and is about {points} points better.",
	"threatens_captured": "{move} threatens to capture {stones} at {at} and is about {points} points better.",
	"threatens_dies":     "{move} threatens to kill {stones} at {at} and is about {points} points better.",
	"small":              "{played} gains about {points} points here; {move} gains about {against}.",
	"unneeded":           "No need to answer: {played} gains about {points} points; {move} gains about {against}.",
	"inside":             "{played} is inside {us}'s own territory and gains about {points} points; {move} gains about {against}.",
	"gains":              "{move} is worth about {points} points more in the {region}.",
	"sente":              "{move} is sente: ignoring it costs {them} about {points} points.",
	"direction":          "The bigger place is the {region}: {move} is about {points} points better.",
	"worth":              "{move} is about {points} points better.",
	"stones_one":         "{n} stone",
	"stones_other":       "{n} stones",
	"region_upper_left":  "upper left corner", "region_upper_right": "upper right corner",
	"region_lower_left": "lower left corner", "region_lower_right": "lower right corner",
	"region_left": "left side", "region_right": "right side", "region_upper": "upper side", "region_lower": "lower side", "region_centre": "centre",
}

// Key returns the key of a claim's text in [Templates].
func (c *Claim) Key() string {
	switch {
	case c.Of != nil:
		return string(c.Kind) + "_" + string(c.Of.Kind)
	case c.Proved && (c.Kind == Saves || c.Kind == Kills):
		return string(c.Kind) + "_proved"
	}
	return string(c.Kind)
}

// Say composes the English sentences of the claims about a move of a side, "b" or "w".
func Say(claims []Claim, color, played string) string {
	us, them := "Black", "White"
	if color == "w" {
		us, them = them, us
	}
	said := make([]string, len(claims))
	for i := range claims {
		c := &claims[i]
		about := c
		if c.Of != nil {
			about = c.Of
		}
		count := strconv.Itoa(len(about.Stones))
		stones := Templates["stones_other"]
		if count == "1" {
			stones = Templates["stones_one"]
		}
		said[i] = strings.NewReplacer("{us}", us, "{them}", them, "{played}", played, "{move}", c.Move, "{stones}", strings.Replace(stones, "{n}", count, 1),
			"{at}", first(about.Stones), "{other}", first(about.Others), "{points}", rounded(c.Number), "{against}", rounded(c.Against),
			"{region}", Templates["region_"+c.Region]).Replace(Templates[c.Key()])
	}
	return strings.Join(said, " ")
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// rounded formats a number of points: whole from 3 on.
func rounded(x float64) string {
	if x >= 3 {
		return strconv.Itoa(int(math.Round(x)))
	}
	return fmt.Sprintf("%.1f", x)
}
