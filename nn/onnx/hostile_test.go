package onnx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// msg writes fields, each a number followed by an int64 (varint), a []byte or string (bytes), or
// a float32 (fixed).
func msg(fields ...any) []byte {
	var w writer
	for i := 0; i < len(fields); i += 2 {
		num := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			w.int(num, int64(v))
		case int64:
			w.int(num, v)
		case string:
			w.str(num, v)
		case []byte:
			w.bytes(num, v)
		case float32:
			w.float(num, v)
		}
	}
	return bytes.Join(w.all(), nil)
}

func graphFile(fields ...any) []byte {
	return msg(modelIR, 8, modelGraph, msg(fields...), modelOpset, msg(opsetDomain, "", opsetVersion, 17))
}

// tensorFile returns a model file with one tensor in its graph.
func tensorFile(fields ...any) []byte {
	return graphFile(graphInitializer, msg(append(fields, tensorName, "w")...))
}

func nested(depth int) []byte {
	g := msg(graphName, "innermost")
	for range depth {
		g = msg(graphNode, msg(nodeOp, "If", nodeAttr, msg(attrName, "then_branch", attrG, g, attrType, int(KindGraph))))
	}
	return msg(modelIR, 8, modelGraph, g)
}

func TestReadRefuses(t *testing.T) {
	good := written(t, testModel(t))
	for _, c := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"nothing", nil, ErrFormat, "the file is empty"},
		{"truncated", good[:len(good)/2], ErrFormat, "unexpected EOF"},
		{"gzip", []byte("\x1f\x8b\x08\x00rest"), ErrFormat, "KataGo network"},
		{"text", []byte("b6c96\n8\n22\n19\n"), ErrFormat, "a text file"},
		{"web page", []byte("\n<!DOCTYPE html><html>404</html>"), ErrFormat, "a web page"},
		{"zeros", make([]byte, 100), ErrFormat, "field number"},
		{"no graph", msg(modelIR, 8, modelProducer, "x"), ErrFormat, "holds no graph"},
		{"two graphs", msg(modelGraph, msg(), modelGraph, msg()), ErrFormat, "field 7 is there twice"},
		{"a group", append(msg(modelIR, 8), 0x3b, 0x3c), ErrFormat, "group"},
		{"wrong wire type", msg(modelIR, "eight", modelGraph, msg()), ErrFormat, "wire type"},
		{"node without operator", graphFile(graphNode, msg(nodeOutput, "y")), ErrFormat, "no operator is named"},
		{"attribute twice", graphFile(graphNode, msg(nodeOp, "Relu", nodeAttr, msg(attrName, "a", attrI, 1), nodeAttr, msg(attrName, "a", attrI, 2))), ErrFormat, `"a" is given twice`},
		{"metadata twice", msg(modelGraph, msg(), modelMetadata, msg(entryKey, "k"), modelMetadata, msg(entryKey, "k")), ErrFormat, `"k" is given twice`},
		{"two versions of a domain", msg(modelGraph, msg(), modelOpset, msg(opsetVersion, 9), modelOpset, msg(opsetDomain, "ai.onnx", opsetVersion, 10)), ErrFormat, "versions 9 and 10"},
		{"deep graphs", nested(1000), ErrFormat, "nested more than 16 deep"},
		{"sparse weights", graphFile(graphSparse, msg()), ErrUnsupported, "sparse"},
		{"external data", tensorFile(tensorDims, 1, tensorType, 1, tensorLocation, 1), ErrExternalData, `"w"`},
		{"external data, only named", tensorFile(tensorDims, 1, tensorType, 1, tensorExternal, msg(1, "location", 2, "../../etc/passwd")), ErrExternalData, "one file"},
		{"segments", tensorFile(tensorDims, 1, tensorType, 1, tensorSegment, msg()), ErrUnsupported, "segments"},
		{"too few bytes", tensorFile(tensorDims, 4, tensorType, 1, tensorRaw, make([]byte, 12)), ErrTensor, `"w": 12 bytes of float32, dimensions [4] ask for 16`},
		{"too many bytes", tensorFile(tensorDims, 2, tensorType, 1, tensorRaw, make([]byte, 12)), ErrTensor, "ask for 8"},
		{"giant dimension", tensorFile(tensorDims, int64(1)<<62, tensorType, 1, tensorRaw, make([]byte, 12)), ErrTensor, "too large"},
		{"product overflows to what is there", tensorFile(tensorDims, int64(1)<<32, tensorDims, int64(1)<<32, tensorDims, 4, tensorType, 1), ErrTensor, "too many elements"},
		{"negative dimension", tensorFile(tensorDims, -1, tensorType, 1), ErrTensor, "negative"},
		{"no element type", tensorFile(tensorDims, 1, tensorRaw, make([]byte, 4)), ErrTensor, "undefined"},
		{"unheard-of element type", tensorFile(tensorDims, 1, tensorType, 99, tensorRaw, make([]byte, 4)), ErrTensor, "type 99"},
		{"impossible element type", tensorFile(tensorDims, 1, tensorType, -1), ErrFormat, "element type"},
		{"strings too few", tensorFile(tensorDims, 2, tensorType, 8, tensorStrings, "a"), ErrTensor, "1 strings"},
		{"raw and typed", tensorFile(tensorDims, 1, tensorType, 1, tensorRaw, make([]byte, 4), tensorFloats, make([]byte, 4)), ErrFormat, "raw and typed"},
		{"typed in two fields", tensorFile(tensorDims, 1, tensorType, 1, tensorInt64s, 1, tensorFloats, make([]byte, 4)), ErrFormat, "at once"},
		{"typed in the wrong field", tensorFile(tensorDims, 1, tensorType, 1, tensorInt64s, 1), ErrFormat, "cannot come in field"},
		{"typed, out of range", tensorFile(tensorDims, 1, tensorType, 3, tensorInt32s, 300), ErrFormat, "element 0 is 300, which int8 cannot hold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Read(c.data)
			require.Nil(t, m)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// TestReadIsBounded: short files that announce many objects are refused before much memory is
// allocated.
func TestReadIsBounded(t *testing.T) {
	const size = 1 << 20
	many := func(field []byte) []byte { return graphRaw(bytes.Repeat(field, size/len(field))) }
	for name, data := range map[string][]byte{
		"nodes":        many(msg(graphNode, msg(nodeOp, ""))),
		"initializers": many(msg(graphInitializer, msg(tensorType, 1, tensorDims, 0))),
		"values":       many(msg(graphValue, msg())),
		"attributes":   graphRaw(msg(graphNode, append(msg(nodeOp, "x"), bytes.Repeat(msg(nodeAttr, msg(attrGraphs, msg())), size/6)...))),
		"inputs":       graphRaw(msg(graphNode, append(msg(nodeOp, "x"), bytes.Repeat(msg(nodeInput, ""), size/2)...))),
		"ints":         graphRaw(msg(graphNode, msg(nodeOp, "x", nodeAttr, msg(attrName, "a", attrInts, make([]byte, size))))),
		"int64 data":   graphRaw(msg(graphInitializer, msg(tensorType, int(Int64), tensorDims, size, tensorInt64s, make([]byte, size)))),
		"bad data":     graphRaw(msg(graphInitializer, msg(tensorType, int(Int64), tensorDims, 1, tensorInt64s, make([]byte, size)))),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(data)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*(64<<20+16*len(data))), "%v", err)
		})
	}
}

