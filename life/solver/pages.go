package solver

// pages is an append-only list of values, each of width elements. It grows without copying, and so
// leaves no garbage.
type pages[T any] struct {
	width int
	list  [][]T
	used  int // number of values, including unused ones at the ends of pages
}

// pageSize is the number of values in a page.
const pageSize = 1 << 12

// at returns the n values from index first on, which one call of add must have appended.
func (p *pages[T]) at(first, n int) []T {
	k := first % pageSize * p.width
	return p.list[first/pageSize][k : k+n*p.width : k+n*p.width]
}

// add appends at most pageSize values and returns the index of the first.
func (p *pages[T]) add(values ...T) (first int) {
	n := len(values) / p.width
	if p.used%pageSize+n > pageSize {
		p.used += pageSize - p.used%pageSize
	}
	first = p.used
	if p.used += n; p.used > len(p.list)*pageSize {
		p.list = append(p.list, make([]T, pageSize*p.width))
	}
	copy(p.at(first, n), values)
	return first
}
