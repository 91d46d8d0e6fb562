STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test lint demo bench clean

build:
	go build -o bin/ ./jobs/...

# Everything that passes on a fresh machine with Go alone.
test:
	go test ./...

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

# The benchmarks of folding and reading, then whole jobs: on those of BENCH_DATA
# that bench.sh names or, without it, on generated data.
bench: build
	go test -run '^$$' -bench . ./metrics/... ./transforms/... ./io/columns
	@./bench.sh "$(BENCH_DATA)"

clean:
	rm -rf bin out
