// Package cluster starts Beam runners for tests, and for trials (make flink, make spark): prism, Flink
// and Spark, each with its job server, on free ports of the loopback interface. All ends with the test
// that started it.
package cluster

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Test is what starts a cluster: a *testing.T, or a program that behaves like one.
type Test interface {
	Helper()
	TempDir() string
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Process is a process of a cluster.
type Process struct {
	ID  int
	Dir string // its working directory, and that of what it starts

	keeper *exec.Cmd
	stdin  io.Closer
	ended  chan struct{} // closed when it has ended
	how    string        // it ended
}

// start starts a process, which ends with the test. What it prints is shown if the test
// fails.
func start(t Test, name string, command ...string) *Process {
	t.Helper()
	dir, err := os.MkdirTemp("", "cluster-"+name+"-")
	must(t, err)
	self, err := os.Executable()
	must(t, err)
	p := &Process{Dir: dir, keeper: exec.Command(self, command...), ended: make(chan struct{})}
	p.keeper.Env = append(os.Environ(), keeps+"="+dir, "TMPDIR="+dir)
	p.keeper.SysProcAttr = ofItsOwn() // for an interrupt not to reach it
	p.stdin, err = p.keeper.StdinPipe()
	must(t, err)
	stdout, err := p.keeper.StdoutPipe()
	must(t, err)
	must(t, p.keeper.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of what %s printed:\n%s", name, p.tail())
		}
		p.stdin.Close()
		if err := p.keeper.Wait(); err != nil {
			t.Errorf("ending %s: %v", name, err)
		}
	})
	lines := bufio.NewReader(stdout)
	first, _ := lines.ReadString('\n')
	if p.ID, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		t.Fatalf("starting %s: %s", name, first)
	}
	go func() {
		p.how, _ = lines.ReadString('\n')
		close(p.ended)
	}()
	return p
}

// Kill kills the process, but not what it has started.
func (p *Process) Kill() error { return kill(p.ID) }

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// tail is the end of what the process printed.
func (p *Process) tail() string {
	const most = 60000
	text, err := os.ReadFile(filepath.Join(p.Dir, logFile))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// patience is how long a process may take to start.
const patience = 15 * time.Minute

// await waits until a process is ready.
func await(t Test, p *Process, what string, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ready(); time.Sleep(50 * time.Millisecond) {
		if p.hasEnded() {
			t.Fatalf("%s: the process ended: %s", what, p.how)
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not ready after %v", what, patience)
		}
	}
}

// listens says whether something listens at a port.
func listens(port int) bool {
	c, err := net.Dial("tcp", address(port))
	if err == nil {
		c.Close()
	}
	return err == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// freePorts returns ports that nothing listens at. They are below the ports that systems give to
// outgoing connections: a process may take a minute to listen.
func freePorts(t Test, n int) (ports []int) {
	t.Helper()
	for tries := 0; len(ports) < n && tries < 1000; tries++ {
		port := 15_000 + rand.IntN(15_000)
		if l, err := net.Listen("tcp", address(port)); err == nil {
			defer l.Close() // now, the next one is another
			ports = append(ports, port)
		}
	}
	if len(ports) < n {
		t.Fatal("there are no free ports")
	}
	return ports
}

func must(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
