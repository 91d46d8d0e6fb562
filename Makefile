STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race fuzz lint demo bench clean

build:
	go build -o bin/ ./jobs/...

# All tests. They need Go alone.
test:
	go test ./...

# The packages whose goroutines share data, under the race detector, which is some
# ten times slower.
RACE = ./io/files ./io/synthetic ./transforms/... ./pipeline

race:
	go test -race -short $(RACE)

# Every fuzz target for some seconds. The limit is a number of inputs, because Go 1.26
# sometimes fails when a time limit ends (golang/go#75804).
FUZZTIME = 3000x

fuzz:
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; \
	done

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(STATICCHECK) ./...
	go mod tidy -diff

DEMO = digits breast_cancer digits_attributes digits_retrieval diabetes

# Evaluates the bundled real data and leaves the reports in out/.
demo: build
	@rm -rf out
	@for set in $(DEMO); do \
		echo; echo "== $$set"; \
		bin/evaluate --quiet --config testdata/$$set/config.yaml --output out/$$set || exit 1; \
	done

# The benchmarks of folding and reading, then those of whole jobs: on the folders of
# BENCH_DATA or, without it, on generated data (see bench.sh).
bench: build
	go test -run '^$$' -bench . ./metrics/... ./transforms/... ./io/columns
	@./bench.sh "$(BENCH_DATA)"

clean:
	rm -rf bin out
