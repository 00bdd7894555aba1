package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCause checks what users are told of real errors of the operating system, wrapped as the program
// wraps them, and of errors that a test cannot provoke but only construct.
func TestCause(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone.sgf")
	_, errGone := os.Open(gone)
	_, errName := (&net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, syscall.ENETUNREACH }}).LookupHost(t.Context(), "nobody.invalid")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	_, errRefused := http.Get("http://" + address)
	unknown := httptest.NewTLSServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = nil
	defer unknown.Close()
	_, errCertificate := http.Get(unknown.URL)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	req, err := http.NewRequestWithContext(late, http.MethodGet, unknown.URL, nil)
	require.NoError(t, err)
	_, errLate := http.DefaultClient.Do(req)
	for _, tc := range []struct {
		err  error
		key  string
		with map[string]string
	}{
		{errGone, "cause_gone", map[string]string{"file": gone}},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EACCES}, "cause_denied", map[string]string{"file": "b"}},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EPERM}, "cause_denied", map[string]string{"file": "x"}},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "cause_full", nil},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, "cause_readonly", nil},
		{errName, "cause_name", map[string]string{"host": "nobody.invalid"}},
		{errRefused, "cause_refused", nil},
		{errCertificate, "cause_certificate", nil},
		{errLate, "cause_time", nil},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, "cause_unreachable", nil},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "cause_reset", nil},
	} {
		require.Error(t, tc.err)
		for _, err := range []error{tc.err, fmt.Errorf("a network: %w", tc.err), errors.Join(errors.New("other"), tc.err)} {
			say := Cause(err)
			require.NotNil(t, say, "%v", err)
			require.Equal(t, tc.key, say.Key, "%v", err)
			require.Equal(t, tc.with, say.With)
			require.Contains(t, Sentences, say.Key)
			require.Equal(t, say, AsError(err).Cause)
			require.Equal(t, say, Said(err))
			require.Equal(t, say, AsError(Refuse("internal", "%v", err)).Cause)
			require.Equal(t, say, AsError(NotSaved(err)).Cause)
			require.Equal(t, say, Said(Tell("internal", "profile_unread", "file", "profile.json", "why", err)).Cause)
		}
	}
	for _, err := range []error{nil, errors.New("a board of 26 lines"), fs.ErrNotExist, context.Canceled} {
		require.Nil(t, Cause(err), "%v", err)
	}
}
