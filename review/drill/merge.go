package drill

import "slices"

// Merge adds the problems of another set that are not in this one, and returns how many.
func (d *Set) Merge(other *Set) int {
	before := len(d.Problems)
	d.Problems = joined(d.Problems, other.Problems, func(p *Problem) string { return p.ID })
	return len(d.Problems) - before
}

// MergeAttempts joins the attempts of two logs, sorted by time. Of two attempts with the same problem
// and time it keeps the one in the first log.
func MergeAttempts(a, b []Attempt) []Attempt {
	type key struct {
		id string
		at int64
	}
	all := joined(a, b, func(x *Attempt) key { return key{x.ID, x.Time.UnixNano()} })
	slices.SortStableFunc(all, func(x, y Attempt) int { return x.Time.Compare(y.Time) })
	return all
}

// joined returns the first list, followed by the elements of the second whose key did not occur
// before.
func joined[T any, K comparable](a, b []T, key func(*T) K) []T {
	known, all := map[K]bool{}, slices.Clone(a)
	for i := range a {
		known[key(&a[i])] = true
	}
	for i := range b {
		if k := key(&b[i]); !known[k] {
			known[k], all = true, append(all, b[i])
		}
	}
	return all
}
