package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"strings"

	"kosumi/scripts"
)

// fetchLibrary gets the onnxruntime library into the user's cache, for what why says, the
// build with CUDA if that is wanted.
func fetchLibrary(why string, cuda bool) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return errors.New("it cannot be fetched here for want of a shell: put the library beside the program, or name it with --onnxruntime")
	}
	args := []string{"-s", "--", "--why", why}
	if cuda {
		args = append(args, "--cuda")
	}
	cmd := exec.Command(shell, args...)
	var failure bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(scripts.FetchOnnxruntime), &failure, os.Stderr
	if err := cmd.Run(); err != nil {
		return errors.New(cmp.Or(strings.TrimSpace(failure.String()), err.Error()))
	}
	return nil
}
