package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Boot returns the configuration of the environment PROCESS, in which Beam's boot starts
// workers, and the worker binary: the file that BEAMEVAL_WORKER names, or a static build of a
// command. As in our image, the command is
// started and becomes boot, which is beside it. Workers have the variables of env, NAME=VALUE,
// besides those of the process that starts them.
//
// Boot also copies the binary to a new directory in /tmp. A worker removes it as it starts; a
// boot that is killed before leaves it there: what is at its end tells whose it is. So call
// Boot before the cluster is started, which then ends first.
func Boot(t testing.TB, command string, env ...string) (config, binary string) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Rename(build(t, "github.com/apache/beam/sdks/v2/go/container"), filepath.Join(dir, "boot")))
	file := os.Getenv("BEAMEVAL_WORKER")
	if file == "" {
		file = build(t, command, "CGO_ENABLED=0")
	}
	program, err := os.ReadFile(file)
	must(t, err)
	mark := []byte(dir)
	binary = filepath.Join(dir, "program")
	must(t, os.WriteFile(binary, append(program, mark...), 0o777))

	script := filepath.Join(dir, "script")
	must(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\nexec env %s '%s' \"$@\"\n", strings.Join(env, " "), binary), 0o777))
	text, err := json.Marshal(map[string]string{"command": script})
	must(t, err)
	t.Cleanup(func() {
		copies, err := filepath.Glob("/tmp/bin*/worker")
		must(t, err)
		for _, file := range copies {
			if endsWith(file, mark) {
				must(t, os.RemoveAll(filepath.Dir(file)))
			}
		}
	})
	return string(text), binary
}

// endsWith says whether a file ends with a text.
func endsWith(file string, text []byte) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	end := make([]byte, len(text))
	n, _ := f.ReadAt(end, info.Size()-int64(len(text)))
	return bytes.Equal(end[:n], text)
}
