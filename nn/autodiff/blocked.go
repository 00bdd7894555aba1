package autodiff

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// BlockedDomain is onnxruntime's own operator domain of convolutions over blocks
// of channels. Its optimizer puts these in the place of convolutions with constant
// weights; those of a training graph are inputs, so [BlockConvs] does it here.
// Graphs with this domain run on the CPU provider only.
const BlockedDomain = "com.microsoft.nchwc"

// BlockConvs rewrites convolutions so that onnxruntime's CPU provider runs them in
// its blocked layout, [N,C/b,H,W,b] for blocks of b channels (8 or 16, as the
// processor wants). Such a convolution takes half the time of a plain one whose
// weights are not constant. Eligible are those of one group whose channels in and
// out are multiples of b; a Relu behind one is taken in. It returns how many
// convolutions were rewritten. All shapes must be numbers.
//
// The rewritten graph is for onnxruntime only: package onnx does not know the
// operators, so nothing more can be inferred or checked.
func BlockConvs(m *onnx.Model, b int64) (int, error) {
	if b != 8 && b != 16 {
		return 0, fmt.Errorf("%w: blocks of %d channels", ErrPrepare, b)
	}
	shapes, err := onnx.InferShapes(m)
	if err != nil {
		return 0, err
	}
	k := &blocker{
		block: b, shapes: shapes, names: onnx.NewNames(m.Graph), graph: m.Graph, users: m.Graph.Users(),
		consts: m.Graph.InitializerMap(), producers: m.Graph.Producers(),
		twins: map[string]string{}, lazy: map[string]int64{}, weights: map[string]string{}, fused: map[*onnx.Node]bool{},
	}
	nodes := m.Graph.Nodes
	for _, n := range nodes {
		switch {
		case k.fused[n]:
		case k.eligible(n):
			k.conv(n)
		default:
			k.copy(n)
		}
	}
	for _, v := range m.Graph.Outputs {
		k.plain(v.Name)
	}
	if k.count == 0 {
		return 0, nil
	}
	m.Graph.Nodes, m.Graph.Values = k.nodes, nil
	onnx.RemoveUnused(m.Graph)
	if m.Opsets == nil {
		m.Opsets = map[string]int64{}
	}
	m.Opsets[BlockedDomain] = 1
	return k.count, nil
}

// blocker rewrites one graph.
type blocker struct {
	block  int64
	shapes map[string]onnx.Shape
	names  *onnx.Names

	consts    map[string]*onnx.Tensor
	producers map[string]*onnx.Node
	graph     *onnx.Graph
	users     map[string][]*onnx.Node
	nodes     []*onnx.Node
	twins     map[string]string // value -> the same in blocked layout
	lazy      map[string]int64  // values that exist in blocked layout only, and their channels
	weights   map[string]string // weight -> the same in blocked layout
	fused     map[*onnx.Node]bool
	count     int
}

func (k *blocker) eligible(n *onnx.Node) bool {
	if !n.Is("Conv") || n.Int("group", 1) != 1 || n.Str("auto_pad", "NOTSET") != "NOTSET" {
		return false
	}
	x, ok := k.shapes[n.Input(0)].Sizes()
	w, ok2 := k.shapes[n.Input(1)].Sizes()
	return ok && ok2 && len(x) == 4 && len(w) == 4 && w[0]%k.block == 0 && w[1]%k.block == 0
}

func (k *blocker) add(n *onnx.Node) string {
	k.nodes = append(k.nodes, n)
	return n.Outputs[0]
}

// op adds a node of the given domain whose result gets a name like base.
func (k *blocker) op(domain, op, base string, attrs onnx.Attrs, inputs ...string) string {
	return k.add(&onnx.Node{OpType: op, Domain: domain, Attrs: attrs, Inputs: inputs, Outputs: []string{k.names.New(base)}})
}

// copy keeps a node; what it reads must exist in the standard layout.
func (k *blocker) copy(n *onnx.Node) {
	for _, in := range n.Reads() {
		k.plain(in)
	}
	k.nodes = append(k.nodes, n)
}

// plain writes a value in the standard layout if it exists in blocks only.
func (k *blocker) plain(name string) {
	channels, ok := k.lazy[name]
	if !ok {
		return
	}
	delete(k.lazy, name)
	k.add(&onnx.Node{OpType: "ReorderOutput", Domain: BlockedDomain, Attrs: onnx.Attrs{"channels": onnx.AttrInt(channels)},
		Inputs: []string{k.twins[name]}, Outputs: []string{name}})
}

