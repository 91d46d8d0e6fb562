// Image makes the container image of a release, without a daemon.
//
//	go run ./internal/release/image build DIST ARCHIVE
//	go run ./internal/release/image push ARCHIVE REPOSITORY TAG...
//
// Build writes one OCI archive with an image for each processor. DIST is what make dist builds. An image holds the
// program, the certificates of authorities that Mozilla trusts, the time zones of Go's distribution, an unprivileged
// user and /tmp; it has no shell. The same program gives the same bytes.
//
// Push copies the archive as it is to a registry, with the password REGISTRY_TOKEN of REGISTRY_USER, or else with the
// credentials of docker login, and prints its digest there.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	if err := command(os.Args[1:]); err != nil {
		log.Fatalf("image: %v", err)
	}
}

func command(arguments []string) error {
	switch {
	case len(arguments) == 3 && arguments[0] == "build":
		return build(arguments[1], arguments[2])
	case len(arguments) > 3 && arguments[0] == "push":
		digest, err := push(arguments[1], arguments[2], arguments[3:])
		if err != nil {
			return err
		}
		fmt.Println(arguments[2] + "@" + digest)
		return output("repository="+arguments[2], "digest="+digest)
	}
	return errors.New("usage: image build DIST ARCHIVE, or image push ARCHIVE REPOSITORY TAG...")
}

func build(dist, archive string) error {
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
