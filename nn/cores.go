package nn

import "runtime"

var cores = runtime.GOMAXPROCS(0)

// Cores returns how many of the processor's cores this program may keep busy: GOMAXPROCS
// when the program starts, which respects affinity, a container's quota and the environment
// variable. Later changes of runtime.GOMAXPROCS do not count.
func Cores() int { return cores }
