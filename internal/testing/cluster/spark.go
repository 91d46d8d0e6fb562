package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// StartSpark starts Beam's job server with Spark in it, with two threads for four partitions, and
// returns the address of its job service, and its process. The file holds the class path of spark/pom.xml.
func StartSpark(t Test, classPathFile string) (endpoint string, server *Process) {
	t.Helper()
	ports := freePorts(t, 3)
	options := slices.Concat(classPath(readClassPath(t, classPathFile)), quietly, []string{
		"-Xmx2g", "-Djava.io.tmpdir=.", "-Dspark.driver.host=127.0.0.1", "-Dspark.driver.bindAddress=127.0.0.1", "-Dspark.ui.enabled=false",
		"-Dspark.default.parallelism=4", "-Dspark.eventLog.enabled=true", "-Dspark.eventLog.dir=.", "-Dspark.eventLog.rolling.enabled=false",
	})
	server = start(t, "spark", append(java(options...),
		"org.apache.beam.runners.spark.SparkJobServerDriver", "--job-host=127.0.0.1", fmt.Sprint("--job-port=", ports[0]),
		fmt.Sprint("--artifact-port=", ports[1]), fmt.Sprint("--expansion-port=", ports[2]), "--artifacts-dir=artifacts", "--spark-master-url=local[2]")...)
	await(t, server, "the job server", func() bool { return listens(ports[0]) })
	return address(ports[0]), server
}

// sparkTask is the end of a task in Spark's log of events.
type sparkTask struct {
	Event   string
	Stage   int `json:"Stage ID"`
	Metrics struct {
		Write struct {
			Bytes int64 `json:"Shuffle Bytes Written"`
		} `json:"Shuffle Write Metrics"`
		Read struct {
			Local  int64 `json:"Local Bytes Read"`
			Remote int64 `json:"Remote Bytes Read"`
		} `json:"Shuffle Read Metrics"`
	} `json:"Task Metrics"`
}

// SparkShuffles returns, for each stage of the last job of a server, the bytes that each task wrote
// to and read from shuffles.
func SparkShuffles(server *Process) (written, read map[int][]int64, err error) {
	logs, err := filepath.Glob(filepath.Join(server.Dir, "local-*"))
	if err != nil || len(logs) == 0 {
		return nil, nil, fmt.Errorf("no log of events in %s: %w", server.Dir, err)
	}
	data, err := os.ReadFile(slices.Max(logs)) // their names have the time
	if err != nil {
		return nil, nil, err
	}
	written, read = make(map[int][]int64), make(map[int][]int64)
	for line := range bytes.Lines(data) {
		var e sparkTask
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, nil, err
		}
		if e.Event != "SparkListenerTaskEnd" {
			continue
		}
		m := &e.Metrics
		written[e.Stage] = append(written[e.Stage], m.Write.Bytes)
		read[e.Stage] = append(read[e.Stage], m.Read.Local+m.Read.Remote)
	}
	return written, read, nil
}
