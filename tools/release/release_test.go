package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// someTree returns a program and a document, last modified at the given time.
func someTree(t *testing.T, written time.Time) tree {
	dir := t.TempDir()
	all := tree{}
	for name, mode := range map[string]os.FileMode{"engine": 0o755, "docs/gtp.md": 0o644} {
		from := filepath.Join(dir, filepath.Base(name))
		require.NoError(t, os.WriteFile(from, []byte("this is "+name), 0o600))
		require.NoError(t, os.Chtimes(from, written, written))
		all.add(name, from, mode)
	}
	return all
}

var released = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// TestArchives: an archive has its files' names and modes, and the same bits whenever and wherever
// the files were written.
func TestArchives(t *testing.T) {
	for name, list := range map[string]func(t *testing.T, path string) map[string]os.FileMode{"a.zip": inZip, "a.tar.gz": inTar} {
		var first []byte
		for i := range 2 {
			path := filepath.Join(t.TempDir(), name)
			require.NoError(t, someTree(t, time.Unix(int64(1e9*i), 0)).write(path, "top", released))
			require.Equal(t, map[string]os.FileMode{"top/engine": 0o755, "top/docs/gtp.md": 0o644}, list(t, path))
			data := []byte(testshared.Read(t, path))
			if i == 0 {
				first = data
			}
			require.Equal(t, first, data, name)
		}
	}
}

func inZip(t *testing.T, path string) map[string]os.FileMode {
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer z.Close()
	modes := map[string]os.FileMode{}
	for _, f := range z.File {
		modes[f.Name] = f.Mode().Perm()
	}
	return modes
}

func inTar(t *testing.T, path string) map[string]os.FileMode {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	packed, err := gzip.NewReader(f)
	require.NoError(t, err)
	modes := map[string]os.FileMode{}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return modes
		}
		require.NoError(t, err)
		require.Equal(t, released.Unix(), h.ModTime.Unix())
		modes[h.Name] = h.FileInfo().Mode().Perm()
	}
}

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	spanned = regexp.MustCompile("`([^`]+)`")
)

// TestDocumentsNameWhatIsThere: in an archive and in a package, all links of documents lead to files.
// Source files that a line names are included too, unless the line has the word "source" or the
// document is one of two that are about the source.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	t.Chdir("../..")
	all := tree{}
	require.NoError(t, all.addDocuments())
	archive := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, all.write(archive, "top", time.Unix(1e9, 0)))
	unpacked, installed := t.TempDir(), t.TempDir()
	require.NoError(t, unzip(archive, unpacked))
	for path := range all {
		to := filepath.Join(installed, documentPath(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, []byte(testshared.Read(t, filepath.Join(unpacked, "top", path))), 0o644))
	}
	documents := 0
	for _, top := range []string{filepath.Join(unpacked, "top"), filepath.Join(installed, "usr/share/doc/kosumi")} {
		require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".md" {
				return err
			}
			documents++
			for n, line := range strings.Split(testshared.Read(t, path), "\n") {
				where := fmt.Sprintf("%s:%d: %s", path, n+1, line)
				for _, m := range linked.FindAllStringSubmatch(line, -1) {
					if to, _, _ := strings.Cut(m[1], "#"); to != "" && !strings.Contains(to, "://") {
						require.True(t, exists(filepath.Join(filepath.Dir(path), to)), where)
					}
				}
				if name := filepath.Base(path); name == "CONTRIBUTING.md" || name == "architecture.md" || strings.Contains(line, "source") {
					continue
				}
				for _, word := range strings.Fields(line + " " + strings.Join(firsts(spanned, line), " ")) {
					if info, err := os.Stat(word); err == nil && strings.Contains(word, "/") && filepath.IsLocal(word) && !strings.HasPrefix(word, "bin/") && info.Mode().IsRegular() {
						require.True(t, exists(filepath.Join(top, word)), where)
					}
				}
			}
			return nil
		}))
	}
	require.Greater(t, documents, 40)
}

func firsts(pattern *regexp.Regexp, text string) (all []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestPackagedUnit: a systemd unit in a package starts the program at its place in the package.
func TestPackagedUnit(t *testing.T) {
	r := &release{work: t.TempDir()}
	path, err := r.packagedUnit("../deploy/kosumi-work.service")
	require.NoError(t, err)
	data := testshared.Read(t, path)
	require.Contains(t, data, "ExecStart=/usr/bin/kosumi work ")
	require.NotContains(t, data, "/opt/kosumi")
}

// TestArchivesHoldThePage: an archive holds the page that was built, and a page that lacks a part is refused.
func TestArchivesHoldThePage(t *testing.T) {
	dir := filepath.Join(testshared.Checkout(t), siteFolder)
	if !exists(dir) {
		testshared.Absent(t, "the page without a program is not built (make page-site)")
	}
	all := tree{}
	require.NoError(t, all.addSite(dir))
	for _, name := range []string{"site/index.html", "site/sw.js", "site/manifest.webmanifest", "site/assets/licences.txt"} {
		require.Contains(t, all, name)
	}
	archive := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, all.write(archive, "top", time.Unix(1e9, 0)))
	unpacked := t.TempDir()
	require.NoError(t, unzip(archive, unpacked))
	require.NoError(t, (tree{}).addSite(filepath.Join(unpacked, "top/site")))

	parts, err := filepath.Glob(filepath.Join(unpacked, "top/site/assets/network-*.bin"))
	require.NoError(t, err)
	require.Len(t, parts, 1)
	require.NoError(t, os.Rename(parts[0], filepath.Join(unpacked, "hidden")))
	require.ErrorContains(t, (tree{}).addSite(filepath.Join(unpacked, "top/site")), "lacks assets/"+filepath.Base(parts[0]))
}

