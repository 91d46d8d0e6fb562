.PHONY: build compile worker dist wheel image release draft push publish test test-simulations test-all test-python test-install test-wheel test-image test-release test-browser test-arm64 test-flink test-spark flink spark soak race fuzz fuzz-changed lint vuln demo conformance bundled docs pictures bench bench-balance bench-growth bench-confidence bench-merge bench-docs bench-go clean

# All commands compile with the same flags, so that they share what is compiled. Programs are static
# and know their version from git. The client of Cloud Storage can also reach it by gRPC, for which it
# brings a sixth of the program; we use HTTP. Tests are not vetted, because lint vets all packages once
# and for good: go test would do it again, and that of 1,200 packages that we depend on.
TAG = disable_grpc_modules
TAGS = $(TAG),flink,spark,browser,emulator,image
export CGO_ENABLED = 0
export GOFLAGS := $(GOFLAGS) -buildvcs=auto -trimpath -tags=$(TAG) -vet=off

# What checks run is too small, and too soon over, to spare memory: collecting garbage takes a fifth of compiling, a
# quarter of staticcheck, and a third of tests.
CHECKS = compile worker lint race fuzz fuzz-changed demo bundled docs test $(addprefix test-,simulations all python wheel image browser arm64 flink spark)
$(CHECKS): export GOGC = 400

# All packages, for what follows side by side: of several commands that start with an empty cache, each
# would compile everything.
compile:
	go build ./...

build:
	go build -o bin/ ./jobs/beameval

HOST = $(shell go env GOHOSTOS)/$(shell go env GOHOSTARCH)

# Stripped static binaries for other machines, in dist/OS/ARCH, with their checksums. Those for
# linux are also what starts workers on a cluster, and what workers run. PLATFORMS=host is for this machine.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
ifeq ($(PLATFORMS),host)
override PLATFORMS := $(HOST)
endif
SHA256 = $(if $(shell command -v sha256sum),sha256sum,shasum -a 256)

dist: $(PLATFORMS:%=dist/%)
	@cp LICENSE NOTICE dist
	@cd dist && $(SHA256) $$(find * -mindepth 2 -type f | LC_ALL=C sort) >SHA256SUMS

dist/%: FORCE
	GOOS=$(*D) GOARCH=$(*F) go build -ldflags '-s -w' -o $@/ ./jobs/beameval

FORCE:

# Where a virtual environment of Python has its programs.
SCRIPTS = $(if $(filter windows/%,$(HOST)),Scripts,bin)

# Python wheels of these programs, in dist. A wheel for linux is for glibc and for musl, because the
# program is static; the oldest macOS is that of Go.
TAG_linux/amd64 = manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64
TAG_linux/arm64 = manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64
TAG_darwin/amd64 = macosx_12_0_x86_64
TAG_darwin/arm64 = macosx_12_0_arm64
TAG_windows/amd64 = win_amd64

