package search_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
)

// memo is a model that stores its answers, since recorded searches of one position with different
// settings ask for nearly the same evaluations. Stored answers are those of the network, so a
// search sees no difference.
type memo struct {
	nn.Model
	mu      sync.Mutex
	answers map[memoKey][][]float32
	// rounding is the largest relative error that is added to an answer, to imitate the rounding of
	// another runtime; variant selects the errors.
	rounding float64
	variant  uint64
}

type memoKey struct {
	size board.Size
	hash [16]byte
}

func newMemo(m nn.Model) *memo {
	return &memo{Model: m, answers: map[memoKey][][]float32{}}
}

func (m *memo) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	if maxBatch != 1 {
		return m.Model.Open(size, maxBatch)
	}
	b, err := m.Model.Open(size, 1)
	if err != nil {
		return nil, err
	}
	return &memoBackend{Backend: b, memo: m, size: size}, nil
}

type memoBackend struct {
	nn.Backend
	memo  *memo
	size  board.Size
	bytes []byte
}

func (b *memoBackend) Run(n int) error {
	b.bytes = b.bytes[:0]
	for _, in := range b.Inputs() {
		for _, x := range in { // rounded, since the last bits depend on the processor
			b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(int32(math.Round(float64(x)*(1<<16)))))
		}
	}
	m := b.memo
	sum := sha256.Sum256(b.bytes)
	key := memoKey{b.size, [16]byte(sum[:])}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.disturb(key, b.Outputs()) }()
	if known := m.answers[key]; known != nil {
		for i, out := range b.Outputs() {
			copy(out, known[i])
		}
		return nil
	}
	if err := b.Backend.Run(n); err != nil {
		return err
	}
	var answer [][]float32
	for _, out := range b.Outputs() {
		answer = append(answer, slices.Clone(out))
	}
	m.answers[key] = answer
	return nil
}

// disturb adds the rounding errors of a variant to an answer, always the same for the same input.
func (m *memo) disturb(key memoKey, outputs [][]float32) {
	if m.rounding == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(key.hash[:])^m.variant, binary.LittleEndian.Uint64(key.hash[8:])))
	for _, out := range outputs {
		for i := range out {
			out[i] *= float32(1 + m.rounding*(2*rng.Float64()-1))
		}
	}
}

// The answers of KataGo's trained networks to the sample's queries are in testdata, so the sample
// runs without these networks.
const answersFile = "../testdata/golden/search/answers.jsonl.gz"

var recordAnswers = flag.Bool("search.record", false, "write the answers of the sample's searches anew, by the networks")

// answersLine holds the answers of one network on one board size.
type answersLine struct {
	Net     string
	Spec    nn.Spec
	About   nn.Description
	Size    board.Size
	Answers map[string][]byte // by the hash of the input: all outputs, float32, little endian
}

// silent stands for a network without weights: it has the network's description but computes no answers.
type silent struct {
	about nn.Description
	specs map[board.Size]nn.Spec
}

func (s *silent) Describe() nn.Description { return s.about }
func (s *silent) Close() error             { return nil }

func (s *silent) Spec(size board.Size) (nn.Spec, error) {
	spec, ok := s.specs[size]
	if !ok {
		return spec, errors.New("the sample has no answers on " + size.String())
	}
	return spec, nil
}

func (s *silent) Open(size board.Size, _ int) (nn.Backend, error) {
	spec, err := s.Spec(size)
	b := &silentBackend{}
	for i := range spec.Inputs {
		b.in = append(b.in, make([]float32, spec.Inputs[i].Len()))
	}
	for i := range spec.Outputs {
		b.out = append(b.out, make([]float32, spec.Outputs[i].Len()))
	}
	return b, err
}

type silentBackend struct{ in, out [][]float32 }

func (b *silentBackend) MaxBatch() int        { return 1 }
func (b *silentBackend) Inputs() [][]float32  { return b.in }
func (b *silentBackend) Outputs() [][]float32 { return b.out }
func (b *silentBackend) Close() error         { return nil }

func (b *silentBackend) Run(int) error {
	return errors.New("the sample has no answer to this input: go test ./search -run Oracle -search.record")
}

func readAnswers(t testing.TB) map[string]*memo {
	t.Helper()
	all := map[string]*memo{}
	for _, l := range testshared.Lines[answersLine](t, answersFile) {
		m := all[l.Net]
		if m == nil {
			m = newMemo(&silent{l.About, map[board.Size]nn.Spec{}})
			all[l.Net] = m
		}
		m.Model.(*silent).specs[l.Size] = l.Spec
		for hash, data := range l.Answers {
			key := memoKey{size: l.Size}
			_, err := hex.Decode(key.hash[:], []byte(hash))
			require.NoError(t, err)
			values := make([]float32, len(data)/4)
			for i := range values {
				values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
			var answer [][]float32
			for i := range l.Spec.Outputs {
				n := l.Spec.Outputs[i].Len()
				answer, values = append(answer, values[:n]), values[n:]
			}
			m.answers[key] = answer
		}
	}
	return all
}

// writeAnswers stores the answers of the sample's networks so far.
func writeAnswers(t testing.TB) {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	enc := json.NewEncoder(z)
	for _, name := range slices.Sorted(maps.Keys(models)) {
		net, ok := strings.CutPrefix(name, sampled)
		if !ok {
			continue
		}
		lines := map[board.Size]*answersLine{}
		for key, answer := range models[name].answers {
			l := lines[key.size]
			if l == nil {
				spec, err := models[name].Spec(key.size)
				require.NoError(t, err)
				about := models[name].Describe()
				about.File, about.Why, about.Provider = "", "", ""
				l = &answersLine{net, spec, about, key.size, map[string][]byte{}}
				lines[key.size] = l
			}
			var data []byte
			for i, out := range answer {
				mask := ^uint32(0)
				if l.Spec.Outputs[i].Role == nn.RoleOwnership {
					mask <<= 11 // keep four digits
				}
				for _, x := range out {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x)&mask)
				}
			}
			l.Answers[hex.EncodeToString(key.hash[:])] = data
		}
		for _, size := range slices.SortedFunc(maps.Keys(lines), func(a, b board.Size) int { return a.Area() - b.Area() }) {
			require.NoError(t, enc.Encode(lines[size]))
		}
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(answersFile, packed.Bytes(), 0o644))
}
