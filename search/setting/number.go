package setting

import (
	"math"
	"strconv"
	"strings"
)

// General writes a number with six significant digits, as "%g" of C does.
func General(x float64) string {
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(x, 'g', 6, 64), "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if ok {
		return mantissa + "e" + exponent
	}
	return mantissa
}

// Float writes a number in the shortest form that reads back the same, with a
// point or an exponent, as JSON libraries of C++ do.
func Float(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e15) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
