package katago

import (
	"fmt"
	"slices"
)

// Supported model versions.
const (
	MinVersion = 3
	MaxVersion = 17
)

// Network is the content of a KataGo network file.
type Network struct {
	Header Header
	Trunk  Trunk
	Policy PolicyHead
	Value  ValueHead
	// Source is the network's origin; it is not stored in the file.
	Source Source
}

// Source names the file that a network was read from.
type Source struct {
	File   string // base name, empty if unknown
	SHA256 string // hex digest of the file as stored (compressed bytes for .gz)
}

// Header holds a network's name and properties.
type Header struct {
	Name                  string // at most 96 characters of [A-Za-z0-9_-]
	Version               int    // model version, MinVersion..MaxVersion
	SpatialInputs         int    // input planes
	GlobalInputs          int    // input numbers that are not planes
	Multipliers           Multipliers
	MetaEncoder           int  // 1 if the network takes 192 metadata inputs, else 0
	PassAliveUnderSuicide bool // compute area features as if multi-stone suicide were legal
	// ExcludeTerritoryAdjacentToAtari: under territory rules without group tax, an empty point in
	// a seki next to a chain in atari does not count as territory of that chain's owner (KataGo's
	// rules version 3).
	ExcludeTerritoryAdjacentToAtari bool
}

// Multipliers scale the raw score and error outputs. Versions below 13 have
// fixed ones.
type Multipliers struct {
	TDScore           float64
	ScoreMean         float64
	ScoreStdev        float64
	Lead              float64
	VarianceTime      float64
	ShorttermValueErr float64
	ShorttermScoreErr float64
}

// DefaultMultipliers are those of model versions 3 to 12.
func DefaultMultipliers() Multipliers {
	return Multipliers{
		TDScore: 20, ScoreMean: 20, ScoreStdev: 20, Lead: 20,
		VarianceTime: 40, ShorttermValueErr: 0.25, ShorttermScoreErr: 30,
	}
}

// MetaInputs is the number of metadata inputs of a network with MetaEncoder 1.
const MetaInputs = 192

// Trunk is the body of a network.
type Trunk struct {
	Name     string
	Channels int
	Widths   Widths
	NormKind int // 0: batch norm at the tip, 1: root mean square norm
	Conv     Conv
	Global   MatMul
	Meta     *MetaEncoder // nil if Header.MetaEncoder is 0
	Blocks   []Block
	Tip      Norm    // used if NormKind is 0
	TipRMS   *TipRMS // used if NormKind is 1
	TipAct   Act
}

// Widths are informative numbers in the trunk's record; the layers determine the actual sizes.
type Widths struct{ Mid, Regular, Dilated, Pool int }

// MetaEncoder is the perceptron that maps metadata inputs to a trunk bias.
type MetaEncoder struct {
	Name string
	M1   MatMul
	B1   Bias
	A1   Act
	M2   MatMul
	B2   Bias
	A2   Act
	M3   MatMul
}

// PolicyHead holds the policy's layers, in the order of the file.
type PolicyHead struct {
	Name     string
	Channels int // 1: plain policy; 2: also optimistic policy; 4: also two channels of Q values
	P1       Conv
	G1       Conv
	GNorm    Norm
	GAct     Act
	GMul     MatMul
	PNorm    Norm
	PAct     Act
	P2       Conv
	Pass1    MatMul
	PassBias Bias   // version 15 and later
	PassAct  Act    // version 15 and later
	Pass2    MatMul // version 15 and later
}

// ValueHead holds the layers of value, score and ownership.
type ValueHead struct {
	Name      string
	V1        Conv
	VNorm     Norm
	VAct      Act
	M2        MatMul
	B2        Bias
	A2        Act
	M3        MatMul
	B3        Bias
	Score     MatMul
	ScoreBias Bias
	Ownership Conv
}

// Conv is a convolution with stride 1, zero padding to the same size and no
// bias. Weights are indexed ((y*KX+x)*In+in)*Out+out.
type Conv struct {
	Name       string
	KY, KX     int // odd
	In, Out    int
	DilY, DilX int // 1 in all files that exporters write
	Weights    []float32
}

// Norm is a batch-norm record: out = scale*(x-mean)/sqrt(var+eps) + bias, each
// per channel. Scale and Bias are nil where HasScale or HasBias is false.
type Norm struct {
	Name              string
	Channels          int
	Epsilon           float64
	HasScale, HasBias bool
	Mean, Var         []float32
	Scale, Bias       []float32
}

