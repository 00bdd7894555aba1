//go:build !js

package ort

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// fetchScript is a script for sh that puts the library, verified, into the user's cache.
//
//go:embed fetch-onnxruntime.sh
var fetchScript string

// Fetch downloads the onnxruntime library, with CUDA's providers if cuda is set, to the user's cache, where
// [Find] looks. The argument why tells the user what needs the library.
func Fetch(why string, cuda bool) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return fmt.Errorf("it cannot be fetched here for want of a shell: put the library beside the program, or name it in %s", EnvLibrary)
	}
	args := []string{"-s", "--", "--why", why}
	if cuda {
		args = append(args, "--cuda")
	}
	cmd := exec.Command(shell, args...)
	var failure bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(fetchScript), &failure, os.Stderr
	if err := cmd.Run(); err != nil {
		return errors.New(cmp.Or(strings.TrimSpace(failure.String()), fmt.Sprintf("the download ended early (%v): run the same command again", err)))
	}
	return nil
}