func (k *blocker) conv(n *onnx.Node) {
	x, ok := k.twins[n.Input(0)]
	if !ok {
		x = k.op(BlockedDomain, "ReorderInput", n.Input(0)+".blocked", nil, n.Input(0))
		k.twins[n.Input(0)] = x
	}
	dims, _ := k.shapes[n.Input(1)].Sizes()
	ins := []string{x, k.weight(n.Input(1), dims)}
	if bias := n.Input(2); bias != "" {
		k.plain(bias)
		ins = append(ins, bias)
	}
	attrs := onnx.Attrs{
		"auto_pad": onnx.AttrString("NOTSET"), "group": onnx.AttrInt(1), "kernel_shape": onnx.AttrInts(dims[2], dims[3]),
		"strides": onnx.AttrInts(1, 1), "dilations": onnx.AttrInts(1, 1), "pads": onnx.AttrInts(0, 0, 0, 0),
	}
	for _, name := range []string{"strides", "dilations", "pads"} {
		if list, ok := n.Ints(name); ok {
			attrs[name] = onnx.AttrInts(list...)
		}
	}
	made := n.Output(0)
	if relu := k.soleRelu(made); relu != nil {
		attrs["activation"] = onnx.AttrString("Relu")
		k.fused[relu] = true
		made = relu.Output(0)
	}
	k.twins[made] = k.op(BlockedDomain, "Conv", made+".blocked", attrs, ins...)
	k.lazy[made] = dims[0]
	k.count++
}

// soleRelu returns the Relu that alone uses a value, if there is one.
func (k *blocker) soleRelu(name string) *onnx.Node {
	users := k.users[name]
	if len(users) == 1 && users[0].Is("Relu") && !k.graph.IsOutput(name) {
		return users[0]
	}
	return nil
}

// weight is a weight [O,C,kH,kW] in blocks, [O/b,C/b,kH,kW,b of C,b of O]. First
// as a matrix turned over, then block by block: runtimes are slow where single
// numbers change their places in more dimensions.
func (k *blocker) weight(name string, d []int64) string {
	if v, ok := k.weights[name]; ok {
		return v
	}
	b, area := k.block, d[2]*d[3]
	var v string
	if from, ok := k.turnedFrom(name); ok { // of [C,O,kH,kW], turned by 180 degrees
		k.plain(from)
		v = k.matrix(from, d[0]*d[1], area)
		if area > 1 {
			back := make([]int64, area)
			for i := range back {
				back[i] = area - 1 - int64(i)
			}
			v = k.op("", "Gather", name+".turned", onnx.Attrs{"axis": onnx.AttrInt(0)}, v, k.ints(back...))
		}
		v = k.op("", "Reshape", name+".cut", nil, v, k.ints(area, d[1]/b, b, d[0]/b, b))
		v = k.op("", "Transpose", name+".blocks", onnx.Attrs{"perm": onnx.AttrInts(3, 1, 0, 2, 4)}, v)
	} else {
		k.plain(name)
		v = k.matrix(name, d[0], d[1]*area)
		v = k.op("", "Reshape", name+".cut", nil, v, k.ints(d[1]/b, b, area, d[0]/b, b))
		v = k.op("", "Transpose", name+".blocks", onnx.Attrs{"perm": onnx.AttrInts(3, 0, 2, 1, 4)}, v)
	}
	v = k.op("", "Reshape", name+".blocked", nil, v, k.ints(d...))
	k.weights[name] = v
	return v
}

// matrix is a value as a matrix of rows by columns, turned over.
func (k *blocker) matrix(name string, rows, columns int64) string {
	v := k.op("", "Reshape", name+".matrix", nil, name, k.ints(rows, columns))
	return k.op("", "Transpose", name+".over", onnx.Attrs{"perm": onnx.AttrInts(1, 0)}, v)
}

// turnedFrom returns the weight that tape.turned has turned to make this one.
func (k *blocker) turnedFrom(name string) (string, bool) {
	n := k.producers[name]
	if n == nil {
		return "", false
	}
	d, _ := k.shapes[name].Sizes()
	if n.Is("Slice") {
		if !k.constIs(n.Input(3), 2, 3) || !k.constIs(n.Input(4), -1, -1) {
			return "", false
		}
		if whole, ok := k.shapes[n.Input(0)].Sizes(); !ok || !slices.Equal(whole, d) {
			return "", false
		}
		n = k.producers[n.Input(0)]
	} else if d[2] != 1 || d[3] != 1 {
		return "", false
	}
	if perm, ok := n.Ints("perm"); n.Is("Transpose") && ok && slices.Equal(perm, []int64{1, 0, 2, 3}) {
		return n.Input(0), true
	}
	return "", false
}

// constIs reports whether a value is a constant list of the given numbers.
func (k *blocker) constIs(name string, want ...int64) bool {
	t := k.consts[name]
	if t == nil {
		return false
	}
	list, err := t.Int64s()
	return err == nil && slices.Equal(list, want)
}

func (k *blocker) ints(list ...int64) string {
	t := onnx.NewTensor(k.names.New("blocked_shape"), list, int64(len(list)))
	k.graph.Initializers = append(k.graph.Initializers, t)
	return t.Name
}
