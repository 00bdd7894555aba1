package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tree holds the files of an archive, by their path in the archive.
type tree map[string]entry

type entry struct {
	from string // path of the file with the content
	mode fs.FileMode
}

func (t tree) add(path, from string, mode fs.FileMode) { t[path] = entry{from, mode} }

// addFolder adds all files below dir; in the archive the folder to takes the place of dir.
func (t tree) addFolder(to, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		t.add(filepath.ToSlash(filepath.Join(to, rel)), path, 0o644)
		return err
	})
}

// write makes a .tar.gz, a .zip or a .whl, which is a .zip, with the files in a folder named top ("":
// no folder). The same files, top and time give the same bytes.
func (t tree) write(archive, top string, when time.Time) error {
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	pack := t.zip
	if strings.HasSuffix(archive, ".gz") {
		pack = t.tar
	}
	return errors.Join(pack(f, top, when), f.Close())
}

// each calls f with the files in the order of their paths.
func (t tree) each(f func(path string, mode fs.FileMode, data []byte) error) error {
	for _, path := range slices.Sorted(maps.Keys(t)) {
		data, err := os.ReadFile(t[path].from)
		if err == nil {
			err = f(path, t[path].mode, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t tree) tar(to io.Writer, top string, when time.Time) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(packed)
	err = t.each(func(name string, mode fs.FileMode, data []byte) error {
		err := w.WriteHeader(&tar.Header{Name: path.Join(top, name), Mode: int64(mode), Size: int64(len(data)), ModTime: when, Format: tar.FormatPAX})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(w.Close(), packed.Close())
}

func (t tree) zip(to io.Writer, top string, when time.Time) error {
	w := zip.NewWriter(to)
	err := t.each(func(name string, mode fs.FileMode, data []byte) error {
		h := &zip.FileHeader{Name: path.Join(top, name), Method: zip.Deflate, Modified: when}
		h.SetMode(mode)
		part, err := w.CreateHeader(h)
		if err == nil {
			_, err = part.Write(data)
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// unzip unpacks a package of the Python registry. pip has checked its sha256.
func unzip(archive, dir string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer r.Close()
	return os.CopyFS(dir, r)
}

// checksums writes the sha256 of all files of this version, including those made earlier for
// other systems, in the format of sha256sum -c.
func (r *release) checksums() error {
	to := filepath.Join(r.out, "kosumi-"+r.version+"-SHA256SUMS")
	files, err := filepath.Glob(filepath.Join(r.out, "kosumi-"+r.version+"-*"))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == to })
	var b strings.Builder
	for _, f := range files {
		sum, err := sumOf(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, filepath.Base(f))
	}
	fmt.Println("  " + to)
	return os.WriteFile(to, []byte(b.String()), 0o644)
}

// sumOf returns the sha256 of a file in hexadecimal.
func sumOf(file string) (string, error) {
	data, err := os.ReadFile(file)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