wheel: dist bin/hatch
	@rm -f dist/*.whl
	@$(foreach platform,$(PLATFORMS),cd python && \
		BEAMEVAL_PROGRAM=$(wildcard dist/$(platform)/beameval*) BEAMEVAL_PLATFORM=$(TAG_$(platform)) \
		../bin/hatch/$(SCRIPTS)/python -m hatchling build --target wheel --directory ../dist && cd .. &&) ls -l dist/*.whl

# What builds wheels, as python/pyproject.toml says: a machine that tests nothing else needs no other package.
bin/hatch: python/pyproject.toml
	@rm -rf $@ && python3 -m venv $@
	@$@/$(SCRIPTS)/python -m pip install --quiet --no-compile $$(sed -n 's/^requires = //p' $< | tr -d '[]",')
	@touch $@

# The container image, for amd64 and arm64, as an OCI archive: it takes no daemon.
ARCHIVE = dist/beameval.oci.tar

image:
	@$(MAKE) dist PLATFORMS="linux/amd64 linux/arm64"
	go run ./internal/release/image build dist $(ARCHIVE)

# The version is the tag of the commit. What is built of a commit without one is a snapshot.
VERSION = $(patsubst v%,%,$(shell git describe --exact-match --tags --match 'v*.*.*' 2>/dev/null))
NEED_VERSION = $(or $(VERSION),$(error the commit has no tag such as v1.2.3: it is no release))

# All that a release has, in release and dist, with one list of checksums. It publishes nothing. GoReleaser takes some ten
# minutes to compile.
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.15.1

release: $(if $(VERSION),bin/notes.md) vuln wheel image
	$(GORELEASER) release --clean $(if $(VERSION),--skip=publish,--snapshot)

# The section of CHANGELOG.md about the version; about 1.2.3 for its candidate 1.2.3-rc.1, too.
bin/notes.md: FORCE
	@mkdir -p bin
	@awk -v heading="## $(firstword $(subst -, ,$(NEED_VERSION)))" '/^## / { on = $$0 == heading; next } on && (NF || any) { any = 1; print }' CHANGELOG.md >$@
	@grep -q . $@ || { echo "CHANGELOG.md has no section for version $(VERSION)"; exit 1; }

# What .github/workflows/release.yml does with the files that make test-release has left: a draft of the release on GitHub,
# if all files have the digests that checksums.txt says; the image in a registry; the release for all to see. Candidates are
# not the latest.
CANDIDATE = $(findstring -,$(NEED_VERSION))
REPOSITORY = ghcr.io/beameval/beameval

draft: bin/notes.md
	@ln -f dist/*.whl $(ARCHIVE) release
	cd release && $(SHA256) --check checksums.txt
	cd release && gh release create v$(VERSION) --draft --verify-tag $(if $(CANDIDATE),--prerelease) --title 'beameval $(VERSION)' \
		--notes-file ../bin/notes.md checksums.txt homebrew/beameval.rb $$(sed 's/.*  //' checksums.txt)

push:
	go run ./internal/release/image push $(ARCHIVE) $(REPOSITORY) $(NEED_VERSION) $(if $(CANDIDATE),,latest)

publish:
	gh release edit v$(NEED_VERSION) --draft=false $(if $(CANDIDATE),,--latest)

# A release is the same bytes when it is built again from nothing.
test-release:
	@mkdir -p bin
	$(MAKE) release && cp release/checksums.txt bin/checksums.txt
	rm -rf dist && $(MAKE) release && diff bin/checksums.txt release/checksums.txt

# The tests to run while working: they need Go alone, and a few minutes. Simulations draw little.
test:
	go test -short -timeout 60m ./...

# The simulations, with a tenth of their draws; DRAWS=all is for a change of the statistic that they are about.
SIMULATED = $(sort $(dir $(shell grep -rl --include='*_test.go' '^func TestSimulated' .)))

test-simulations:
	go test -run '^TestSimulated' -timeout 60m $(SIMULATED)

# All tests in full, with all draws: before a release, some hours.
test-all:
	DRAWS=all go test -timeout 12h ./...

SITE = out/site

# The page for people, also in a notebook, and pages of the site, in headless Chromium, which is installed if it is missing: that
# takes Debian's package, and root or sudo. The rules of accessibility come by Maven. A site of an earlier make docs will do.
SUDO = $(if $(filter 0,$(shell id -u)),,sudo)

test-browser: bin/axe.classpath python/.venv $(SITE)/html/index.html
	@command -v chromium >/dev/null || \
		{ $(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends chromium fonts-liberation; }
	go test -tags $(TAG),browser -run '^TestBrowser' -count 1 -timeout 60m ./jobs/internal/report ./internal/release/site

bin/axe.classpath: jobs/internal/report/testdata/axe.xml
	mvn --batch-mode --quiet --file $< dependency:build-classpath -Dmdep.outputFile=$(abspath $@)

# Reports are the same bytes on arm64, whose release is emulated: that takes Debian's package, and
# root or sudo.
test-arm64:
	$(MAKE) dist PLATFORMS=linux/arm64
	@command -v qemu-aarch64-static >/dev/null || \
		{ $(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends qemu-user-static; }
	go test -tags $(TAG),emulator -run '^TestARM64' -count 1 -timeout 60m ./internal/testing/house

# A Flink cluster with TASKMANAGERS of two slots each, or Spark, on this machine, for trials: they print how to use them,
# and end with Ctrl-C. They need Java 17 and Maven, which resolves what they run, as do the tests below.
CLUSTER = internal/testing/cluster
TASKMANAGERS = 1

flink spark: %: bin/%.classpath build
	@go build -o bin/local ./$(CLUSTER)/local
	@bin/local $@ bin/$@.classpath bin/beameval $(if $(filter flink,$@),$(TASKMANAGERS))

# The tests of reports on a Flink cluster and on Spark, whose workers run the program of the wheel. SCENARIOS=all runs
# every scenario there, before a release; otherwise as few as have all shapes of graphs (shape_test.go). Jobs are so short
# that the time of Java's second compiler never pays.
test-flink test-spark: export JAVA_TOOL_OPTIONS = -XX:TieredStopAtLevel=1

test-flink: bin/flink.classpath bin/worker
	BEAMEVAL_WORKER=$(CURDIR)/bin/worker go test -tags $(TAG),flink -run '^TestFlink' -count 1 -timeout 60m ./jobs/internal/evaluate

test-spark: bin/spark.classpath bin/worker
	BEAMEVAL_WORKER=$(CURDIR)/bin/worker go test -tags $(TAG),spark -run '^TestSpark' -count 1 -timeout 60m ./jobs/internal/evaluate

worker: bin/worker

bin/worker: FORCE
	@$(MAKE) wheel PLATFORMS=host
	@rm -rf bin/wheel && python3 -m zipfile -e dist/*.whl bin/wheel
	@mv bin/wheel/*.data/scripts/beameval $@ && chmod +x $@

# One evaluation on prism, Flink and Spark in turn: the same report, and what each took. It is of
# many generated rows with exact curves, or as FLAGS of evaluate say, with absolute names of files.
soak: export ROWS = 30M
soak: export FILES = 300
soak: export FLAGS =
soak: bin/flink.classpath bin/spark.classpath
	go test -tags $(TAG),flink,spark -run '^TestSoak$$' -count 1 -v -timeout 5h ./jobs/internal/evaluate

bin/%.classpath: $(CLUSTER)/%/pom.xml
	mvn --batch-mode --quiet --file $< dependency:build-classpath -Dmdep.outputFile=$(abspath $@)

# What goroutines share, under the race detector, which is some ten times slower: the packages that start them, and an
# evaluation of each shape of graph, on direct and on prism. make race RACE=./... is for a release.
RACE = ./internal/wire ./io/files/... ./io/text ./internal/testing/synthetic ./transforms/internal/... ./analysis/comparison ./analysis/monitor

race:
	CGO_ENABLED=1 go test -race -short -timeout 60m $(RACE)
	CGO_ENABLED=1 go test -race -run '^TestRace$$' -timeout 60m ./jobs/internal/evaluate

# The fuzz targets of FUZZED, which are all folders with any, for some seconds each. The limit is a
# number of inputs, because Go 1.26 sometimes fails when a time limit ends (golang/go#75804).
FUZZTIME = 3000x
FUZZED = $(sort $(dir $(shell grep -rl --include='*_test.go' '^func Fuzz' .)))

fuzz:
	@$(call each-target,$(FUZZED),,go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$folder)

# A command for each folder, and one for each fuzz target in it.
each-target = for folder in $(1); do $(2) \
		for target in $$(sed -n 's/^func \(Fuzz[^(]*\).*/\1/p' $$folder*_test.go); do \
			echo "$$folder $$target"; \
			$(3) || exit 1; \
		done; \
	done

