// Package ui serves the files of the page, which web/ui/build.mjs builds from web/ui/src.
package ui

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// ErrNotBuilt says that the program was built without the page.
var ErrNotBuilt = errors.New("this program was built without its page: run make build, which needs npm")

// Files serves the files of the page.
type Files struct {
	Files fs.FS
	Dev   bool // the files may change: nothing is cached
}

// ServePage answers with index.html.
func (f Files) ServePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	f.serveFile(w, r, "index.html")
}

// ServeAsset answers with a file of the bundle. Browsers may keep files in assets/, since the name of
// such a file changes with its content.
func (f Files) ServeAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	if f.Dev || !strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "no-store")
	} else {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	f.serveFile(w, r, name)
}

// serveFile sends a file, compressed if the client accepts that.
func (f Files) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	packed, err := fs.ReadFile(f.Files, name+".gz")
	if err != nil {
		plain, err := fs.ReadFile(f.Files, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		send(w, r, name, plain)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		send(w, r, name, packed)
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		packed, err = io.ReadAll(z)
	}
	if err != nil {
		http.Error(w, "a file of the page is damaged", http.StatusInternalServerError)
		return
	}
	send(w, r, name, packed)
}

func send(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	if r.Method == http.MethodHead {
		return
	}
	w.Write(data)
}

// Build is the page's version: a page of another build is told to reload.
func (f Files) Build() string {
	data, err := fs.ReadFile(f.Files, "build.txt")
	if err != nil {
		return "dev"
	}
	return strings.TrimSpace(string(data))
}