type Act struct {
	Name string
	Kind Activation
}

// Activation is a pointwise function.
type Activation uint8

// The activations that files name. Before version 11 there is only ReLU.
const (
	Identity Activation = iota
	ReLU
	Mish // x*tanh(ln(1+e^x))
	SiLU // x/(1+e^-x)
)

var activationTokens = []string{
	"ACTIVATION_IDENTITY", "ACTIVATION_RELU", "ACTIVATION_MISH", "ACTIVATION_SILU",
}

// String returns the activation's name in a file.
func (a Activation) String() string {
	if int(a) < len(activationTokens) {
		return activationTokens[a]
	}
	return fmt.Sprintf("activation(%d)", uint8(a))
}

func parseActivation(s string) (Activation, error) {
	if i := slices.Index(activationTokens, s); i >= 0 {
		return Activation(i), nil
	}
	return 0, unknown("unknown activation %.40q", s)
}

// MatMul maps a vector of In numbers to Out numbers. Weights are indexed in*Out+out.
type MatMul struct {
	Name    string
	In, Out int
	Weights []float32
}

type Bias struct {
	Name     string
	Channels int
	Weights  []float32
}

// RMSNorm divides by the root of the mean square over channels and multiplies by one weight per
// channel.
type RMSNorm struct {
	Name     string
	Channels int
	Epsilon  float64
	Weights  []float32
}

// TipRMS is the root mean square norm at the end of a trunk. The mean is taken over the
// channels of each point or, if Spatial is not 0, over the whole board.
type TipRMS struct {
	Name        string
	Channels    int
	Epsilon     float64
	Spatial     int
	GroupSize   int // always 0; grouped kinds are not supported
	Gamma, Beta []float32
}

// Block is one of *Ordinary, *Pooling, *Nested, *Attention, *FeedForward.
type Block interface {
	Kind() string // the file's token, such as "ordinary_block"
	walk(w *walker, channels, version int)
}

// Ordinary is T + conv2(act(norm(conv1(act(norm(T)))))).
type Ordinary struct {
	Name    string
	PreNorm Norm
	PreAct  Act
	Conv1   Conv
	MidNorm Norm
	MidAct  Act
	Conv2   Conv
}

// Pooling is an ordinary block whose first convolution is split into a regular and a globally
// pooled part.
type Pooling struct {
	Name    string
	PreNorm Norm
	PreAct  Act
	ConvR   Conv
	ConvG   Conv
	GNorm   Norm
	GAct    Act
	GMul    MatMul
	MidNorm Norm
	MidAct  Act
	Conv2   Conv
}

// Nested is a bottleneck with blocks inside.
type Nested struct {
	Name     string
	PreNorm  Norm
	PreAct   Act
	ConvIn   Conv
	Blocks   []Block
	PostNorm Norm
	PostAct  Act
	ConvOut  Conv
}

// Attention is the attention half of a transformer layer, over the points of
// the board.
type Attention struct {
	Name             string
	Heads, KVHeads   int
	QDim, VDim       int // per head
	UseRope, Learned bool
	Norm             RMSNorm
	Q, K, V, O       MatMul
	Rope             Rope // used if UseRope
}

// Rope holds the rotation of queries and keys by position.
type Rope struct {
	Name  string
	Theta float64 // of the fixed kind
	// Freqs is indexed (kvHead*pairs+pair)*2+{0: per column, 1: per row}; only the learned kind
	// has it.
	KVHeads, Pairs int
	Freqs          []float32
}

// FeedForward is the feed-forward half of a transformer layer, with SwiGLU.
type FeedForward struct {
	Name     string
	Channels int
	Hidden   int
	Gated    bool // always true in supported files
	Norm     RMSNorm
	Lin1     MatMul
	Gate     MatMul
	Lin2     MatMul
}

func (*Ordinary) Kind() string    { return "ordinary_block" }
func (*Pooling) Kind() string     { return "gpool_block" }
func (*Nested) Kind() string      { return "nested_bottleneck_block" }
func (*Attention) Kind() string   { return "transformer_attention_block" }
func (*FeedForward) Kind() string { return "transformer_ffn_block" }

func newBlock(kind string) (Block, error) {
	for _, b := range []Block{new(Ordinary), new(Pooling), new(Nested), new(Attention), new(FeedForward)} {
		if b.Kind() == kind {
			return b, nil
		}
	}
	return nil, unknown("unknown kind of block %.40q", kind)
}
