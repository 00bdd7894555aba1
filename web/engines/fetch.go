package engines

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/web/api"
)

// fetch downloads a file, resuming after broken connections, and adds it to the folder. If the job
// is for KataGo's strongest or newest network, fetch first asks KataGo's site for the address.
func (l *Library) fetch(ctx context.Context, j *job) (err error) {
	defer func() {
		if useless := (errUseless{}); errors.As(err, &useless) {
			err = errors.Join(err, l.discard(j.Name))
		}
	}()
	if j.State == asking {
		if err := l.ask(ctx, j); err != nil || j.State == ready {
			return err
		}
	}
	for try := 0; ; try++ {
		before := j.Done
		err := l.download(ctx, j)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = api.Tell("bad_request", "net_short")
		}
		var final errFinal
		var useless errUseless
		if ctx.Err() != nil || errors.As(err, &final) || errors.As(err, &useless) || errors.Is(err, syscall.ENOSPC) || j.Done == before && try >= mostRetries {
			return err
		}
		if j.Done > before {
			try = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.pause << min(try, 4)):
		}
	}
	return l.take(ctx, j)
}

// errFinal is an error that a retry cannot fix.
type errFinal struct{ error }

func (e errFinal) Unwrap() error { return e.error }

// errUseless is an error that a retry cannot fix, and that makes the bytes fetched so far
// useless.
type errUseless struct{ error }

func (e errUseless) Unwrap() error { return e.error }

// download fetches the missing rest of a file.
func (l *Library) download(ctx context.Context, j *job) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), os.ErrDeadlineExceeded) {
			err = fmt.Errorf("%s: %w", j.URL, os.ErrDeadlineExceeded)
		}
		cancel(nil)
	}()
	about, _ := l.about(j.Name) // if there is no note, begin has deleted the incomplete file
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.URL, nil)
	if err != nil {
		return errFinal{err}
	}
	req.Header.Set("Accept-Encoding", "identity") // otherwise net/http might unpack .gz files
	has := sizeOf(l.part(j.Name))
	if has > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", has))
		if about.ETag != "" {
			req.Header.Set("If-Range", about.ETag)
		}
	}
	quiet := time.AfterFunc(l.silence, func() { cancel(os.ErrDeadlineExceeded) })
	defer quiet.Stop()
	resp, err := l.request(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && has > 0 && has == about.Total:
		return nil // the file is complete
	case resp.StatusCode == http.StatusPartialContent && has > 0:
	case resp.StatusCode == http.StatusOK:
		has = 0
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		if err := os.Truncate(l.part(j.Name), 0); err != nil {
			return errFinal{err}
		}
		return api.Tell("bad_request", "net_again")
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return api.Tell("bad_request", "net_status", "status", resp.Status)
	default:
		return errFinal{api.Tell("bad_request", "net_status", "status", resp.Status)}
	}
	total := int64(0)
	if resp.ContentLength > 0 {
		total = has + resp.ContentLength
	}
	if total > j.most() || j.bytes > 0 && total > 0 && total != j.bytes {
		return j.tooLarge()
	}
	if total == 0 {
		total = j.bytes
	}
	data, err := json.Marshal(note{j.URL, j.SHA256, j.Latest, resp.Header.Get("ETag"), total})
	if err == nil {
		err = file.WriteBytes(l.part(j.Name)+".json", data)
	}
	if err != nil {
		return errFinal{err}
	}
	f, err := os.OpenFile(l.part(j.Name), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return errFinal{err}
	}
	if err = f.Truncate(has); err == nil {
		_, err = f.Seek(has, io.SeekStart)
	}
	l.tell(j, func() { j.Done, j.Total = has, total }, true)
	if err == nil {
		err = l.copy(f, resp.Body, j, quiet)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && total > 0 && j.Done != total {
		err = api.Tell("bad_request", "net_short")
	}
	return err
}

// most is the maximum size of a job's file, in bytes.
func (j *job) most() int64 { return cmp.Or(j.bytes, mostBytes) }

// tooLarge returns the error for a file that is larger than allowed, or not of the announced size.
func (j *job) tooLarge() error {
	if j.bytes > 0 {
		return errUseless{api.Tell("bad_request", "net_size", "n", j.bytes)}
	}
	return errUseless{api.Tell("bad_request", "net_large", "n", mostBytes>>30)}
}

// copy copies a file, counts its bytes in j, and fails above the limit. Each read resets quiet, if not nil.
func (l *Library) copy(to io.Writer, from io.Reader, j *job, quiet *time.Timer) error {
	buffer := make([]byte, 256<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if quiet != nil {
				quiet.Reset(l.silence)
			}
			if j.Done+int64(n) > j.most() {
				return j.tooLarge()
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
			l.tell(j, func() { j.Done += int64(n) }, false)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take checks the sha256 of a complete file, if one is known, tries the network, and adds the file to
// the folder.
func (l *Library) take(ctx context.Context, j *job) error {
	l.tell(j, func() { j.State, j.Speed = checking, 0 }, true)
	sum, err := sumOf(ctx, l.part(j.Name))
	if err != nil {
		return err
	}
	if j.SHA256 != "" && sum != j.SHA256 {
		return errUseless{api.Tell("bad_request", "net_other", "sum", sum)}
	}
	l.tell(j, func() { j.State = trying }, true)
	speed, err := l.try(ctx, l.part(j.Name))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errUseless{api.Tell("bad_request", "net_broken", "why", err)}
	}
	if err := os.Rename(l.part(j.Name), l.path(j.Name)); err != nil {
		return err
	}
	_ = os.Remove(l.part(j.Name) + ".json") // a left-over is ignored
	data, err := json.Marshal(speed)
	if err == nil {
		_ = file.WriteBytes(l.path(speedFile(j.Name)), data) // for display only
	}
	return err
}

func sumOf(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for ctx.Err() == nil {
		if _, err := io.CopyN(h, f, 8<<20); err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		} else if err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
}

// try loads a network, evaluates an empty board of a size that it serves, and measures its speed.
func (l *Library) try(ctx context.Context, path string) (*api.NetworkSpeed, error) {
	net := l.networks.conf.Open(path)
	defer net.Close()
	if err := net.Wait(); err != nil {
		return nil, err
	}
	for _, side := range []int{19, 9, 13, 7} {
		size := board.Square(side)
		if net.Serves(size) != nil {
			continue
		}
		g, err := board.NewGame(size, board.Chinese())
		if err == nil {
			err = net.Evaluate(ctx, &nn.Query{Game: g}, new(nn.Output))
		}
		if err != nil {
			return nil, err
		}
		evals, err := rate(ctx, net, g, l.measure)
		return &api.NetworkSpeed{Size: size.String(), Evals: evals}, err
	}
	return nil, api.Tell("unsupported", "net_boards")
}

// rate measures the evaluations per second of a network that always has two batches waiting. length
// is the minimum time of the measurement.
func rate(ctx context.Context, net nn.Network, g *board.Game, length time.Duration) (float64, error) {
	var done atomic.Int64
	var jobs sync.WaitGroup
	errs := make([]error, 2*max(1, net.BatchSize()))
	began := time.Now()
	for i := range errs {
		jobs.Go(func() {
			out := new(nn.Output)
			for once := true; errs[i] == nil && (once || time.Since(began) < length); done.Add(1) {
				errs[i] = net.Evaluate(ctx, &nn.Query{Game: g, Symmetry: nn.SymmetryRandom, SkipCache: true}, out)
				once = false
			}
		})
	}
	jobs.Wait()
	return float64(done.Load()) / time.Since(began).Seconds(), cmp.Or(errs...)
}
