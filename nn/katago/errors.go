package katago

import (
	"errors"
	"fmt"
)

// Errors of this package, for errors.Is. The text names the layer if the error is about one.
var (
	// ErrFormat: the bytes are not a KataGo network, or a damaged one.
	ErrFormat = errors.New("not a valid katago network")
	// ErrTruncated: the file ends too early.
	ErrTruncated = errors.New("katago network is cut short")
	// ErrVersion: a model version that is not supported.
	ErrVersion = errors.New("katago model version not supported")
	// ErrUnsupported: a well-formed file that asks for a layer or option that is not supported.
	ErrUnsupported = errors.New("katago network uses something not supported")
	// ErrShape: layers do not fit each other.
	ErrShape = errors.New("katago network is inconsistent")
	// ErrTooLarge: the content is larger than any real network.
	ErrTooLarge = errors.New("katago network is too large")
	// ErrSize: a board size that cannot be served.
	ErrSize = errors.New("board size out of range")
	// ErrNotExact: an ONNX graph from which no KataGo network can be restored.
	ErrNotExact = errors.New("onnx graph holds no katago network in exact form")
)

// unknown makes an [ErrUnsupported] about a part of the file that newer trainers of KataGo may
// write.
func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s; a newer program may know it", ErrUnsupported, fmt.Sprintf(format, args...))
}

func versionError(version int) error {
	hint := ""
	if version > MaxVersion {
		hint = "; a newer program may know it"
	}
	return fmt.Errorf("%w: version %d, supported are %d to %d%s", ErrVersion, version, MinVersion, MaxVersion, hint)
}
