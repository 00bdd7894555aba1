// Package quantize rewrites networks in 8-bit integers and 16-bit floats, for other
// programs and processors: it finds or plays positions to calibrate on, has nn/quant
// rewrite the graph, and reports what that cost.
package quantize
