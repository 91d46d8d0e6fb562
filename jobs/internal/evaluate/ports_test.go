package evaluate

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// A run on the default runner has no listening socket of any family, even with cloud storage. On
// prism it has one, which the same check must find.
func TestPorts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:200")
	evaluate := func(t *testing.T, output string, more ...string) seen {
		args := []string{"--quiet", "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", output}
		s := watchSockets(t, process(t.Context(), dir, t.TempDir(), append(args, more...)...))
		readReport(t, filepath.Join(dir, output))
		return s
	}
	t.Run("direct", func(t *testing.T) {
		s := evaluate(t, "direct")
		require.Empty(t, s.listening)
		require.False(t, s.unix)
		require.Greater(t, s.looks, 10)
	})
	t.Run("direct with storage", func(t *testing.T) {
		c := newCloud(t)
		c.upload("preds.parquet", people)
		s := watchSockets(t, c.command("--quiet", "--input", "gs://bucket/preds.parquet", "--output", "gs://bucket/out"))
		require.Empty(t, s.listening)
		require.False(t, s.unix)
		require.NotZero(t, s.sockets)
		require.NotEmpty(t, c.objects("out/metrics.json"))
	})
	t.Run("prism", func(t *testing.T) {
		require.Contains(t, evaluate(t, "prism", "--runner", "prism").listening, "::", "on all interfaces")
	})
	t.Run("loopback", func(t *testing.T) {
		requireLoopback(t, "--runner", "universal", "--endpoint", cluster.Prism(t), "--environment_type", "LOOPBACK")
	})
}

// requireLoopback runs a bundled set with workers in the process of the run: it must listen only on
// the loopback interface.
func requireLoopback(t *testing.T, runner ...string) {
	t.Helper()
	dir := t.TempDir()
	bundled[0].setup(t, dir)
	s := watchSockets(t, process(t.Context(), dir, shortTempDir(t), append(append(strings.Fields(bundled[0].args), "--quiet"), runner...)...))
	require.NotEmpty(t, s.listening)
	for address := range s.listening {
		require.True(t, netip.MustParseAddr(address).IsLoopback(), address)
	}
}

// seen is what has been observed of the sockets of a process.
type seen struct {
	looks, sockets int
	listening      map[string]bool // addresses
	unix           bool            // one listens that only this machine reaches
}

// watchSockets runs a process without children and observes its sockets continuously.
func watchSockets(t *testing.T, cmd *exec.Cmd) seen {
	t.Helper()
	if _, err := os.Stat("/proc/self/net/tcp"); err != nil {
		t.Skip(err)
	}
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	s := seen{listening: map[string]bool{}}
	for {
		select {
		case err := <-ended:
			require.NoError(t, err, stderr.String())
			return s
		case <-time.After(time.Millisecond):
			s.look(t, cmd.Process.Pid)
		}
	}
}

// look observes once. A process that has ended has no sockets.
func (s *seen) look(t *testing.T, pid int) {
	s.looks++
	sockets := map[string]bool{} // inodes
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, "socket:[") {
			sockets[strings.Trim(target, "socket:[]")] = true
		}
	}
	s.sockets += len(sockets)
	if len(sockets) == 0 {
		return
	}
	unix, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", pid))
	for line := range strings.Lines(string(unix)) {
		const listens = "00010000"
		if fields := strings.Fields(line); len(fields) > 6 && fields[3] == listens && sockets[fields[6]] {
			s.unix = true
		}
	}
	for _, family := range []string{"tcp", "tcp6"} {
		s.listeners(t, fmt.Sprintf("/proc/%d/net/%s", pid, family), sockets)
	}
}

// listeners adds the addresses of listening sockets in a table of the kernel.
func (s *seen) listeners(t *testing.T, table string, sockets map[string]bool) {
	f, err := os.Open(table)
	if err != nil {
		return // the process has ended
	}
	defer f.Close()
	const listens = "0A"
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 9 && fields[3] == listens && sockets[fields[9]] {
			s.listening[addressOf(t, fields[1])] = true
		}
	}
}

// addressOf parses an address that the kernel writes in four-byte words, the least significant byte
// first.
func addressOf(t *testing.T, local string) string {
	words, _, _ := strings.Cut(local, ":")
	var address []byte
	for ; len(words) > 0; words = words[8:] {
		word, err := strconv.ParseUint(words[:8], 16, 32)
		require.NoError(t, err)
		address = append(address, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	parsed, ok := netip.AddrFromSlice(address)
	require.True(t, ok)
	return parsed.String()
}
