//go:build js

// Command page is the server of the page as a part of the page: it runs in a worker of
// a browser's tab (web/ui/src/tab/worker.ts), keeps its files where that has them, and
// has no network but what stands in its folder.
package main

import (
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall/js"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/life/advice"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/nn/open"
	"kosumi/web"
	"kosumi/web/networks"
)

var version = "dev" // set by the build

// What the memory of a tab bears, in bytes: a phone ends tabs of 400 MB.
const (
	heapBytes  = 160 << 20
	treeBytes  = 32 << 20
	cacheBytes = 16 << 20
)

const batchSize = 8 // positions in one message to a worker of the kernels

// home is the folder of games, in the files of the tab.
const home = "/kosumi"

func main() {
	debug.SetMemoryLimit(heapBytes)
	host := js.Global().Get("kosumi")
	server, err := serve(host, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		host.Call("failed", err.Error())
		return
	}
	handler := server.Handler()
	attend := js.FuncOf(func(_ js.Value, args []js.Value) any {
		sock := newSocket(args[0])
		go server.Attend(sock, "")
		return nil
	})
	request := js.FuncOf(func(_ js.Value, args []js.Value) any {
		go answer(handler, args)
		return nil
	})
	host.Call("ready", map[string]any{"attend": attend, "request": request})
	select {} // until the tab is closed
}

// serve starts the kernels, the network and the server.
func serve(host js.Value, log *slog.Logger) (*web.Server, error) {
	models.Give(bytesOf(host.Get("network")))
	err := kernel.Start(kernel.Workers{Count: workers(), Module: host.Get("kernel"), Script: host.Get("kernelWorker").String()})
	if err != nil {
		return nil, err
	}
	conf := engine.Defaults()
	conf.Search.Memory.MaxBytes = treeBytes
	conf.Search.Parallel.Sessions = kernel.Count()
	conf.Search.Parallel.Workers = 2 * kernel.Count() * batchSize
	backend := networks.New(networks.Config{Folder: home + "/networks", Open: func(file string) networks.Network {
		return open.Start(open.Config{
			Open:   func(file string) (nn.Model, error) { return openModel(file, log) },
			File:   file,
			Server: nn.ServerConfig{Sessions: kernel.Count(), MaxBatch: batchSize, CacheBytes: cacheBytes, Seed: rand.Uint64()},
			Size:   board.Square(9), Log: log,
		})
	}})
	return web.New(web.Config{Folder: home, Version: version, Backend: backend, Networks: backend, Life: advice.Network{Evaluator: backend}, Engine: conf, Log: log})
}

func openModel(file string, log *slog.Logger) (*model.Model, error) {
	return model.Open(file, model.Config{Provider: model.Kernel, Precision: "auto", Log: log})
}

// workers is how many threads run the network: one core is left for the search and the
// page, and half of a phone's, which are slow and grow hot.
func workers() int {
	nav := js.Global().Get("navigator")
	cores := nav.Get("hardwareConcurrency")
	if cores.Type() != js.TypeNumber {
		return 1
	}
	n := cores.Int() - 1
	if data := nav.Get("userAgentData"); data.Truthy() && data.Get("mobile").Bool() {
		n = cores.Int() / 2
	}
	return min(8, max(1, n))
}
