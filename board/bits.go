//go:build 386 || arm || mips || mipsle

package board

// A system of 32 bits is refused here, before anything else is compiled.
var _ = Kosumi_needs_a_64_bit_system
