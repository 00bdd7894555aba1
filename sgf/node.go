package sgf

import (
	"iter"
	"math"
	"slices"
	"strconv"
)

// Property is one property of a node. Files may repeat a property in a node;
// the repetitions are kept as they are.
type Property struct {
	// ID is the identifier in capitals, as FF[4] writes it: "B", "AW", "KM".
	ID string
	// Values are the texts between the brackets: escaped, UTF-8. The function Text converts a value to
	// plain text, Escape converts plain text to a value.
	Values []string
}

// Node is one node of a game tree. The root node stands for the whole tree.
type Node struct {
	Properties []Property
	// Children are the nodes that may follow; the first continues the main line.
	Children []*Node

	notes *[]string // of a root node: notes about reading its tree
}

// Notes of a root node describe in plain sentences what was repaired or left out when its game
// tree was read.
func (n *Node) Notes() []string {
	if n.notes == nil {
		return nil
	}
	return *n.notes
}

// Get returns the first value of the first property called id, unconverted; "" if there is
// none.
func (n *Node) Get(id string) string {
	for i := range n.Properties {
		if n.Properties[i].ID == id && len(n.Properties[i].Values) > 0 {
			return n.Properties[i].Values[0]
		}
	}
	return ""
}

func (n *Node) Has(id string) bool {
	return slices.ContainsFunc(n.Properties, func(p Property) bool { return p.ID == id })
}

// Values returns every value of every property called id. If there is one such property, its
// values are not copied.
func (n *Node) Values(id string) []string {
	var all []string
	for i := range n.Properties {
		switch p := &n.Properties[i]; {
		case p.ID != id:
		case all == nil:
			all = p.Values[:len(p.Values):len(p.Values)]
		default:
			all = append(all, p.Values...)
		}
	}
	return all
}

// Text returns the first value of id as plain text, line breaks kept.
func (n *Node) Text(id string) string { return Text(n.Get(id)) }

// SimpleText returns the first value of id as plain text on one line.
func (n *Node) SimpleText(id string) string { return SimpleText(n.Get(id)) }

// Set replaces the values of property id, or appends the property. The values must
// already be escaped. Further properties of that name are removed.
func (n *Node) Set(id string, values ...string) {
	for i := range n.Properties {
		if n.Properties[i].ID != id {
			continue
		}
		n.Properties[i].Values = values
		rest := slices.DeleteFunc(n.Properties[i+1:], func(p Property) bool { return p.ID == id })
		n.Properties = n.Properties[:i+1+len(rest)]
		return
	}
	n.Properties = append(n.Properties, Property{ID: id, Values: values})
}

// SetText is Set with one plain text, which it escapes. The empty text removes
// the property.
func (n *Node) SetText(id, text string) {
	if text == "" {
		n.Remove(id)
		return
	}
	n.Set(id, Escape(text))
}

// SetTenths is Set with one number rounded to tenths, which is never minus zero.
func (n *Node) SetTenths(id string, x float64) {
	n.Set(id, strconv.FormatFloat(math.Round(10*x)/10+0, 'f', 1, 64))
}

func (n *Node) Remove(id string) {
	n.Properties = slices.DeleteFunc(n.Properties, func(p Property) bool { return p.ID == id })
}

// NewChild appends an empty node as the last variation and returns it.
func (n *Node) NewChild() *Node {
	c := &Node{}
	n.Children = append(n.Children, c)
	return c
}

// MainLine yields the node, its first child, that node's first child, and so on to a leaf.
func (n *Node) MainLine() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for at := n; at != nil && yield(at); {
			if len(at.Children) == 0 {
				return
			}
			at = at.Children[0]
		}
	}
}

// All yields the node and all its descendants in the order in which a file has them.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		open := []*Node{n}
		for len(open) > 0 {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if !yield(at) {
				return
			}
			for _, c := range slices.Backward(at.Children) {
				open = append(open, c)
			}
		}
	}
}
