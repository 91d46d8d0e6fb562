package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Boot returns the configuration of the environment PROCESS, and the worker binary: the file that
// BEAMEVAL_WORKER names, or a static build of a command. This program itself starts the workers.
// Workers have the variables of env, NAME=VALUE, besides the variables of the process that starts
// them.
func Boot(t Test, command string, env ...string) (config, binary string) {
	t.Helper()
	binary = os.Getenv("BEAMEVAL_WORKER")
	if binary == "" {
		binary = build(t, command, "CGO_ENABLED=0")
	}
	return Script(t, binary, env...), binary
}

// Script returns the configuration of the environment PROCESS in which a program starts workers, with
// variables in its environment and theirs.
func Script(t Test, program string, env ...string) (config string) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\nexec env %s '%s' \"$@\"\n", strings.Join(env, " "), program), 0o777))
	text, err := json.Marshal(map[string]string{"command": script})
	must(t, err)
	return string(text)
}
