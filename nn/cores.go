package nn

import "runtime"

var cores = runtime.GOMAXPROCS(0)

// Cores is how many of the processor's cores this program may keep busy: Go's own number
// when the program starts, which heeds affinity, a container's quota and the environment
// variable GOMAXPROCS, whatever changes runtime.GOMAXPROCS later.
func Cores() int { return cores }
