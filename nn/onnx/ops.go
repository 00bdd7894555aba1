package onnx

import "fmt"

// operator bounds the numbers of a node's inputs and outputs, and has the rule for its outputs.
type operator struct {
	minIn, maxIn int // maxIn < 0: any number
	maxOut       int // < 0: any number
	infer        func(*call)
}

// arity checks the numbers of inputs and outputs; the first minIn inputs may
// not be left out.
func (op operator) arity(n *Node) error {
	if len(n.Inputs) < op.minIn || op.maxIn >= 0 && len(n.Inputs) > op.maxIn {
		most := fmt.Sprint(op.maxIn)
		if op.maxIn < 0 {
			most = "any number"
		}
		return fmt.Errorf("%w: %d inputs, %s takes %d to %s", ErrGraph, len(n.Inputs), n.OpType, op.minIn, most)
	}
	for i := range op.minIn {
		if n.Inputs[i] == "" {
			return fmt.Errorf("%w: input %d of %s is left out", ErrGraph, i, n.OpType)
		}
	}
	if len(n.Outputs) == 0 || op.maxOut >= 0 && len(n.Outputs) > op.maxOut {
		return fmt.Errorf("%w: %d outputs, %s gives 1 to %d", ErrGraph, len(n.Outputs), n.OpType, op.maxOut)
	}
	return nil
}

// KernelDomain is the domain of the operators that package kernel computes, and KernelVersion its
// version in graphs; package fuse describes them.
const (
	KernelDomain  = "kosumi"
	KernelVersion = 1
)

func lookup(n *Node) (operator, bool) {
	name := n.OpType
	if !n.IsDefault() {
		name = n.Domain + "." + name
	}
	op, ok := operators[name]
	return op, ok
}

// Known reports whether this package knows the arity and the shapes of the node's operator.
func Known(n *Node) bool {
	_, ok := lookup(n)
	return ok
}

// operators lists the operators that this package knows, by name. Operators outside the default
// domain have the domain before their name.
var operators = allOperators()

// single lists operators with an entry of their own; allOperators adds those that share one.
func single() map[string]operator {
	return map[string]operator{
		"Conv":               {2, 3, 1, inferConv},
		"ConvTranspose":      {2, 3, 1, inferConvTranspose},
		"GlobalAveragePool":  {1, 1, 1, inferGlobalPool},
		"GlobalMaxPool":      {1, 1, 1, inferGlobalPool},
		"BatchNormalization": {5, 5, 5, inferBatchNorm},
		"LayerNormalization": {2, 3, 3, inferLayerNorm},
		"Gemm":               {2, 3, 1, inferGemm},
		"MatMul":             {2, 2, 1, inferMatMul},
		"Softmax":            {1, 1, 1, inferSoftmax},
		"LogSoftmax":         {1, 1, 1, inferSoftmax},
		"Dropout":            {1, 3, 2, inferDropout},
		"Clip":               {1, 3, 1, inferUnary},
		"PRelu":              {2, 2, 1, inferUnary},
		"Identity":           {1, 1, 1, inferIdentity},
		"Cast":               {1, 1, 1, inferCast},
		"CastLike":           {2, 2, 1, inferCastLike},
		"Pow":                {2, 2, 1, inferPow},
		"Where":              {3, 3, 1, inferWhere},
		"Not":                {1, 1, 1, inferUnary},
		"Reshape":            {2, 2, 1, inferReshape},
		"Flatten":            {1, 1, 1, inferFlatten},
		"Transpose":          {1, 1, 1, inferTranspose},
		"Concat":             {1, -1, 1, inferConcat},
		"Split":              {1, 2, -1, inferSplit},
		"Slice":              {1, 5, 1, inferSlice},
		"Gather":             {2, 2, 1, inferGather},
		"Squeeze":            {1, 2, 1, inferSqueeze},
		"Unsqueeze":          {1, 2, 1, inferUnsqueeze},
		"Expand":             {2, 2, 1, inferExpand},
		"Pad":                {1, 4, 1, inferPad},
		"Shape":              {1, 1, 1, inferShape},
		"Constant":           {0, 0, 1, inferConstant},
		"ConstantOfShape":    {1, 1, 1, inferConstantOfShape},
		"ArgMax":             {1, 1, 1, inferArg},
		"ArgMin":             {1, 1, 1, inferArg},

		KernelDomain + ".Attention": {1, 3, 1, inferAttention},
	}
}

func allOperators() map[string]operator {
	ops := single()
	for _, name := range []string{"Relu", "Sigmoid", "Tanh", "Softplus", "Mish", "LeakyRelu", "Elu", "Selu", "Celu", "Gelu",
		"HardSigmoid", "HardSwish", "Softsign", "Sqrt", "Reciprocal", "Exp", "Log", "Neg", "Abs", "Erf", "Floor", "Ceil",
		"Round", "Sign", "Sin", "Cos"} {
		ops[name] = operator{1, 1, 1, inferUnary}
	}
	for _, name := range []string{"Add", "Sub", "Mul", "Div", "Mod"} {
		ops[name] = operator{2, 2, 1, inferArithmetic}
	}
	for _, name := range []string{"Max", "Min", "Sum", "Mean"} {
		ops[name] = operator{1, -1, 1, inferArithmetic}
	}
	for _, name := range []string{"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Xor"} {
		ops[name] = operator{2, 2, 1, inferCompare}
	}
	for _, name := range []string{"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
		"ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"} {
		ops[name] = operator{1, 2, 1, inferReduce}
	}
	return ops
}
