//go:build js

// Command page is the server of engine web inside the page: it runs in a worker of a browser's tab
// (web/ui/src/tab/worker.ts). The worker stores the server's files, including the networks.
package main

import (
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall/js"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/life"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/nn/open"
	"kosumi/web"
	"kosumi/web/engines"
)

var version = "dev" // set by the build

// Bounds of memory in a tab, in bytes: a phone kills tabs of 400 MB.
const (
	heapBytes  = 160 << 20
	treeBytes  = 32 << 20
	cacheBytes = 16 << 20
)

const batchSize = 8 // positions in one message to a kernel worker

// home is the folder of the server's games, networks and other data, in the files of the tab.
const home = "/kosumi"

func main() {
	debug.SetMemoryLimit(heapBytes)
	host := js.Global().Get("kosumi")
	calls, err := begin(host, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		host.Call("failed", err.Error())
		return
	}
	host.Call("ready", calls)
	select {} // run until the tab is closed
}

// begin starts the kernels and the network, and returns the functions that the worker calls: those
// of the page's server if the worker has files, else the function for programs that speak GTP or
// KataGo's protocol.
func begin(host js.Value, log *slog.Logger) (map[string]any, error) {
	models.Give(func() ([]byte, error) { return bytesOf(host.Get("network")), nil })
	err := kernel.Start(kernel.Workers{Count: host.Get("workers").Int(), Module: host.Get("kernel"), Script: host.Get("kernelWorker").String()})
	if err != nil {
		return nil, err
	}
	if !host.Get("files").Bool() {
		return newClients(host, log).calls(), nil
	}
	server, err := serve(log)
	if err != nil {
		return nil, err
	}
	handler := server.Handler()
	return map[string]any{
		"attend": function(func(args []js.Value) {
			sock := newSocket(args[0], mostWaiting)
			go server.Attend(sock, "")
		}),
		"request": function(func(args []js.Value) { go answer(handler, args) }),
		"pause":   function(func(args []js.Value) { go kernel.Pause(args[0].Bool()) }),
	}, nil
}

// function turns f into a JavaScript function without a result.
func function(f func(args []js.Value)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args)
		return nil
	})
}

// serve starts the network and the server of the page.
func serve(log *slog.Logger) (*web.Server, error) {
	networks := engines.NewNetworks(engines.NetworksConfig{Folder: home + "/networks", Open: func(file string) engines.Network {
		return start(file, func(file string) (nn.Model, error) { return model.Open(file, modelConfig(log)) }, serverConfig(), log)
	}})
	return web.New(web.Config{Folder: home, Version: version, Networks: networks, Life: life.Evaluated{Evaluator: networks}, Engine: engineConfig(), Log: log})
}

func engineConfig() engine.Config {
	conf := engine.Defaults()
	conf.Search.Memory.MaxBytes = treeBytes
	conf.Search.Parallel.Sessions = kernel.Count()
	conf.Search.Parallel.Workers = 2 * kernel.Count() * batchSize
	return conf
}

func modelConfig(log *slog.Logger) model.Config {
	return model.Config{Provider: model.Kernel, Precision: "auto", Log: log}
}

func serverConfig() nn.ServerConfig {
	return nn.ServerConfig{Sessions: kernel.Count(), MaxBatch: batchSize, CacheBytes: cacheBytes, Seed: rand.Uint64()}
}

// start begins to load a network.
func start(file string, read func(file string) (nn.Model, error), conf nn.ServerConfig, log *slog.Logger) *open.Network {
	return open.Start(open.Config{Open: read, File: file, Server: conf, Size: board.Square(9), Log: log})
}
