package setting

import "strings"

// Near returns the name closest to word by edits, if at most a third of word's letters differ; ""
// if no name is that close, or two are equally close.
func Near(word string, names []string) string {
	word = strings.ToLower(word)
	best, far, tied := "", max(1, len(word)/3)+1, false
	for _, n := range names {
		switch d := distance(word, strings.ToLower(n)); {
		case d < far:
			best, far, tied = n, d, false
		case d == far && n != best:
			tied = true
		}
	}
	if tied {
		return ""
	}
	return best
}

// distance is the Damerau-Levenshtein distance: the number of insertions, deletions, replacements
// and swaps of neighbours that turn a into b, no letter edited twice.
func distance(a, b string) int {
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j]+cost, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
