package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// pinOf returns the requirement of one package: its version and hashes.
func pinOf(requirements, name string) (string, error) {
	_, rest, ok := strings.Cut("\n"+requirements, "\n"+name+"==")
	if !ok {
		return "", fmt.Errorf("%s does not name %s", pins, name)
	}
	var lines []string
	for line := range strings.Lines(rest) {
		lines = append(lines, line)
		if !strings.HasSuffix(strings.TrimRight(line, "\n"), `\`) {
			break
		}
	}
	return name + "==" + strings.Join(lines, ""), nil
}

// pinned returns the version of a package.
func pinned(name string) (string, error) {
	data, err := os.ReadFile(pins)
	if err != nil {
		return "", err
	}
	pin, err := pinOf(string(data), name)
	if err != nil {
		return "", err
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(pin, name+"=="), " ")
	return strings.TrimSpace(version), nil
}

// pageVersions returns the packages that the page is made from and their versions.
func pageVersions(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return doc.Dependencies, nil
}
