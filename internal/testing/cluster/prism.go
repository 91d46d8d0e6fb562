package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Prism starts a prism server and returns the address of its job service.
func Prism(t Test) string {
	t.Helper()
	port := freePorts(t, 1)[0]
	p := start(t, "prism", build(t, "github.com/apache/beam/sdks/v2/go/cmd/prism"), fmt.Sprint("--job_port=", port), "--serve_http=false", "--log_level=error")
	await(t, p, "prism", func() bool { return listens(port) })
	return address(port)
}

// build builds a command, in an environment with these variables, and returns its file.
func build(t Test, command string, env ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "command")
	build := exec.Command("go", "build", "-o", file, command)
	build.Env = append(os.Environ(), env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", command, err, out)
	}
	return file
}
