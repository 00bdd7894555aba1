package review

import (
	"strconv"
	"strings"
)

// Claim is a statement about a mistake; only checked statements become claims. Vertices are like
// "Q16".
type Claim struct {
	Kind ClaimKind `json:"kind"`
	// After names the line of play that shows the claim; "" if only the moves in Line show it.
	After Line `json:"after"`
	// Color is the side, "b" or "w", of Stones.
	Color  string   `json:"color,omitempty"`
	Stones []string `json:"stones,omitempty"`
	// Others are the stones that Stones are cut from or connected to, or that break a ladder on Stones.
	Others []string `json:"others,omitempty"`
	// Area are the points of a territory that changes hands.
	Area []string `json:"area,omitempty"`
	// Move is the move that the claim is about.
	Move string `json:"move,omitempty"`
	// Line has the moves of the line that shows the claim, from the position before the mistake. It is
	// empty for AfterPlayed and AfterBetter, since the report has these lines anyway.
	Line []string `json:"line,omitempty"`
	// Region is a key of the part of the board, such as "upper_left" or "centre".
	Region string `json:"region,omitempty"`
	// Proved reports whether life or death is proved. Only reports whether Move is proved to be the
	// only move with this effect.
	Proved bool `json:"proved,omitempty"`
	Only   bool `json:"only,omitempty"`
	// Later reports whether the line takes Stones after Move, not by it.
	Later bool `json:"later,omitempty"`
	// Of is the claim that a threat would make true; nil if the claim is not about a threat.
	Of *Claim `json:"of,omitempty"`
}

// Line names a line of play from the position before a mistake.
type Line string

// The lines.
const (
	AfterPlayed Line = "played"  // the mistake and its refutation
	AfterBetter Line = "better"  // the better line
	AfterPass   Line = "pass"    // a pass in place of the mistake, then the opponent's best line
	AfterTenuki Line = "ignored" // the better move, the opponent's pass, then the mover's best line
)

// ClaimKind is the kind of a claim.
type ClaimKind string

// The kinds of claims. Those from Small on are not about the fate of stones.
const (
	Captured    ClaimKind = "captured"    // Stones are taken
	Laddered    ClaimKind = "laddered"    // Stones are caught in a ladder
	Broken      ClaimKind = "broken"      // the mistake's ladder on Stones does not work because of Others
	Dies        ClaimKind = "dies"        // Stones can no longer be saved
	Lives       ClaimKind = "lives"       // the opponent's Stones can no longer be killed
	Parted      ClaimKind = "parted"      // Stones are cut from Others, and weak
	Joined      ClaimKind = "joined"      // the opponent's Stones and Others are connected
	Weak        ClaimKind = "weak"        // Stones, which would probably live, now probably die
	Stronger    ClaimKind = "stronger"    // the opponent's Stones, which would probably die, now probably live
	Weakens     ClaimKind = "weakens"     // Stones are weaker
	Strengthens ClaimKind = "strengthens" // the opponent's Stones are stronger
	Atari       ClaimKind = "atari"       // the refutation puts Stones in atari
	Threat      ClaimKind = "threat"      // the mistake does not prevent the opponent's threat to make the claim Of true
	Saves       ClaimKind = "saves"       // the better move saves Stones
	Kills       ClaimKind = "kills"       // the better move kills Stones
	Connects    ClaimKind = "connects"    // the better move connects Stones and Others
	Cuts        ClaimKind = "cuts"        // the better move cuts Stones from Others
	Takes       ClaimKind = "takes"       // the better move captures Stones
	Hunts       ClaimKind = "hunts"       // the better move catches Stones in a ladder
	Attacks     ClaimKind = "attacks"     // the better move puts Stones in atari
	Threatens   ClaimKind = "threatens"   // if the better move is not answered, the claim in the field Of comes true
	Small       ClaimKind = "small"       // the mistake gains less than half of what the better move gains
	Unneeded    ClaimKind = "unneeded"    // as Small; the mistake answers the opponent's last move
	Inside      ClaimKind = "inside"      // as Small; the mistake is in the mover's own territory
	Holds       ClaimKind = "holds"       // most of the loss is in Region
	Sente       ClaimKind = "sente"       // ignoring the better move costs more than that move gains
	Gote        ClaimKind = "gote"        // ignoring the mistake costs less than the better move gains
	Shape       ClaimKind = "shape"       // the mistake makes an empty triangle
	Direct      ClaimKind = "direction"   // the better move is in a different part of the board, Region
	Worth       ClaimKind = "worth"       // the better move is better; no further reason is known
)