# The targets of the three of these folders that changed last. Only our own packages count what inputs reach: go test -fuzz
# compiles all that they import again, which takes longer than the inputs. Inputs that once failed are tests, too: test runs
# those of all folders.
fuzz-changed:
	@mkdir -p bin
	@changed="$$(git log --format= --name-only | sed -n 's,[^/]*\.go$$,,p' | \
		awk 'index(" $(FUZZED) ", " ./" $$0 " ") && !seen[$$0]++ { print "./" $$0 }' | head -n 3)"; \
	$(call each-target,$$changed,go test -c -gcflags="$$(go list -m)/...=-d=libfuzzer" -o bin/fuzz.test $$folder || exit 1;,(cd \
		$$folder && $(CURDIR)/bin/fuzz.test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
		-test.fuzzminimizetime 10x -test.fuzzcachedir $(CURDIR)/bin/fuzz))

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	go vet -tags $(TAGS) ./...
	go tool staticcheck -tags $(TAGS) ./...
	go -C internal/release/tools tool actionlint -shellcheck= -pyflakes=
	go mod tidy -diff

# Known vulnerabilities in what the program calls, with traces of the calls: two and a half minutes of a processor and
# 7 GB of memory. Without their database it says that it was skipped, or with VULN=required, for what is published, fails.
# VULN_DB is another database, such as file:///FOLDER.
VULN_DB =
VULN =
NO_VULN_DB = $(if $(filter required,$(VULN)), \
	{ echo "the database of vulnerabilities cannot be reached: what is published needs it"; false; }, \
	echo "skipped: the database of vulnerabilities cannot be reached, so nothing was checked")

