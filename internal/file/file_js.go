package file

import (
	"fmt"
	"os"
	"sync"
)

const nonblocking = 0 // a browser has no pipes

// writing holds this program's open temporary files by name. No other program writes at the same
// time, so all other temporary files were left by programs that have ended.
var writing = struct {
	sync.Mutex
	files map[string]*os.File
}{files: map[string]*os.File{}}

// unfinished opens an empty temporary file for path.
func unfinished(path string, perm os.FileMode) (*os.File, error) {
	writing.Lock()
	defer writing.Unlock()
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d.tmp", path, n)
		if writing.files[name] != nil && writing.files[name].Fd() != closed {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
		if err == nil {
			writing.files[name] = f
		}
		return f, err
	}
}

const closed = ^uintptr(0) // descriptor of a closed file

// rename renames an open file and closes it.
func rename(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