func graphRaw(graph []byte) []byte { return msg(modelIR, 8, modelGraph, graph) }

// TestReadShares: reading does not copy the weights of a large file.
func TestReadShares(t *testing.T) {
	const n = 4 << 20
	m := testModel(t)
	m.Graph.Initializers = append(m.Graph.Initializers, NewTensor("big", make([]float32, n), n))
	data := written(t, m)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	again, err := Read(data)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, again.Graph.Initializer("big").Raw, 4*n)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// TestReadSurvivesDamage flips, cuts and repeats bytes of real files: an error or a model that
// can be written and checked, never a panic.
func TestReadSurvivesDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	data := written(t, testModel(t))
	read := 0
	for range 6000 {
		d := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			switch at := rng.IntN(len(d)); rng.IntN(4) {
			case 0:
				d[at] ^= 1 << rng.IntN(8)
			case 1:
				d[at] = byte(rng.Uint32())
			case 2:
				d = append(d[:at:at], d[min(len(d), at+1+rng.IntN(8)):]...)
			default:
				end := min(len(d), at+rng.IntN(40))
				d = append(d[:end:end], d[at:]...)
			}
			if len(d) == 0 {
				d = []byte{0}
			}
		}
		if survive(t, d) {
			read++
		}
	}
	require.Greater(t, read, 300, "most damage should be deeper than the first byte")
}

