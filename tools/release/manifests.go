package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// manifestTexts are templates: a formula for Homebrew, a manifest for Scoop and three for winget.
//
//go:embed manifests
var manifestTexts embed.FS

// archived describes an archive: the folder inside, and the address and sha256 of the archive.
type archived struct{ Top, URL, SHA256 string }

// manifests writes the files from which Homebrew, Scoop and winget install the archives of all
// systems, into the folder manifests-VERSION beside the archives. It writes none if the address of
// the project's page is not given.
func (r *release) manifests() error {
	if r.url == "" {
		fmt.Println("  no files for Homebrew, Scoop and winget: they want URL=, the project's page")
		return nil
	}
	archives := map[string]archived{}
	for _, t := range targets {
		top := "kosumi-" + r.version + "-" + t.name()
		sum, err := sumOf(filepath.Join(r.out, top+t.suffix()))
		if err != nil {
			return fmt.Errorf("Homebrew, Scoop and winget want the archives of all systems: %w", err)
		}
		archives[strings.ReplaceAll(t.name(), "-", "_")] = archived{top, r.url + "/releases/download/v" + r.version + "/" + top + t.suffix(), sum}
	}
	dir := filepath.Join(r.out, "manifests-"+r.version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all, err := template.ParseFS(manifestTexts, "manifests/*")
	if err != nil {
		return err
	}
	for _, text := range all.Templates() {
		f, err := os.Create(filepath.Join(dir, text.Name()))
		if err != nil {
			return err
		}
		err = text.Execute(f, map[string]any{"Version": r.version, "Page": r.url, "Summary": summary, "Archives": archives})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	fmt.Println("  " + dir)
	return nil
}
