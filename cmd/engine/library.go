package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"kosumi/scripts"
)

// fetchLibrary gets the onnxruntime library, into the user's cache, and says why.
func fetchLibrary(why string) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return errors.New("it cannot be fetched here for want of a shell: put the library beside the program")
	}
	fmt.Fprintf(os.Stderr, "engine: the onnxruntime library is fetched, once: %s\n", why)
	cmd := exec.Command(shell, "-s")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(scripts.FetchOnnxruntime), os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return errors.New("it could not be fetched")
	}
	return nil
}