// Templates are the texts of claims in English, by [Claim.Key]; the page has them in other
// languages. {us} is the mover, {them} the opponent.
var Templates = map[string]string{
	"captured":           "{them} answers at {move} and captures {stones} at {at}.",
	"captured_later":     "{them} answers at {move} and goes on to capture {stones} at {at}.",
	"laddered":           "{them} catches {stones} at {at} in a ladder that begins at {move}.",
	"broken":             "The ladder on {stones} at {at} does not work: {other} is in the way.",
	"dies":               "{them} answers at {move} and kills {stones} at {at}.",
	"dies_proved":        "{them} answers at {move} and kills {stones} at {at} (proved).",
	"lives":              "{them} answers at {move} and saves {stones} at {at}.",
	"lives_proved":       "{them} answers at {move} and saves {stones} at {at} (proved).",
	"parted":             "This lets {them} cut {stones} at {at} off from {other}.",
	"joined":             "This lets {them} connect {at} and {other}.",
	"weak":               "This puts {stones} at {at} in danger; {move} prevents that.",
	"stronger":           "This takes the pressure off {stones} at {at}; {move} keeps it up.",
	"weakens":            "This makes {stones} at {at} weaker than {move} would.",
	"strengthens":        "This makes {stones} at {at} stronger than {move} would.",
	"atari":              "{them} answers at {move} and puts {stones} at {at} in atari.",
	"attacks":            "{move} puts {stones} at {at} in atari.",
	"threat_parted":      "This leaves {them}'s threat to cut {at} off from {other} with {move}.",
	"threat_captured":    "This leaves {them}'s threat to capture {stones} at {at}, beginning at {move}.",
	"threat_weak":        "This lets {them} attack {stones} at {at} with {move}.",
	"threat_dies":        "This leaves {them}'s threat to kill {stones} at {at} with {move}.",
	"saves":              "{move} saves {stones} at {at}.",
	"saves_proved":       "{move} saves {stones} at {at} (proved).",
	"saves_only":         "Only {move} saves {stones} at {at} (proved).",
	"kills":              "{move} kills {stones} at {at}.",
	"kills_proved":       "{move} kills {stones} at {at} (proved).",
	"kills_only":         "Only {move} kills {stones} at {at} (proved).",
	"connects":           "{move} connects {at} and {other}.",
	"cuts":               "{move} cuts {stones} at {at} off from {other}.",
	"takes":              "{move} leads to the capture of {stones} at {at}.",
	"hunts":              "{move} catches {stones} at {at} in a ladder.",
	"threatens_captured": "{move} threatens to capture {stones} at {at}.",
	"threatens_weak":     "{move} attacks {stones} at {at}.",
	"threatens_dies":     "{move} threatens to kill {stones} at {at}.",
	"threatens_saves":    "{move} threatens to save {stones} at {at}.",
	"small":              "{played} is small: {move} is worth more than twice as much.",
	"unneeded":           "No need to answer here: {move} is worth more than twice as much.",
	"inside":             "{played} is inside {us}'s own territory and gains next to nothing.",
	"holds":              "This loses points {region}; {move} is better.",
	"sente":              "{move} is sente: {them} has to answer.",
	"gote":               "{played} is gote: {them} need not answer.",
	"shape":              "{played} makes an empty triangle; {move} is better.",
	"direction":          "The bigger move is {move}, {region}.",
	"worth":              "{move} is better.",
	"stones_one":         "the stone",
	"stones_other":       "the {n} stones",
	"region_upper_left":  "in the upper left corner", "region_upper_right": "in the upper right corner",
	"region_lower_left": "in the lower left corner", "region_lower_right": "in the lower right corner",
	"region_left": "on the left side", "region_right": "on the right side", "region_upper": "on the upper side", "region_lower": "on the lower side", "region_centre": "in the centre",
}

// Key returns the key of a claim's text in [Templates].
func (c *Claim) Key() string {
	switch {
	case c.Of != nil:
		return string(c.Kind) + "_" + string(c.Of.Kind)
	case c.Only:
		return string(c.Kind) + "_only"
	case c.Proved:
		return string(c.Kind) + "_proved"
	case c.Later:
		return string(c.Kind) + "_later"
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
			"{at}", first(about.Stones), "{other}", first(about.Others),
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
