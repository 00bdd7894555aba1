package nn

// TopUp is topUp, for tests of another package.
var TopUp = topUp
