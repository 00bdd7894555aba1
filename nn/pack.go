package nn

import "math"

// The compact number formats of the cache.
//
// A probability takes 16 bits: 5 of exponent and 11 of mantissa, from 2^-31 to 1, relative error at
// most 2^-12; smaller ones become the smallest code rather than 0, so that no move becomes
// unreachable. 0 and illegal moves have separate codes. A number in [-1,1] takes 16 bits, absolute
// error at most 2^-16.
const (
	codeIllegal = 0xffff
	codeZero    = 0
	// codeShift drops 12 of float32's 23 mantissa bits; codeBias maps the float32 2^-31 to code 0.
	// Code 0 stands for zero, so code 1 is the smallest probability.
	codeShift = 12
	codeBias  = (127 - 31) << (23 - codeShift)
	codeOne   = 31 << (23 - codeShift)
)

func packProbability(p float32) uint16 {
	if p < 0 {
		return codeIllegal
	}
	if p == 0 {
		return codeZero
	}
	code := int(math.Float32bits(p)+1<<(codeShift-1))>>codeShift - codeBias
	return uint16(min(max(code, 1), codeOne))
}

func unpackProbability(code uint16) float32 {
	switch code {
	case codeIllegal:
		return -1
	case codeZero:
		return 0
	}
	return math.Float32frombits((uint32(code) + codeBias) << codeShift)
}

func packSigned(x float32) uint16 {
	return uint16(int16(math.RoundToEven(float64(max(-1, min(1, x))) * math.MaxInt16)))
}

func unpackSigned(code uint16) float32 { return float32(int16(code)) / math.MaxInt16 }

// packPolicy stores two probabilities per word. Like the functions below it returns the words that are left.
func packPolicy(dst []uint32, src []float32) []uint32 { return packPairs(dst, src, packProbability) }

// packPoints stores two numbers in [-1,1] per word.
func packPoints(dst []uint32, src []float32) []uint32 { return packPairs(dst, src, packSigned) }

func packPairs(dst []uint32, src []float32, code func(float32) uint16) []uint32 {
	for i, x := range src {
		if i%2 == 0 {
			dst[i/2] = uint32(code(x))
		} else {
			dst[i/2] |= uint32(code(x)) << 16
		}
	}
	return dst[(len(src)+1)/2:]
}

func unpackPolicy(dst []float32, src []uint32) []uint32 {
	return unpackPairs(dst, src, unpackProbability)
}

func unpackPoints(dst []float32, src []uint32) []uint32 { return unpackPairs(dst, src, unpackSigned) }

func unpackPairs(dst []float32, src []uint32, number func(uint16) float32) []uint32 {
	for i := range dst {
		dst[i] = number(uint16(src[i/2] >> (16 * (i % 2))))
	}
	return src[(len(dst)+1)/2:]
}

func packExact(dst []uint32, src []float32) []uint32 {
	for i, x := range src {
		dst[i] = math.Float32bits(x)
	}
	return dst[len(src):]
}

func unpackExact(dst []float32, src []uint32) []uint32 {
	for i := range dst {
		dst[i] = math.Float32frombits(src[i])
	}
	return src[len(dst):]
}
