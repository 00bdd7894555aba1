package onnx

func ofString(s string) Attr     { return Attr{Kind: KindString, S: s} }
func ofTensor(t *Tensor) Attr    { return Attr{Kind: KindTensor, T: t} }
func ofGraph(g *Graph) Attr      { return Attr{Kind: KindGraph, G: g} }
func ofFloats(f ...float32) Attr { return Attr{Kind: KindFloats, Floats: f} }
func ofStrings(s ...string) Attr { return Attr{Kind: KindStrings, Strings: s} }
