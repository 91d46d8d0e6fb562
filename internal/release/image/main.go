// Image writes the container image of a release: one OCI archive with an image for each processor, built
// without a daemon.
//
//	go run ./internal/release/image DIST ARCHIVE
//
// DIST is what make dist builds. An image holds the program, the certificates of authorities that Mozilla
// trusts, the time zones of Go's distribution, an unprivileged user and /tmp; it has no shell. The same
// program gives the same bytes.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: image DIST ARCHIVE")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatalf("image: %v", err)
	}
}

func run(dist, archive string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go's distribution: %w", err)
	}
	system, err := systemLayer(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return fmt.Errorf("layer of system files: %w", err)
	}
	index, version, err := images(dist, system)
	if err != nil {
		return err
	}
	if err := writeArchive(archive, index, version); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	return nil
}
