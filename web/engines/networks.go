package engines

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/open"
	"kosumi/web/api"
)

// Network is a network that may still be loading. Evaluations wait until it is loaded.
type Network interface {
	nn.Network
	Wait() error // waits until loading has ended; the error says why it failed
	// Loaded reports without waiting whether loading has ended, and why it failed.
	Loaded() (ended bool, err error)
	Close() error
}

// NetworksConfig says which networks can be chosen.
type NetworksConfig struct {
	File   string // the first network; "" is the built-in one
	Folder string // folder with more networks; "": none
	Human  bool   // a human SL network is used with each network
	Open   func(file string) Network
	// Request sends the requests for downloads; nil uses newClient.
	Request func(*http.Request) (*http.Response, error)
}

// Networks is the network in use. Use changes to another network of those that can be chosen.
type Networks struct {
	*open.Switch[named]
	conf NetworksConfig
}

// named is a network with the name of its file.
type named struct {
	Network
	name string
}

// NewNetworks begins to load the first network.
func NewNetworks(c NetworksConfig) *Networks {
	name := filepath.Base(c.File)
	if c.File == "" {
		name = embeddedName
	}
	return &Networks{open.NewSwitch(named{c.Open(c.File), name}), c}
}

const embeddedName = "kosumi (built in)"

// Describe implements nn.Network. The description is empty while the network loads.
func (b *Networks) Describe() nn.Description {
	net := b.Now()
	if ended, _ := net.Loaded(); !ended {
		return nn.Description{}
	}
	return net.Describe()
}

// Identity identifies the network and its precision, so that searches of different networks are
// kept apart. Both results are empty while the network loads.
func (b *Networks) Identity() (name, identity string) {
	d := b.Describe()
	if d == (nn.Description{}) {
		return "", ""
	}
	return d.Name, d.Identity()
}

// Status returns the state of the network in use, without waiting for it.
func (b *Networks) Status() api.Engine {
	net := b.Now()
	ended, err := net.Loaded()
	switch {
	case !ended:
		return api.Engine{State: "loading", Name: net.name}
	case err != nil:
		return api.Engine{State: "failed", Name: net.name, Error: err.Error(), Say: api.Said(err)}
	}
	d := net.Describe()
	return api.Engine{State: "ready", Name: net.name, Provider: d.Provider, Precision: d.Precision, Why: d.Why, Slow: d.Provider == "onnx-go"}
}

// List returns the networks that can be chosen, by name.
func (b *Networks) List() []api.Network {
	name := b.Now().name
	var all []api.Network
	for n, path := range b.files() {
		net := api.Network{Name: n, Sizes: "any", InUse: n == name, Human: b.conf.Human, Bytes: sizeOf(path), Removable: path != "" && path != b.conf.File, BuiltIn: n == embeddedName, Speed: b.speedOf(n)}
		all = append(all, net)
	}
	slices.SortFunc(all, func(x, y api.Network) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// endings are the endings of names of network files.
var endings = []string{".bin.gz", ".txt.gz", ".onnx"}

func isNetwork(name string) bool {
	return slices.ContainsFunc(endings, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// files returns the paths of the networks that can be chosen, by name. A name from a page is only
// looked up here, never used as a path.
func (b *Networks) files() map[string]string {
	all := map[string]string{embeddedName: ""}
	if b.conf.File != "" {
		all[filepath.Base(b.conf.File)] = b.conf.File
	}
	entries, _ := os.ReadDir(b.conf.Folder) // without a folder there are no more networks
	for _, e := range entries {
		if isNetwork(e.Name()) && !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
			all[e.Name()] = filepath.Join(b.conf.Folder, e.Name())
		}
	}
	return all
}

// speedFile names the file with the measured speed of a network. The file is in the networks' folder.
func speedFile(name string) string { return ".speed-" + name + ".json" }

// speedOf returns the speed measured when a network was added; nil if there is none.
func (b *Networks) speedOf(name string) *api.NetworkSpeed {
	var s api.NetworkSpeed
	data, err := file.ReadPlain(b.conf.Folder, speedFile(name), 1<<10)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return nil
	}
	return &s
}

// Use changes to another network. Searches that are running still use the old one until they end.
func (b *Networks) Use(name string) error {
	path, ok := b.files()[name]
	if !ok {
		return api.Tell("not_found", "net_gone")
	}
	net := b.conf.Open(path)
	if err := net.Wait(); err != nil {
		net.Close()
		return err
	}
	b.Replace(named{net, name})
	return nil
}