vuln:
	@mkdir -p bin
	@go tool govulncheck $(if $(VULN_DB),-db $(VULN_DB)) ./jobs/beameval >bin/vuln.log 2>&1; code=$$?; cat bin/vuln.log; \
		[ $$code = 0 ] || { [ $$code = 1 ] && grep -q '^govulncheck: fetching vulnerabilities' bin/vuln.log && $(NO_VULN_DB); }

# Shows what beameval can do, in some seconds once it is built: reports of bundled real data, a failed gate, a comparison, and
# a monitor of 40 nights.
demo:
	@mkdir -p bin && demo/build.sh
	@$(MAKE) --no-print-directory bundled
	@demo/run.sh

# Evaluates the bundled real data, with intervals, and leaves the reports in out/.
BUNDLED = digits breast_cancer digits_attributes digits_retrieval diabetes
INTERVALS = --set confidence={}

bundled: build
	@mkdir -p out && rm -rf $(BUNDLED:%=out/%)
	@for set in $(BUNDLED); do \
		bin/beameval evaluate --quiet --config testdata/$$set/config.yaml $(INTERVALS) --output out/$$set >out/bundled.log || exit 1; \
		echo; echo "== $$set"; sed -n '1p; /^What stands out/,/^$$/{/./p}' out/bundled.log; \
	done

# The documentation as a site in $(SITE)/html, with search, a page for each metric, and reports of every task. It needs no
# server and loads nothing from other hosts.
SAMPLES = $(foreach set,digits digits_attributes digits_retrieval diabetes,out/$(set)/report.html:$(set).html) \
	$(foreach set,sets preference grade,out/samples/$(set)/report.html:$(set).html) \
	out/gate/report.html:gate.html out/compared/comparison.html:comparison.html out/monitored/monitor.html:monitor.html

docs: out/monitored/monitor.html bin/sphinx build
	@rm -rf $(SITE)
	@internal/release/site/samples.sh
	go run ./internal/release/site write $(SITE)/sources
	bin/sphinx/$(SCRIPTS)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto --conf-dir internal/release/site \
		--doctree-dir $(SITE)/doctrees $(SITE)/sources $(SITE)/html
	@cp $(SITE)/sources/llms.txt $(SITE)/html && mkdir $(SITE)/html/samples
	@$(foreach sample,$(SAMPLES),cp $(subst :, $(SITE)/html/samples/,$(sample)) &&) true
	go run ./internal/release/site check $(SITE)/html

