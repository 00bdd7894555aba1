package onnx

// Reshape adds a view of x with the dimensions dims. A 0 stands for the same dimension of x; one
// dimension may be -1, and then follows from the number of elements.
func (b *Builder) Reshape(x Value, dims ...int64) Value {
	return b.Op("Reshape", nil, x, b.Ints(dims...))
}

// Flatten adds a view of two dimensions: the first dimension of x, and the product of the others.
func (b *Builder) Flatten(x Value) Value { return b.Op("Flatten", Attrs{"axis": AttrInt(1)}, x) }

func (b *Builder) Transpose(x Value, perm ...int64) Value {
	return b.Op("Transpose", Attrs{"perm": AttrInts(perm...)}, x)
}

// Concat joins values along an axis.
func (b *Builder) Concat(axis int64, xs ...Value) Value {
	return b.Op("Concat", Attrs{"axis": AttrInt(axis)}, xs...)
}

// Slice cuts x along one axis: from start up to, not including, end; negative
// numbers count from the end.
func (b *Builder) Slice(x Value, axis, start, end int64) Value {
	return b.SliceAxes(x, []int64{axis}, []int64{start}, []int64{end}, nil)
}

// SliceAxes cuts x along several axes; steps may be nil.
func (b *Builder) SliceAxes(x Value, axes, starts, ends, steps []int64) Value {
	if steps == nil {
		return b.Op("Slice", nil, x, b.Ints(starts...), b.Ints(ends...), b.Ints(axes...))
	}
	return b.Op("Slice", nil, x, b.Ints(starts...), b.Ints(ends...), b.Ints(axes...), b.Ints(steps...))
}

// Gather picks entries along an axis by index.
func (b *Builder) Gather(x, indices Value, axis int64) Value {
	return b.Op("Gather", Attrs{"axis": AttrInt(axis)}, x, indices)
}

// Unsqueeze inserts axes of size 1. The argument axes gives their places in the result.
func (b *Builder) Unsqueeze(x Value, axes ...int64) Value {
	return b.Op("Unsqueeze", nil, x, b.Ints(axes...))
}

// ReduceMean adds the mean over the given axes (over all if none are given).
func (b *Builder) ReduceMean(x Value, keep bool, axes ...int64) Value {
	return b.reduce("ReduceMean", b.opset >= 18, x, keep, axes)
}

// ReduceSum adds the sum over the given axes (over all if none are given).
func (b *Builder) ReduceSum(x Value, keep bool, axes ...int64) Value {
	return b.reduce("ReduceSum", true, x, keep, axes)
}

// reduce writes the axes as an input or, for older opsets, as an attribute.
func (b *Builder) reduce(op string, asInput bool, x Value, keep bool, axes []int64) Value {
	a := Attrs{"keepdims": AttrInt(0)}
	if keep {
		a["keepdims"] = AttrInt(1)
	}
	if len(axes) > 0 && asInput {
		return b.Op(op, a, x, b.Ints(axes...))
	}
	if len(axes) > 0 {
		a["axes"] = AttrInts(axes...)
	}
	return b.Op(op, a, x)
}
