package models

import "errors"

// The files are in the folder of the program, so that the browser caches them. The one for large
// boards is fetched on demand.
var zeroFile, taughtFile = missing, missing

func missing() ([]byte, error) { return nil, errors.New("the network's file is missing") }

// Give sets the sources of the files, before they are used.
func Give(zero, taught func() ([]byte, error)) { zeroFile, taughtFile = zero, taught }
