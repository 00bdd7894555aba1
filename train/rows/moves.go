package rows

import (
	"io"
	"os"
)

// sampleBytes is how much of a file of game records is read to estimate its number of moves.
const sampleBytes = 1 << 20

func movesOfFile(path string, size int64) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, sampleBytes))
	if err != nil {
		return 0, err
	}
	n := countMoves(data)
	if int64(len(data)) < size {
		n = int(float64(n) * float64(size) / float64(len(data)))
	}
	return n, nil
}

// countMoves counts the properties B and W in the main lines of SGF text, even if the text is cut
// off. For other text the count has no meaning.
func countMoves(data []byte) (n int) {
	depth, aside := 0, false // aside: within a variation
	var name [2]byte         // capitals of the property's name
	letters, done := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
			aside = depth > 0
		case c == ';':
			letters, done = 0, false
		case c >= 'A' && c <= 'Z':
			if done {
				letters, done = 0, false
			}
			name[min(letters, 1)] = c
			letters++
		case c == '[':
			if letters == 1 && !done && !aside && (name[0] == 'B' || name[0] == 'W') {
				n++
			}
			done = true
			i = endOfValue(data, i)
		}
	}
	return n
}

// endOfValue returns the index of the ] that ends the value whose [ is at index i.
func endOfValue(data []byte, i int) int {
	for i++; i < len(data) && data[i] != ']'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}
