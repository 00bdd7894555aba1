package onnx

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Dim is one dimension of a shape. With a Param it is symbolic and Size has no meaning;
// with a negative Size and no Param it is unknown.
type Dim struct {
	Size  int64
	Param string
}

// UnknownDim is a dimension of unknown size.
var UnknownDim = Dim{Size: -1}

// D returns a dimension of a known size.
func D(n int64) Dim { return Dim{Size: n} }

// Sym returns a symbolic dimension. Two dimensions of the same symbol are equal.
func Sym(name string) Dim { return Dim{Size: -1, Param: name} }

// Known reports whether d is a number.
func (d Dim) Known() bool { return d.Param == "" && d.Size >= 0 }

// String returns "9", "N" or "?".
func (d Dim) String() string {
	switch {
	case d.Param != "":
		return d.Param
	case d.Size >= 0:
		return strconv.FormatInt(d.Size, 10)
	}
	return "?"
}

// same reports whether two dimensions are certainly equal.
func (d Dim) same(e Dim) bool {
	if d.Param != "" || e.Param != "" {
		return d.Param == e.Param
	}
	return d.Size >= 0 && d.Size == e.Size
}

// Shape lists dimensions, outermost first. nil means that not even the rank
// is known; a scalar has an empty Shape that is not nil.
type Shape []Dim

// ShapeOf returns a shape of known sizes.
func ShapeOf(sizes ...int64) Shape {
	s := make(Shape, len(sizes))
	for i, n := range sizes {
		s[i] = D(n)
	}
	return s
}

// String returns for example "[N 22 9 9]", or "unknown rank".
func (s Shape) String() string {
	if s == nil {
		return "unknown rank"
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = d.String()
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Known reports whether the rank and all dimensions are numbers.
func (s Shape) Known() bool {
	return s != nil && !slices.ContainsFunc(s, func(d Dim) bool { return !d.Known() })
}

// Sizes returns the dimensions as numbers; ok is false where one is not known.
func (s Shape) Sizes() (sizes []int64, ok bool) {
	if !s.Known() {
		return nil, false
	}
	sizes = make([]int64, len(s))
	for i, d := range s {
		sizes[i] = d.Size
	}
	return sizes, true
}

// Same reports whether two shapes are certainly equal.
func (s Shape) Same(t Shape) bool {
	return s != nil && t != nil && slices.EqualFunc(s, t, Dim.same)
}

// product returns the product of sizes; ok is false if a size is negative or the product overflows.
func product(sizes []int64) (n int64, ok bool) {
	zero := false
	n = 1
	for _, d := range sizes {
		if d < 0 {
			return 0, false
		}
		if d == 0 {
			zero = true
			continue
		}
		if n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	if zero {
		return 0, true
	}
	return n, true
}
