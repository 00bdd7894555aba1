package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// someRelease returns a release with licences, and a program and a library for a system.
func someRelease(t *testing.T, system target) (r *release, program, library string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	r = &release{version: "1.2.3", out: t.TempDir(), work: t.TempDir(), when: time.Unix(1e9, 0).UTC(), common: tree{}}
	r.common.add("LICENSE", write("LICENSE", "mine"), 0o644)
	r.common.add("THIRD-PARTY-LICENCES.txt", write("THIRD-PARTY-LICENCES.txt", "theirs"), 0o644)
	return r, write(system.program(), "#!/bin/sh\necho played $*\n"), write("library.so", "a library")
}

// TestWheel: in the package of each system, RECORD has every file with its sum and the program is
// executable; two builds have the same bits.
func TestWheel(t *testing.T) {
	names := map[string][3]string{ // of the package, the program and the library
		"linux/amd64":   {"kosumi-1.2.3-py3-none-manylinux_2_28_x86_64.whl", "scripts/kosumi", "data/lib/kosumi/library.so"},
		"linux/arm64":   {"kosumi-1.2.3-py3-none-manylinux_2_28_aarch64.whl", "scripts/kosumi", "data/lib/kosumi/library.so"},
		"windows/amd64": {"kosumi-1.2.3-py3-none-win_amd64.whl", "scripts/kosumi.exe", "scripts/library.so"},
		"windows/arm64": {"kosumi-1.2.3-py3-none-win_arm64.whl", "scripts/kosumi.exe", "scripts/library.so"},
		"darwin/arm64":  {"kosumi-1.2.3-py3-none-macosx_14_0_arm64.whl", "scripts/kosumi", "data/lib/kosumi/library.so"},
	}
	require.Len(t, targets, len(names))
	for _, system := range targets {
		var first []byte
		for range 2 {
			r, program, library := someRelease(t, system)
			made, err := r.wheel(system, program, []string{library})
			require.NoError(t, err)
			want := names[system.String()]
			require.Equal(t, want[0], filepath.Base(made))
			bits := []byte(testshared.Read(t, made))
			if first == nil {
				first = bits
			}
			require.Equal(t, first, bits)

			held := map[string]string{}
			z, err := zip.OpenReader(made)
			require.NoError(t, err)
			defer z.Close()
			for _, f := range z.File {
				part, err := f.Open()
				require.NoError(t, err)
				data, err := io.ReadAll(part)
				require.NoError(t, err)
				held[f.Name] = string(data)
				require.Equal(t, strings.Contains(f.Name, "/scripts/kosumi"), f.Mode().Perm() == 0o755, f.Name)
			}
			require.Contains(t, held, "kosumi-1.2.3.data/"+want[1])
			require.Contains(t, held, "kosumi-1.2.3.data/"+want[2])
			const info = "kosumi-1.2.3.dist-info/"
			require.Contains(t, held[info+"WHEEL"], "Tag: "+strings.TrimSuffix(strings.TrimPrefix(want[0], "kosumi-1.2.3-"), ".whl")+"\n")
			require.Contains(t, held[info+"METADATA"], "\nName: kosumi\nVersion: 1.2.3\n")
			lines := strings.Split(strings.TrimSpace(held[info+"RECORD"]), "\n")
			require.Len(t, lines, len(held))
			for _, line := range lines {
				name, sum, _ := strings.Cut(line, ",")
				hash := sha256.Sum256([]byte(held[name]))
				if want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(hash[:]), len(held[name])); name != info+"RECORD" {
					require.Equal(t, want, sum)
				}
			}
		}
	}
}

// TestWheelInstalls: pip installs the package for Linux, and the command in it runs.
func TestWheelInstalls(t *testing.T) {
	testshared.Slow(t)
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-m", "pip", "--version").Run() != nil {
		testshared.Absent(t, "there is no python3 with pip")
	}
	r, program, library := someRelease(t, targets[0])
	made, err := r.wheel(targets[0], program, []string{library})
	require.NoError(t, err)
	prefix := t.TempDir()
	said, err := exec.Command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--ignore-installed", "--platform", targets[0].python,
		"--only-binary=:all:", "--target", prefix, made).CombinedOutput()
	require.NoError(t, err, string(said))
	out, err := exec.Command(filepath.Join(prefix, "bin/kosumi"), "gtp").Output()
	require.NoError(t, err)
	require.Equal(t, "played gtp\n", string(out))
}

// TestManifests requires that the files for Homebrew, Scoop and winget hold the addresses and
// sums of all archives, and that a missing archive is an error.
func TestManifests(t *testing.T) {
	r := &release{version: "1.2.3", out: t.TempDir(), url: "https://example.org/me/kosumi"}
	require.ErrorContains(t, r.manifests(), "kosumi-1.2.3-linux-amd64.tar.gz")
	type source struct{ url, sum string }
	sources := map[string]source{}
	for _, system := range targets {
		name := "kosumi-1.2.3-" + system.name() + system.suffix()
		require.NoError(t, os.WriteFile(filepath.Join(r.out, name), []byte(name), 0o600))
		sources[system.name()] = source{"https://example.org/me/kosumi/releases/download/v1.2.3/" + name, fmt.Sprintf("%x", sha256.Sum256([]byte(name)))}
	}
	require.NoError(t, r.manifests())
	read := func(name string) string {
		data := testshared.Read(t, filepath.Join(r.out, "manifests-1.2.3", name))
		require.NotContains(t, data, "<no value>")
		return data
	}
	formula, installer := read("kosumi.rb"), read("Kosumi.Kosumi.installer.yaml")
	for system, s := range sources {
		if strings.HasPrefix(system, "windows") {
			require.Contains(t, installer, "InstallerUrl: "+s.url+"\n  InstallerSha256: "+s.sum+"\n")
			require.Contains(t, installer, `RelativeFilePath: kosumi-1.2.3-`+system+`\engine.exe`)
			continue
		}
		require.Contains(t, formula, fmt.Sprintf("url %q\n      sha256 %q\n", s.url, s.sum))
	}
	var scoop struct {
		Version      string
		Architecture map[string]struct{ URL, Hash, Extract_dir string }
	}
	require.NoError(t, json.Unmarshal([]byte(read("kosumi.json")), &scoop))
	require.Equal(t, "1.2.3", scoop.Version)
	for arch, system := range map[string]string{"64bit": "windows-amd64", "arm64": "windows-arm64"} {
		got := scoop.Architecture[arch]
		require.Equal(t, sources[system], source{got.URL, got.Hash})
		require.Equal(t, "kosumi-1.2.3-"+system, got.Extract_dir)
	}
	for _, name := range []string{"Kosumi.Kosumi.yaml", "Kosumi.Kosumi.locale.en-US.yaml"} {
		require.Contains(t, read(name), "PackageVersion: 1.2.3\n")
	}
}
