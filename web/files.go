package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// inTurn serves at most maxImports uploads at a time, since each takes much memory; the others wait.
func (s *Server) inTurn(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.imports <- struct{}{}:
			defer func() { <-s.imports }()
			serve(w, r)
		case <-r.Context().Done():
		}
	}
}

// serveImport turns uploaded SGF into documents, one answer a file.
func (s *Server) serveImport(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, wire.MaxSGF+1<<20) // includes the multipart frame around the files
	answers := []api.Imported{}
	keep, done := s.importer(r.URL.Query().Get("to"))
	defer done()
	add := func(name string, data []byte, err error) { answers = append(answers, keep(name, data, err)) }
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		data, err := io.ReadAll(r.Body)
		add("", data, err)
		writeJSON(w, answers)
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for len(answers) < 1000 {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			add("", nil, err)
			break
		}
		data, err := io.ReadAll(part)
		add(part.FileName(), data, err)
		if err != nil {
			break
		}
	}
	writeJSON(w, answers)
}

// importer returns two functions. add makes a document from a file; if to is "review", it instead
// sorts the file's records into problems and games to review. done must be called after the last
// file.
func (s *Server) importer(to string) (add func(name string, data []byte, err error) api.Imported, done func()) {
	keep := func(_ string, data []byte) (api.Imported, error) { return s.docs.Import(data) }
	if done = func() {}; to == "review" {
		keep = func(name string, data []byte) (api.Imported, error) {
			return s.reviews.Import(name, data, s.docs.Import)
		}
		done = func() { s.reviews.PublishList(); s.player.Publish() }
	}
	return func(name string, data []byte, err error) (a api.Imported) {
		name = wire.Shown(name, 200)
		if errors.As(err, new(*http.MaxBytesError)) {
			err = api.Tell("limit", "sgf_large", "n", wire.MaxSGF>>20)
		}
		if err == nil {
			a, err = keep(name, data)
		}
		if a.Name = name; err != nil {
			a.Error, a.Say = err.Error(), api.Said(err)
		}
		return a
	}, done
}

// serveSGF serves game records; find returns the one whose ID is in the request's path.
func serveSGF(find func(id string) (data []byte, at time.Time, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, ok := store.ParseName(r.PathValue("file"), ".sgf")
		if !ok {
			http.NotFound(w, r)
			return
		}
		data, at, err := find(id)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-go-sgf; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="kosumi-`+at.Format("2006-01-02-1504")+`.sgf"`)
		w.Write(data)
	}
}