func TestChoose(t *testing.T) {
	all, err := choose("")
	require.NoError(t, err)
	require.Len(t, all, len(targets))
	some, err := choose("darwin/arm64,windows-amd64")
	require.NoError(t, err)
	require.Equal(t, "macos-arm64 windows-amd64", some[0].name()+" "+some[1].name())
	_, err = choose("plan9/amd64")
	require.ErrorContains(t, err, "linux/amd64")
}

func TestPins(t *testing.T) {
	t.Chdir("../..")
	for _, name := range []string{"ziglang", "msvc-runtime"} {
		version, err := pinned(name)
		require.NoError(t, err)
		require.Regexp(t, `^\d+\.\d+\.\d+$`, version)
	}
	pin, err := pinOf("a==1 \\\n  --hash=x\n\nb==2 \\\n  --hash=y \\\n  --hash=z\nc==3\n", "b")
	require.NoError(t, err)
	require.Equal(t, "b==2 \\\n  --hash=y \\\n  --hash=z\n", pin)
	_, err = pinOf("a==1\n", "b")
	require.ErrorContains(t, err, "does not name b")
}

// TestLibraries: the archives for Windows and macOS hold the onnxruntime library, the others do not.
func TestLibraries(t *testing.T) {
	t.Chdir("../..")
	with := map[string]bool{"windows": true, "darwin": true}
	for _, target := range targets {
		all, err := materials(target)
		require.NoError(t, err)
		carried := slices.ContainsFunc(all, func(c component) bool { return c.Name == "onnxruntime" })
		require.Equal(t, with[target.os], carried, target)
		require.Equal(t, with[target.os], target.library != "", target)
		if target.ort == "" {
			files, err := (&release{}).libraries(target)
			require.NoError(t, err)
			require.Empty(t, files)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, bad := range []string{"", "1", "1.2", "v1.2.3", "1.2.3-rc1", "1.2.3.4"} {
		require.ErrorContains(t, run(t.Context(), bad, "", t.TempDir(), ""), "three numbers", bad)
	}
}

// TestAppleStubs: the stub of each library names a symbol that Go imports from the library.
func TestAppleStubs(t *testing.T) {
	dir, err := appleStubs(t.Context(), t.TempDir())
	require.NoError(t, err)
	for file, symbol := range map[string]string{
		"libresolv.tbd": "_res_9_nsearch",
		"CoreFoundation.framework/CoreFoundation.tbd": "_CFRelease",
		"Security.framework/Security.tbd":             "_SecTrustEvaluateWithError",
	} {
		data := testshared.Read(t, filepath.Join(dir, file))
		require.Contains(t, data, symbol)
		require.Contains(t, data, "--- !tapi-tbd")
	}
}

func TestLicenceFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE", "license.md", "COPYING", "NOTICE.txt", "ThirdPartyNotices.txt", "LICENSE-MIT", "licences.go", "main.go", "README"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	found, err := licenceFiles(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	require.ElementsMatch(t, []string{"LICENSE", "license.md", "COPYING", "NOTICE.txt", "ThirdPartyNotices.txt", "LICENSE-MIT"}, names)
}

// TestChecksums: the sums cover all files of this version in the folder, also those that an earlier
// run made for other systems.
func TestChecksums(t *testing.T) {
	r := release{version: "1.2.3", out: t.TempDir()}
	sums := filepath.Join(r.out, "kosumi-1.2.3-SHA256SUMS")
	for _, name := range []string{"kosumi-1.2.3-linux-arm64.deb", "kosumi-1.2.3-linux-amd64.tar.gz", "kosumi-1.2.2-linux-amd64.tar.gz"} {
		require.NoError(t, os.WriteFile(filepath.Join(r.out, name), []byte("abc"), 0o600))
		require.NoError(t, r.checksums())
	}
	got := testshared.Read(t, sums)
	abc := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  "
	require.Equal(t, abc+"kosumi-1.2.3-linux-amd64.tar.gz\n"+abc+"kosumi-1.2.3-linux-arm64.deb\n", got)
}
