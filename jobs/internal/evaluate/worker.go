package evaluate

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/pendingwrites"
	"github.com/beameval/beameval/jobs/internal/boot"
	"github.com/beameval/beameval/jobs/internal/command"
)

// Work turns this process into a worker and does not return if Beam started it as one. Such a
// process may have any name and has no verb: its arguments are flags of Beam.
//
// A process that a runner started in order to start a worker, as in a container, stays its parent.
func Work() {
	switch {
	case startsWorkers(os.Args[1:]):
		signal.Reset() // let signals kill it, because nothing handles them
		err := boot.Run(context.Background(), os.Args[1:])
		fmt.Fprintln(os.Stderr, "beameval: starting workers:", err)
		os.Exit(command.Failed)
	case isWorker(os.Args[1:]):
		signal.Reset()
		flag.Parse()
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

// endWithBoot ends this worker process when its parent, which started it, has ended. After a
// job, Beam lets a worker wait forever: in a container it ends with the container, but on Flink
// with the environment PROCESS there is none. A report that is being written is finished first.
func endWithBoot(boot int) {
	for os.Getppid() == boot {
		time.Sleep(time.Second)
	}
	pendingwrites.Stop()
	os.Exit(command.Failed)
}
