// Local starts a cluster on this machine for trials, prints how to use it, and stops it when it is
// interrupted or killed: make flink, make spark.
//
//	local flink|spark CLASSPATH PROGRAM [TASKMANAGERS]
//
// CLASSPATH is the file with the class path of the cluster, and PROGRAM is beameval.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/beameval/beameval/internal/testing/cluster"
)

func main() {
	cluster.Main()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	h := &host{}
	defer h.end()
	if err := run(h, os.Args[1:], os.Stdout); err != nil {
		h.Fatal(err)
	}
	<-signals
	fmt.Println("stopping")
}

var errUsage = errors.New("usage: local flink|spark CLASSPATH PROGRAM [TASKMANAGERS]")

// run starts the cluster and says how to use it.
func run(h *host, args []string, stdout io.Writer) error {
	if len(args) < 3 || len(args) > 4 {
		return errUsage
	}
	runner, path := args[0], args[1]
	program, err := filepath.Abs(args[2])
	if err != nil {
		return err
	}
	versions, err := versionsOf(path)
	if err != nil {
		return err
	}
	flags := "--runner " + runner
	switch {
	case runner == "flink":
		managers := 1
		if len(args) == 4 {
			if managers, err = strconv.Atoi(args[3]); err != nil || managers < 1 {
				return errUsage
			}
		}
		f := cluster.StartFlink(h, path, managers)
		flags += fmt.Sprintf(" --endpoint %s --parallelism %d", f.Endpoint, cluster.Slots*managers)
		fmt.Fprintf(stdout, "\n%s is ready: %d task slots, REST API at http://%s\n", versions, cluster.Slots*managers, f.Address())
	case runner == "spark" && len(args) == 3:
		endpoint, _ := cluster.StartSpark(h, path)
		flags += " --endpoint " + endpoint
		fmt.Fprintf(stdout, "\n%s is ready\n", versions)
	default:
		return errUsage
	}
	fmt.Fprintf(stdout, usage, flags, program)
	return nil
}

// usage are the commands, with the flags of the runner and the program that starts workers.
const usage = `
Workers in the process of the run:

bin/beameval evaluate --config testdata/digits/config.yaml --output out/loopback %[1]s --environment_type LOOPBACK

Workers in processes of their own, as on other machines:

bin/beameval evaluate --config testdata/digits/config.yaml --output out/process %[1]s --environment_type PROCESS --environment_config '{"command": "%[2]s"}'

Ctrl-C stops the cluster.
`

// versionsOf reads the versions of Beam and of the cluster in the names of jars.
func versionsOf(classPathFile string) (string, error) {
	path, err := os.ReadFile(classPathFile)
	if err != nil {
		return "", err
	}
	if v := regexp.MustCompile(`/beam-runners-flink-([0-9.]+)-([0-9.]+)\.jar`).FindSubmatch(path); v != nil {
		return fmt.Sprintf("Flink %s with the job server of Beam %s", v[1], v[2]), nil
	}
	spark := regexp.MustCompile(`/spark-core_[0-9.]+-([0-9.]+)\.jar`).FindSubmatch(path)
	beam := regexp.MustCompile(`/beam-runners-spark-3-([0-9.]+)\.jar`).FindSubmatch(path)
	if spark == nil || beam == nil {
		return "", fmt.Errorf("%s: no class path of Flink or Spark", classPathFile)
	}
	return fmt.Sprintf("Spark %s with the job server of Beam %s", spark[1], beam[1]), nil
}
