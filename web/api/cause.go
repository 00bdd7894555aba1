package api

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"
)

// Cause is the page's sentence for an error of the system: of files, the disk or the network. It
// is nil if the page has no sentence for the error.
func Cause(err error) *Say {
	say := func(key string, with ...string) *Say {
		s := &Say{Key: key}
		if len(with) == 2 {
			s.With = map[string]string{with[0]: with[1]}
		}
		return s
	}
	is := func(all ...error) bool {
		return slices.ContainsFunc(all, func(e error) bool { return errors.Is(err, e) })
	}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var slow net.Error
	file := fileOf(err)
	switch {
	case err == nil:
		return nil
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return say("cause_full")
	case is(syscall.EROFS):
		return say("cause_readonly")
	case errors.As(err, &name):
		return say("cause_name", "host", name.Name)
	case errors.As(err, &certificate):
		return say("cause_certificate")
	case is(syscall.ECONNREFUSED):
		return say("cause_refused")
	case is(syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN):
		return say("cause_unreachable")
	case is(syscall.ECONNRESET):
		return say("cause_reset")
	case is(os.ErrDeadlineExceeded) || errors.As(err, &slow) && slow.Timeout():
		return say("cause_time")
	case file != "" && is(fs.ErrNotExist):
		return say("cause_gone", "file", file)
	case file != "" && is(fs.ErrPermission):
		return say("cause_denied", "file", file)
	}
	return nil
}

// fileOf is the file that an error is about, "" if it names none.
func fileOf(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Path
	case errors.As(err, &link):
		return link.New
	}
	return ""
}
