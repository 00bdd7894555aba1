package web

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// serveImport turns uploaded SGF into documents, one answer a file.
func (s *Server) serveImport(w http.ResponseWriter, r *http.Request) {
	select {
	case s.imports <- struct{}{}:
		defer func() { <-s.imports }()
	case <-r.Context().Done():
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, wire.MaxSGF)
	answers := []api.Imported{}
	keep := func(_ string, data []byte) (a api.Imported, err error) {
		a.Kind = "doc"
		a.ID, err = s.docs.Import(data)
		return a, err
	}
	if r.URL.Query().Get("to") == "review" {
		keep = func(name string, data []byte) (api.Imported, error) {
			return s.reviews.Import(name, data, s.docs.Import)
		}
		defer s.reviews.PublishList()
		defer s.player.Publish()
	}
	add := func(name string, data []byte, err error) {
		var a api.Imported
		if name = wire.Shown(name, 200); err == nil {
			a, err = keep(name, data)
		}
		a.Name = name
		if err != nil {
			a.Error, a.Say = err.Error(), api.Said(err)
		}
		answers = append(answers, a)
	}
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

// serveSGF answers requests with the record that their path names.
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
