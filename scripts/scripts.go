// Package scripts carries the scripts that the program runs itself.
package scripts

import _ "embed"

// FetchOnnxruntime is a script for sh that puts the onnxruntime library into the user's
// cache, verified, where package ort finds it.
//
//go:embed fetch-onnxruntime.sh
var FetchOnnxruntime string
