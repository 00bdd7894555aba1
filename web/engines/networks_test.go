package engines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
)

// fakeNetwork is loaded at once; Wait returns the error broken.
type fakeNetwork struct {
	Network
	name   string
	broken error
	closed chan struct{}
}

func (n *fakeNetwork) Wait() error           { return n.broken }
func (n *fakeNetwork) Loaded() (bool, error) { return true, n.broken }
func (n *fakeNetwork) Describe() nn.Description {
	return nn.Description{Name: "net " + n.name, SHA256: "sum of " + n.name, Provider: "cpu", Precision: "fp32"}
}
func (n *fakeNetwork) Close() error { close(n.closed); return nil }
func (n *fakeNetwork) Evaluate(context.Context, *nn.Query, *nn.Output) error {
	return errors.New(n.name)
}

// TestNetworks changes networks by name, between searches only.
func TestNetworks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.bin.gz", "broken.onnx", "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	opened := map[string]*fakeNetwork{}
	b := NewNetworks(NetworksConfig{File: "/elsewhere/a.bin.gz", Folder: dir, Human: true, Open: func(file string) Network {
		n := &fakeNetwork{name: filepath.Base(file), closed: make(chan struct{})}
		if n.name == "broken.onnx" {
			n.broken = errors.New("not a network")
		}
		opened[n.name] = n
		return n
	}})
	var names []string
	for _, n := range b.List() {
		names = append(names, n.Name)
		require.Equal(t, n.Name == "a.bin.gz", n.InUse)
		require.True(t, n.Human)
	}
	require.Equal(t, []string{"a.bin.gz", "b.bin.gz", "broken.onnx", embeddedName}, names)
	require.Equal(t, "a.bin.gz", b.Status().Name)
	require.Equal(t, "sum of a.bin.gz", b.Describe().SHA256)

	for _, bad := range []string{"../b.bin.gz", "notes.txt", dir + "/b.bin.gz", ""} {
		require.ErrorContains(t, b.Use(bad), "no network of that name", bad)
	}
	require.ErrorContains(t, b.Use("broken.onnx"), "not a network")
	<-opened["broken.onnx"].closed

	ends := b.Pin()
	require.NoError(t, b.Use("b.bin.gz"))
	require.Equal(t, "a.bin.gz", b.Status().Name, "a search is under way")
	ends()
	<-opened["a.bin.gz"].closed
	require.Equal(t, "b.bin.gz", b.Status().Name)
	name, identity := b.Identity()
	require.Equal(t, []string{"net b.bin.gz", "sum of b.bin.gz cpu fp32"}, []string{name, identity})
	require.ErrorContains(t, b.Evaluate(t.Context(), nil, nil), "b.bin.gz")
	require.NoError(t, b.Close())
}
