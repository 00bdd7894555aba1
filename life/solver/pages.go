package solver

// pages hold values of so many elements each, which are added and never go. They grow
// without a copy, and so leave no garbage.
type pages[T any] struct {
	width int
	list  [][]T
	used  int // a gap where several values did not fit in the rest of a page counts
}

// pageSize is how many values a page holds.
const pageSize = 1 << 12

// at returns n values that were added together.
func (p *pages[T]) at(first, n int) []T {
	k := first % pageSize * p.width
	return p.list[first/pageSize][k : k+n*p.width : k+n*p.width]
}

// add appends values, at most a page full, and returns where they begin.
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
