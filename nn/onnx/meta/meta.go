// Package meta holds the keys of the metadata with which Kosumi's ONNX files describe themselves.
// Values are text: numbers in decimal, flags as 0 or 1.
package meta

// Keys of every network.
const (
	Format  = "kosumi.format"  // "1"
	Kind    = "kosumi.kind"    // "dual-head", "seed" or "katago"
	Encoder = "kosumi.encoder" // input planes: "mini7", "agz17", "agz17-split", "seed22", "v3" to "v7"
	Board   = "kosumi.board"   // "9x13" (width x height), or "any"
	Policy  = "kosumi.policy"  // "logits", "log_softmax" or "softmax"
	Value   = "kosumi.value"   // "tanh" or "wdl"
	Heads   = "kosumi.heads"   // outputs, comma-separated
)

// Keys of a network's origin.
const (
	Name         = "kosumi.name"          // network's own name
	Source       = "kosumi.source"        // file it was converted from
	SourceSHA256 = "kosumi.source_sha256" // of the source file; if that is compressed, of its compressed bytes
	Arch         = "kosumi.arch"          // architecture, as `engine net new` knows it
	Seed         = "kosumi.seed"          // seed of the first weights
)

// Keys of the header of a KataGo network.
const (
	KataGoForm       = "kosumi.katago.form" // "run" or "exact"
	KataGoVersion    = "kosumi.katago.version"
	PolicyChannels   = "kosumi.katago.policy_channels"
	ScoreValues      = "kosumi.katago.score_values"
	TDScoreMult      = "kosumi.katago.td_score_multiplier"
	ScoreMeanMult    = "kosumi.katago.score_mean_multiplier"
	ScoreStdevMult   = "kosumi.katago.score_stdev_multiplier"
	LeadMult         = "kosumi.katago.lead_multiplier"
	VarTimeMult      = "kosumi.katago.var_time_multiplier"
	ValueErrorMult   = "kosumi.katago.shortterm_value_error_multiplier"
	ScoreErrorMult   = "kosumi.katago.shortterm_score_error_multiplier"
	PassAliveSuicide = "kosumi.katago.pass_alive_under_suicide"
	ExcludeTerritory = "kosumi.katago.exclude_territory_adjacent_to_atari"
	MetaEncoder      = "kosumi.katago.meta_encoder"
	Layout           = "kosumi.katago.layout" // the KataGo file without its weights; only in the form "exact"
)