// survive reads, writes, checks and rewrites a model, and reports whether its bytes could be read.
func survive(t testing.TB, data []byte) bool {
	t.Helper()
	m, err := Read(data)
	if err != nil {
		return false
	}
	out, _ := throughFile(t, m)
	if Check(m) != nil {
		return true
	}
	folded := m.Clone()
	FoldBatchNorm(folded)
	RemoveIdentities(folded.Graph)
	require.NoError(t, folded.Graph.Sort())
	if FoldConstants(folded) == nil {
		require.NoError(t, Check(folded))
	}
	_ = SetBatch(folded, D(3))
	require.Equal(t, out, written(t, m), "a clone was changed, not the model")
	return true
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, testModel(f)))
	for _, opset := range []int64{13, 18} {
		b := NewBuilder("all", opset)
		everyOp(b)
		m, err := b.Model(map[string]string{"key": "value"})
		require.NoError(f, err)
		f.Add(written(f, m))
	}
	f.Add(nested(20))
	f.Add(tensorFile(tensorDims, 2, tensorType, int(Int8), tensorInt32s, []byte{1, 2}))
	f.Add(tensorFile(tensorDims, 1, tensorType, int(Double), tensorDoubles, make([]byte, 8)))
	f.Fuzz(func(t *testing.T, data []byte) { survive(t, data) })
}

func TestTypedFieldsBecomeBytes(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []any
		typ    DataType
		want   []float64
	}{
		{"floats packed", []any{tensorFloats, msgFloats(1.5, -2)}, Float, []float64{1.5, -2}},
		{"floats one by one", []any{tensorFloats, float32(1.5), tensorFloats, float32(-2)}, Float, []float64{1.5, -2}},
		{"floats both ways", []any{tensorFloats, msgFloats(1.5), tensorFloats, float32(-2)}, Float, []float64{1.5, -2}},
		{"int64 packed", []any{tensorInt64s, varints(-1, math.MaxInt32+1)}, Int64, []float64{-1, math.MaxInt32 + 1}},
		{"int64 one by one", []any{tensorInt64s, -1, tensorInt64s, 7}, Int64, []float64{-1, 7}},
		{"int32", []any{tensorInt32s, varints(-5, 6)}, Int32, []float64{-5, 6}},
		{"int8", []any{tensorInt32s, varints(-128, 127)}, Int8, []float64{-128, 127}},
		{"uint8", []any{tensorInt32s, varints(0, 255)}, Uint8, []float64{0, 255}},
		{"int16", []any{tensorInt32s, varints(-32768, 32767)}, Int16, []float64{-32768, 32767}},
		{"uint16", []any{tensorInt32s, varints(1, 65535)}, Uint16, []float64{1, 65535}},
		{"bool", []any{tensorInt32s, varints(0, 1)}, Bool, []float64{0, 1}},
		{"float16 as bits", []any{tensorInt32s, varints(0x3c00, 0xc000)}, Float16, []float64{1, -2}},
		{"bfloat16 as bits", []any{tensorInt32s, varints(0x3f80, 0xc000)}, BFloat16, []float64{1, -2}},
		{"uint32", []any{tensorUint64s, varints(1, math.MaxUint32)}, Uint32, []float64{1, math.MaxUint32}},
		{"uint64", []any{tensorUint64s, varints(1, 1<<40)}, Uint64, []float64{1, 1 << 40}},
		{"float64 raw", []any{tensorRaw, NewTensor("", []float64{1.5, -2}).Raw}, Double, []float64{1.5, -2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parsed(t, tensorFile(append(c.fields, tensorDims, len(c.want), tensorType, int(c.typ))...))
			got, err := m.Graph.Initializers[0].Float64s()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			_, again := throughFile(t, m)
			require.Equal(t, m, again)
		})
	}
}

func msgFloats(list ...float32) []byte { return NewTensor("", list).Raw }

func varints(list ...int64) []byte {
	var b []byte
	for _, v := range list {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}
