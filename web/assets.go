package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:ui/dist
var embedded embed.FS

// ErrNotBuilt says that the program was built without the page.
var ErrNotBuilt = errors.New("this program was built without its page: run make build, which needs npm")

// Page returns the files of the page that stand in the program.
func Page() (fs.FS, error) {
	sub, err := fs.Sub(embedded, "ui/dist")
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(sub, "index.html"); err != nil {
		return nil, ErrNotBuilt
	}
	return sub, nil
}

// routes are the paths that the page itself knows; each gets index.html.
var routes = []string{"/", "/play", "/analyse", "/review", "/drills", "/training", "/settings", "/more"}

func isRoute(p string) bool {
	for _, r := range routes {
		if p == r || r != "/" && strings.HasPrefix(p, r+"/") {
			return true
		}
	}
	return false
}

// servePage answers with index.html.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	s.serveFile(w, r, "index.html")
}

// serveAsset answers with a file of the bundle, whose name changes with its
// content.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	if s.conf.Dev || !strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "no-store")
	} else {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	s.serveFile(w, r, name)
}

// serveFile sends a file, which stands compressed in the program, as the client
// takes it.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	packed, err := fs.ReadFile(s.page, name+".gz")
	if err != nil {
		plain, err := fs.ReadFile(s.page, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		s.send(w, r, name, plain)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		s.send(w, r, name, packed)
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
	s.send(w, r, name, packed)
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	if r.Method == http.MethodHead {
		return
	}
	w.Write(data)
}
