//go:build flink || spark

package evaluate

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// tryLocal starts a cluster as make flink and make spark do, runs the evaluations that it prints, and
// interrupts it.
func tryLocal(t *testing.T, runner string) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	_, program := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	local := filepath.Join(t.TempDir(), "local")
	build, err := exec.Command("go", "build", "-o", local, root+"/internal/testing/cluster/local").CombinedOutput()
	require.NoError(t, err, string(build))
	cmd := exec.Command(local, runner, root+"/bin/"+runner+".classpath", program)
	cmd.Env, cmd.Stderr = append(os.Environ(), "TMPDIR="+shortTempDir(t)), os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Signal(syscall.SIGTERM)
	var commands []string
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Ctrl-C") {
		if command, ok := strings.CutPrefix(lines.Text(), "bin/beameval "); ok {
			commands = append(commands, command)
		}
	}
	require.Len(t, commands, 2)

	dir := t.TempDir()
	require.NoError(t, os.Symlink(root+"/testdata", filepath.Join(dir, "testdata")))
	for _, command := range commands {
		run := exec.Command("sh", "-c", program+" "+command+" --quiet")
		run.Dir = dir
		out, err := run.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	requireSameReport(t, filepath.Join(dir, "out/loopback"), filepath.Join(dir, "out/process"))

	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.True(t, lines.Scan())
	require.Equal(t, "stopping", lines.Text())
	require.NoError(t, cmd.Wait())
	endpoint := regexp.MustCompile(`--endpoint (\S+)`).FindStringSubmatch(commands[0])[1]
	_, err = net.Dial("tcp", endpoint)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}
