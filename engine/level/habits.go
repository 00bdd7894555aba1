package level

// Habits counts mistakes that beginners make and others rarely do, in the records of one player.
type Habits struct {
	Sides int `json:"sides"` // number of sides of games (a side is one player's part in a game)
	Moves int `json:"moves"` // number of their moves, passes included
	// FirstLine counts moves on the edge of the board among the first 30 of a game.
	FirstLine int `json:"firstLine"`
	// SelfAtaris counts moves that put three or more of the player's own stones into atari and capture nothing.
	SelfAtaris int `json:"selfAtaris"`
	// Ataris counts the opponent's moves that put a chain into atari while the player can save it
	// by a capture, or by an extension to three liberties. AtarisLeft counts those after which the
	// player did not save it.
	Ataris     int `json:"ataris"`
	AtarisLeft int `json:"atarisLeft"`
	// Eyes counts one-point eyes that the player filled without saving a chain.
	Eyes int `json:"eyes"`
	// EarlyPasses counts passes that lost a point or more while the opponent played on.
	EarlyPasses int `json:"earlyPasses"`
}

// Add adds the counts of other records.
func (h *Habits) Add(o Habits) {
	h.Sides, h.Moves = h.Sides+o.Sides, h.Moves+o.Moves
	h.FirstLine, h.SelfAtaris = h.FirstLine+o.FirstLine, h.SelfAtaris+o.SelfAtaris
	h.Ataris, h.AtarisLeft = h.Ataris+o.Ataris, h.AtarisLeft+o.AtarisLeft
	h.Eyes, h.EarlyPasses = h.Eyes+o.Eyes, h.EarlyPasses+o.EarlyPasses
}
