package nn

import (
	"fmt"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/nn/features"
)

// Spec describes a network at one board size: its tensors and how its outputs become an [Output].
type Spec struct {
	Name     string            // network's name for users
	Encoding features.Encoding // encoding of the inputs
	Kind     Kind              // kind of post-processing
	Inputs   []TensorSpec      // in the backend's order
	Outputs  []TensorSpec      // in the backend's order
	Policy   PolicyKind        // form of the policy head's output (KindKataGo: always logits)
	Value    ValueKind         // form of the value head's output (KindKataGo: always WDL logits)
	KataGo   KataGoPost        // for KindKataGo only
	Sizes    Sizes             // board sizes that the network serves
}

// Kind is a family of networks that share heads and post-processing.
type Kind uint8

// The kinds of network.
const (
	KindKataGo   Kind = iota // policy, pass, value, score value, ownership as in KataGo's files
	KindDualHead             // policy and value
	KindSeed                 // policy, value, score, ownership
)

var kindNames = []string{"katago", "dual-head", "seed"}

// String returns "katago", "dual-head" or "seed".
func (k Kind) String() string { return nameOf(kindNames, int(k)) }

// PolicyKind is the form of a policy head's output.
type PolicyKind uint8

// The kinds of policy output.
const (
	PolicyLogits     PolicyKind = iota // before softmax
	PolicyLogSoftmax                   // natural logarithms of probabilities
	PolicySoftmax                      // probabilities
)

var policyNames = []string{"logits", "log_softmax", "softmax"}

// String returns "logits", "log_softmax" or "softmax".
func (k PolicyKind) String() string { return nameOf(policyNames, int(k)) }

// ParsePolicyKind reads what [PolicyKind.String] writes.
func ParsePolicyKind(s string) (PolicyKind, error) {
	i, err := parseName("policy kind", policyNames, s)
	return PolicyKind(i), err
}

// ValueKind is the form of a value head's output.
type ValueKind uint8

// The kinds of value output.
const (
	ValueTanh ValueKind = iota // one number in [-1,1]: win minus loss for the side to move
	ValueWDL                   // three logits: win, loss, no result
)

var valueNames = []string{"tanh", "wdl"}

// String returns "tanh" or "wdl".
func (k ValueKind) String() string { return nameOf(valueNames, int(k)) }

// ParseValueKind reads what [ValueKind.String] writes.
func ParseValueKind(s string) (ValueKind, error) {
	i, err := parseName("value kind", valueNames, s)
	return ValueKind(i), err
}

// TensorSpec describes one input or output tensor of a network.
type TensorSpec struct {
	Name  string
	Role  Role
	Shape []int // shape of one row, without the batch dimension
}

// Port returns the tensor's name and a row's shape.
func (t TensorSpec) Port() (name string, row []int) { return t.Name, t.Shape }

// Len returns the number of values in one row.
func (t *TensorSpec) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Role is the meaning of a tensor.
type Role uint8

// The roles of inputs and outputs. A row's shape is given for a board of W x H
// points, A = W*H.
const (
	RoleSpatial    Role = iota // input: planes, [C,H,W]
	RoleGlobal                 // input: values of the whole position, [G]
	RoleMeta                   // input: profile of the players, [192] (KataGo's human SL networks)
	RolePolicy                 // out: [A+1] with pass last, or [C,H,W] if there is a RolePass
	RolePass                   // out: [C] pass logits, with a RolePolicy of [C,H,W]
	RoleValue                  // out: [1] or [3], see ValueKind
	RoleScoreValue             // out: KataGo's 1, 2, 4 or 6 score values
	RoleScore                  // out: [1] expected score for the side to move
	RoleOwnership              // out: [A] or [1,H,W], + = side to move; KindKataGo: before tanh, others: in [-1,1]
)

var roleNames = []string{"spatial", "global", "meta", "policy", "pass", "value", "score_value", "score", "ownership"}

// String returns the role's name, such as "score_value".
func (r Role) String() string { return nameOf(roleNames, int(r)) }

// KataGoPost holds the constants that turn the raw outputs of a KataGo network
// into probabilities and points.
type KataGoPost struct {
	Version     int // version of the format, 3 to 17
	Multipliers Multipliers
	// AreaModes are the modes of area scoring that the network was trained with.
	board.AreaModes
	// MetaEncoder is 1 if the network has KataGo's 192 metadata inputs, 0 if it has none.
	MetaEncoder int
}

// Multipliers are the output scales in the header of a KataGo file.
type Multipliers struct {
	ScoreMean    float64
	ScoreStdev   float64
	Lead         float64
	VarTime      float64
	STValueError float64
	STScoreError float64
}

// Sizes are the board sizes that a network serves. The zero value is any size.
type Sizes struct{ Fixed board.Size }

// Serves reports whether boards of that size can be evaluated.
func (s Sizes) Serves(size board.Size) bool { return s.Fixed == board.Size{} || s.Fixed == size }

// String returns "any" or, for example, "9x9".
func (s Sizes) String() string {
	if s.Fixed == (board.Size{}) {
		return "any"
	}
	return fmt.Sprintf("%dx%d", s.Fixed.W, s.Fixed.H)
}

// Backend evaluates batches of positions of one board size. It owns the memory of its
// inputs and outputs. It is not safe for concurrent use.
type Backend interface {
	// MaxBatch is the number of rows that one Run can take.
	MaxBatch() int
	// Inputs returns one slice per Spec.Inputs: MaxBatch rows, row-major. The
	// caller fills the first rows before Run.
	Inputs() [][]float32
	// Outputs returns one slice per Spec.Outputs, in the same layout. The values are
	// valid until the next Run.
	Outputs() [][]float32
	// Run computes the first n rows, 1 <= n <= MaxBatch.
	Run(n int) error
	Close() error
}

// Model opens backends. It makes a graph for each exact board size on demand. It is
// safe for concurrent use.
type Model interface {
	// Spec describes the network at a board size; an error if the network does not serve that size.
	Spec(size board.Size) (Spec, error)
	// Open makes a backend, which the caller closes.
	Open(size board.Size, maxBatch int) (Backend, error)
	Describe() Description
	Close() error
}

// Description is a network's identity and how it runs. Empty fields are unknown.
type Description struct {
	Name      string // network's own name
	File      string // network file; "" for none
	SHA256    string // of the file, hex
	Provider  string // runtime, such as "cpu" or "cuda"
	Precision string // such as "fp32" or "int16"
	Why       string // why provider and precision were chosen
	Version   int    // version of a KataGo network; 0 for others
	// TakesProfile says that the network has inputs for a profile of the players.
	TakesProfile bool
	// Areas are the modes of area scoring that the network was trained with.
	Areas board.AreaModes
}

// Identity returns a text that differs between networks, and between precisions and providers of one network.
func (d *Description) Identity() string {
	return strings.Join([]string{d.SHA256, d.Provider, d.Precision}, " ")
}

// ShortName returns the name of the file without its folder, or the network's own name
// where there is no file.
func (d *Description) ShortName() string {
	if d.File == "" {
		return d.Name
	}
	return filepath.Base(d.File)
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func parseName(what string, names []string, s string) (int, error) {
	for i, n := range names {
		if strings.EqualFold(strings.ReplaceAll(n, "-", "_"), strings.ReplaceAll(s, "-", "_")) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q: use one of %s", what, s, strings.Join(names, ", "))
}
