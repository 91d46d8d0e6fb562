package main

import (
	"fmt"
	"os"
)

// host is a cluster.Test that ends with the process.
type host struct {
	cleanups []func()
	failed   bool
}

func (h *host) Helper() {}

// TempDir returns a new directory that is removed in the end.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Cleanup calls a function in the end, the last one first.
func (h *host) Cleanup(f func()) { h.cleanups = append(h.cleanups, f) }

func (h *host) Failed() bool { return h.failed }

func (h *host) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (h *host) Errorf(format string, args ...any) {
	h.failed = true
	h.Logf(format, args...)
}

func (h *host) Fatal(args ...any) { h.Fatalf("%s", fmt.Sprint(args...)) }

func (h *host) Fatalf(format string, args ...any) {
	h.Errorf(format, args...)
	h.end()
	os.Exit(1)
}

func (h *host) end() {
	for len(h.cleanups) > 0 {
		last := len(h.cleanups) - 1
		do := h.cleanups[last]
		h.cleanups = h.cleanups[:last]
		do()
	}
}