$(SITE)/html/index.html:
	$(MAKE) docs

# Reports of an earlier demo will do: make demo docs has new ones.
out/monitored/monitor.html:
	$(MAKE) demo

bin/sphinx: internal/release/site/requirements.txt
	@rm -rf $@ && python3 -m venv $@
	@$@/$(SCRIPTS)/python -m pip install --quiet --no-compile --requirement $<
	@touch $@

# The pictures of the README and of docs: pages that make demo leaves.
PICTURE = chromium --headless --no-sandbox --hide-scrollbars --screenshot=docs/$(1) --window-size=1280,1300 file://$(CURDIR)/out/$(2)

pictures: out/monitored/monitor.html
	$(call PICTURE,report.png,gate/report.html)
	$(call PICTURE,monitor.png,monitored/monitor.html)

# The Python package, the scripts of action.yml, and the Python of the docs: types, tests, examples; what MLflow itself says of
# a report; the commands for tables of docs/inputs.md, on tables; and the examples for Airflow, as Airflow parses them.
SNIPPETS = out/snippets
GOLDENS = io/report/export/testdata/multilabel io/report/export/testdata/confidence
PYTHON = python/.venv/bin/python

# Threads of OpenMP, which scikit-learn starts, wait by spinning: beside other work, they take several times as long.
test-python: export OMP_NUM_THREADS = 1

