package evaluate

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/writing"
	"github.com/beameval/beameval/jobs/internal/command"
)

// Work turns this process into a worker and does not return if Beam started it as one. Such a
// process may have any name and has no verb: its arguments are flags of Beam.
//
// A process that a runner started in order to start workers, as in a container, is replaced by
// boot, Beam's program for that purpose, which must be in the same directory.
func Work() {
	switch {
	case startsWorkers(os.Args[1:]):
		err := becomeBoot()
		fmt.Fprintln(os.Stderr, "beameval: starting workers:", err)
		os.Exit(command.Failed)
	case isWorker(os.Args[1:]):
		signal.Reset() // let signals kill a worker, because nothing handles them
		flag.Parse()
		removeCopies(flag.Lookup("semi_persist_dir").Value.String())
		go endWithBoot(os.Getppid())
		collectGarbage(whileRunning)
		beam.Init() // does not return in a worker
	}
}

// isWorker reports whether boot passed these arguments to a worker.
func isWorker(args []string) bool { return onlyFlags(args) && hasFlag(args, "worker") }

// startsWorkers reports whether a runner passed these arguments to a program that starts workers.
func startsWorkers(args []string) bool {
	return onlyFlags(args) && (hasFlag(args, "provision_endpoint") || hasFlag(args, "worker_pool"))
}

// onlyFlags reports whether the arguments begin with a flag instead of a verb.
func onlyFlags(args []string) bool { return len(args) > 0 && strings.HasPrefix(args[0], "-") }

func hasFlag(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, value, _ := strings.Cut(arg, "=")
		return strings.HasPrefix(name, "-") && strings.TrimLeft(name, "-") == flag && value != "false"
	})
}

// becomeBoot replaces this program with boot. It returns only if that fails.
//
// Boot removes and rewrites its staging folder, so two boots on one machine cannot share one. Unless
// the runner names a folder, boot gets a new one, which the worker removes as it starts.
func becomeBoot() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	boot := filepath.Join(filepath.Dir(self), "boot")
	args := append([]string{boot}, os.Args[1:]...)
	if !hasFlag(args[1:], "worker_pool") && !hasFlag(args[1:], "semi_persist_dir") {
		sweepStaging()
		dir, err := os.MkdirTemp("", stagingPrefix)
		if err != nil {
			return err
		}
		defer os.Remove(dir) // exec has failed
		args = append(args, "--semi_persist_dir="+dir)
	}
	if err := syscall.Exec(boot, args, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w; put boot of make dist there", boot, err)
	}
	return nil
}

// stagingPrefix begins the names of the staging folders in the temporary directory.
const stagingPrefix = "beameval-worker-"

// sweepStaging removes the staging folders of boots that were killed before their workers started:
// those that are an hour old, because staging takes seconds.
func sweepStaging() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), stagingPrefix+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(dir) // best effort
		}
	}
}

// removeCopies removes the two copies of this program that boot made for the worker: the one in the
// staging folder, if becomeBoot made that folder, and the one that runs, which the system keeps until
// the process ends, however it ends.
func removeCopies(staging string) {
	if filepath.Dir(staging) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(staging), stagingPrefix) {
		_ = os.RemoveAll(staging) // best effort, as below
	}
	if self, err := os.Executable(); err == nil {
		if ok, _ := filepath.Match(bootCopies, self); ok { // the pattern is valid
			_ = os.Remove(self)
			_ = os.Remove(filepath.Dir(self))
		}
	}
}

// bootCopies matches the programs that boot starts.
const bootCopies = "/tmp/bin*/worker"

// endWithBoot ends this worker process when its parent, Beam's boot program, has ended. After a
// job, Beam lets a worker wait forever: in a container it ends with the container, but on Flink
// with the environment PROCESS there is none. A report that is being written is finished first.
func endWithBoot(boot int) {
	for os.Getppid() == boot {
		time.Sleep(time.Second)
	}
	writing.Stop()
	os.Exit(command.Failed)
}
