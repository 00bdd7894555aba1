# Kosumi. `make run` starts the engine, `make test` runs the tests; both set up
# whatever they need on first use.

ENGINE   := bin/engine
FUZZTIME ?= 20s
GO       ?= go

# No debug records, which take a fifth of the time to compile. All targets build so, and share
# what they have compiled; for a debugger run go build ./cmd/engine.
LEAN := -gcflags=all=-dwarf=false -ldflags=-w
ifeq (,$(findstring $(LEAN),$(GOFLAGS)))
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS 2>/dev/null) $(LEAN))
endif

.PHONY: run tools check test test-all test-avx2 test-wasm test-pytorch kernel-wasm build release page page-site page-npm check-page deps deps-test race race-short fuzz bench lint fmt clean

# The program fetches the onnxruntime library itself when something needs it. On a Mac
# that is at once: the GPU is reached through it.
run: $(if $(filter Darwin,$(shell uname -s)),deps) build
	@exec $(ENGINE) gtp

build: tools page
	@tools/scripts/slowly.sh "compiling the program: minutes the first time, seconds later" $(GO) build -o $(dir $(ENGINE)) ./cmd/engine

# Go and a C compiler, new enough and for the system that is built for.
tools:
	@GO="$(GO)" tools/scripts/slowly.sh "fetching a newer Go, once" tools/scripts/check-tools.sh

# The page of engine web, from packages pinned in web/ui/package-lock.json; the optional
# one, esbuild, makes it and is no part of it. Where npm or the network is missing, the
# program is built without its page, or with the one that was built last, and says why.
PAGE_SOURCES := $(shell find web/api/schema.json web/i18n web/ui/build.mjs web/ui/src -type f -not -path 'web/ui/src/gen/*' 2>/dev/null)

page: web/ui/dist/build.txt

web/ui/dist/build.txt: $(PAGE_SOURCES) web/ui/package-lock.json
	@if [ web/ui/node_modules/.package-lock.json -nt web/ui/package-lock.json ] || { tools/scripts/slowly.sh "fetching the packages of the page by npm, once" tools/scripts/npm-ci.sh web/ui --omit=dev && touch web/ui/node_modules/.package-lock.json; }; then \
		node web/ui/build.mjs; \
	elif [ -e web/ui/dist/index.html ]; then \
		echo "the page for the browser is the one that was built last" >&2; \
	else \
		echo "the program is built without its page for the browser" >&2; \
	fi

# The page as a folder of files that needs no program: bin/site, for any host of files
# and any path. python3 -m http.server -d bin/site shows it.
page-site: page kernel-wasm
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags "-s -w -buildid= -X main.version=$(or $(VERSION),dev)" -o bin/page/page.wasm ./cmd/page
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" nn/kernel/kernel-worker.js bin/page/
	GO="$(GO)" node web/ui/site.mjs $(or $(VERSION),dev)

# The engine of that page alone, for other pages and for node: bin/kosumi-VERSION.tgz, as
# npm publishes and installs it.
page-npm: page-site
	cd bin && npm pack --silent ./npm

# The page's TypeScript, checked.
check-page: page
	node web/ui/build.mjs types
	cd web/ui && { [ -x node_modules/.bin/tsc ] || ../../tools/scripts/npm-ci.sh .; }
	cd web/ui && node_modules/.bin/tsc --noEmit

# The onnxruntime library, fetched once into the user's cache and verified.
deps:
	@nn/ort/fetch-onnxruntime.sh

# The kernels for WebAssembly, by zig's C compiler, which comes from the Python registry:
# what kernel-worker.js loads in a page. The program needs none of it.
kernel-wasm: bin/page/kernel.wasm

bin/page/kernel.wasm: $(wildcard nn/kernel/*.[ch]) tools/release/kernels.go tools/release/requirements.txt
	@$(GO) run ./tools/release -kernels $@

# The tests of what is different in a page once more as there: in node, by WebAssembly.
test-wasm: kernel-wasm
	$(GO) test -count=1 ./nn/model -run TestSameInPage -answers $(CURDIR)/bin/page/answers.json
	GO="$(GO)" tools/scripts/test-wasm.sh ./nn/kernel ./nn/graph
	GO="$(GO)" tools/scripts/test-wasm.sh -run TestKernelsMatchKataGo ./nn/katago
	GO="$(GO)" tools/scripts/test-wasm.sh -run 'TestNamedCharsets|TestGeneratedRecords|TestMixedCollection' ./sgf
	GO="$(GO)" tools/scripts/test-wasm.sh -run 'TestSameInPage|TestReadOfBytes' ./nn/model -answers $(CURDIR)/bin/page/answers.json

# Archives and packages of a version, for every system, in dist/: make release
# VERSION=0.1.0, or TARGETS=linux/amd64 for some of them. With URL=, the project's page, the
# files of Homebrew, Scoop and winget too.
release:
	GO="$(GO)" $(GO) run ./tools/release -version "$(VERSION)" -only "$(TARGETS)" -url "$(URL)"

# The guests of the tests: a GTP client from npm, GNU Go and Chromium.
deps-test: deps
	@tools/scripts/fetch-test-guests.sh

# The tests that a change needs, and all tests. The rules of the house are asked of the go
# command, which the test cache does not see: never from the cache.
test test-all: export KOSUMI_SKIPPED = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kosumi/skipped-tests
test-all: export KOSUMI_ALL = 1
test test-all: deps-test build
	@$(MAKE) page-site || echo "the page as a folder of files was not built: its tests skip" >&2
	@mkdir -p "$(KOSUMI_SKIPPED)"
	$(GO) test -count=1 .
	GO="$(GO)" tools/scripts/test.sh -timeout 30m ./...
	@[ -d "$${KOSUMI_SHARED:-../shared}" ] || { cd "$(KOSUMI_SKIPPED)" && \
		echo "$$(ls | grep -vc '\.sample$$') tests were skipped: they need networks of others in ../shared or \$$KOSUMI_SHARED; $$(ls | grep -c '\.sample$$') ran on the samples in testdata"; }

# A look before a commit: the linters, and the tests that run no other program,
# kill nothing and compute no longer than a second or two.
check: lint
	$(GO) test -short ./...

# The packages that compute, once more as on a processor with AVX2 and nothing newer; on
# Linux on x86-64.
test-avx2: deps
	@tools/scripts/as-avx2.sh true
	$(GO) test -timeout 20m -exec $(CURDIR)/tools/scripts/as-avx2.sh ./nn/...

# Some forty exports of PyTorch's, played, trained, and run in Python
# again. Fetches PyTorch from the Python registry (3 GB) unless KOSUMI_PYTHON has it.
test-pytorch: deps build
	@tools/scripts/test-pytorch.sh

race: deps-test page
	$(GO) test -race -timeout 40m ./...

# The same without the packages that only compute, which the detector slows down
# most, and the program, which would have to be built once more.
NO_RACE := board|cmd/engine|life.*|nn/autodiff|nn/katago|nn/onnx.*|sgf

race-short: deps-test page
	$(GO) test -race -timeout 20m $$($(GO) list ./... | grep -vE '^kosumi/($(NO_RACE))$$')

# Every fuzz target in turn, FUZZTIME each.
fuzz:
	@tools/scripts/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet -tags figures ./...
	GOOS=js GOARCH=wasm $(GO) vet ./cmd/page
	$(GO) tool staticcheck ./...

fmt:
	gofmt -w .

clean:
	rm -rf bin web/ui/dist/assets web/ui/dist/build.txt web/ui/dist/index.html web/ui/node_modules web/ui/src/gen internal/handout/dist/*.gz