test-python: build bin/worker python/.venv python/.airflow
	$(PYTHON) -m pip install --quiet --no-deps --force-reinstall dist/*.whl
	cd python && .venv/bin/python -m ruff check . ../action && .venv/bin/python -m mypy
	PATH=$(CURDIR)/python/.venv/bin:$$PATH python -m pytest -q python/tests action
	$(PYTHON) python/tests/docs/snippets.py docs/python.md
	$(PYTHON) python/tests/docs/snippets.py docs/grades.md
	$(PYTHON) python/tests/docs/snippets.py docs/sample.md
	@rm -rf $(SNIPPETS)
	bin/beameval evaluate --quiet --config testdata/digits_attributes/config.yaml --output $(SNIPPETS) \
		--set 'output.formats=[json, parquet, csv, prometheus, mlflow]' >/dev/null
	$(PYTHON) python/tests/docs/snippets.py docs/integrations.md $(SNIPPETS) $(GOLDENS)
	$(PYTHON) python/tests/docs/tables.py docs/inputs.md bin/beameval
	python/.airflow/bin/python python/tests/docs/dags.py docs/operations.md docs/dataflow.md

# Airflow pins what it needs, so it has an environment of its own.
python/.venv: python/requirements.txt
python/.airflow: python/airflow.txt

python/.venv python/.airflow:
	@rm -rf $@
	python3 -m venv $@
	$@/bin/python -m pip install --quiet --no-compile --requirement $<
	@touch $@

# The wheel in dist for this machine, on any system, in an environment that has not even NumPy: the examples of its page.
INSTALLED = out/wheel/venv/$(SCRIPTS)

test-install:
	@rm -rf out/wheel && python3 -m venv out/wheel/venv
	$(INSTALLED)/python -m pip install --quiet --no-compile dist/*-$(TAG_$(HOST)).whl
	@$(INSTALLED)/python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("numpy") and "NumPy is here, too")'
	$(INSTALLED)/beameval --version
	$(INSTALLED)/python -m doctest -v python/README.md >out/wheel/examples.log || { cat out/wheel/examples.log; exit 1; }
	@tail -n 3 out/wheel/examples.log

# The same without Go: the reports of make bundled.
test-wheel: bundled bin/worker test-install
	@for set in $(BUNDLED); do \
		env -i PATH=$(CURDIR)/$(INSTALLED) beameval evaluate --quiet \
			--config testdata/$$set/config.yaml $(INTERVALS) --output out/wheel/$$set >/dev/null && \
		diff -r --exclude run.json out/$$set out/wheel/$$set || exit 1; \
	done

# The image under chroot, as its unprivileged user: a report of make bundled. Only root may do that.
test-image: bundled image
	go test -tags $(TAG),image -c -o bin/image.test ./internal/release/image
	cd internal/release/image && $(SUDO) $(CURDIR)/bin/image.test -test.run '^TestImageRuns$$' -archive $(CURDIR)/$(ARCHIVE)

# Files and test cases that others wrote, of repositories that are checked out in CORPORA: every value of every column beside
# what other libraries read, and metrics beside the tests of other libraries. It writes docs/conformance.md, and fails if a
# value is wrong or a reader crashes.
CONFORMANCE = internal/testing/conformance
NEED_CORPORA = $(or $(CORPORA),$(error CORPORA is the folder with the repositories))

conformance: export OMP_NUM_THREADS = 1

conformance: build bin/conformance
	go test ./$(CONFORMANCE) -run '^TestCorpora$$' -count 1 -timeout 2h -args -corpora $(abspath $(NEED_CORPORA)) \
		-python $(CURDIR)/bin/conformance/bin/python -page $(CURDIR)/docs/conformance.md
	PYTHONPATH=python BEAMEVAL=$(CURDIR)/bin/beameval bin/conformance/bin/python $(CONFORMANCE)/parity/parity.py \
		$(CORPORA) docs/conformance.md

bin/conformance: $(CONFORMANCE)/requirements.txt
	@rm -rf $@ && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --no-compile --requirement $<
	@touch $@

# The benchmarks of whole jobs. BENCH_DATA is a directory with data of your own, RUNS how
# many runs medians are of; PEERS=1 also measures scikit-learn, polars, DuckDB and Evidently.
RUNS = 3
BENCH_FLAGS = --runs $(RUNS) $(if $(BENCH_DATA),--data $(BENCH_DATA)) $(if $(PEERS),--peers)
BENCH_PYTHON = bench/.venv/bin/python

bench: build bench/.venv
	@$(BENCH_PYTHON) bench/jobs.py $(BENCH_FLAGS)

# How invented inputs are divided on a cluster, without one: the table of docs/benchmarks.md, or
# BALANCE="-balance.rows 1e9 -balance.labels 20 -balance.slices 100 -balance.parallelism 64".
BALANCE = -balance.rows -1

bench-balance:
	go test ./pipeline -run TestPrintBalance -v $(BALANCE)

# How time and memory grow with rows, labels and slices.
bench-growth: build bench/.venv
	@$(BENCH_PYTHON) bench/growth.py --runs $(RUNS)

# What intervals cost.
bench-confidence: build
	@python3 bench/confidence.py --runs $(RUNS)

# What statistics.bin takes, and what merging saves.
bench-merge: build
	@python3 bench/merge.py --runs $(RUNS)

# All, written into their sections of the docs, and from there into the README and its chart.
bench-docs: build bench/.venv
	$(BENCH_PYTHON) bench/jobs.py --peers --runs $(RUNS) --docs docs/benchmarks.md
	$(BENCH_PYTHON) bench/growth.py --runs $(RUNS) --docs docs/benchmarks.md
	$(BENCH_PYTHON) bench/confidence.py --runs $(RUNS) --docs docs/confidence.md
	$(BENCH_PYTHON) bench/merge.py --runs $(RUNS) --docs docs/benchmarks.md
	go test ./internal/testing/house -run TestReadmeFigures -update

# What is compared with. Without a network the job benchmarks still measure beameval alone.
bench/.venv: bench/requirements.txt
	python3 -m venv $@
	$@/bin/python -m pip install --quiet --requirement $< || echo "no packages: only beameval is measured; make clean bench tries again"
	@touch $@

# The benchmarks of functions, COUNT times each: benchstat compares the output of two states.
COUNT = 1

bench-go:
	go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...

clean:
	rm -rf bin dist release out python/.venv bench/.venv bench/data
