package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Slots is the number of slots of a TaskManager.
const Slots = 2

// Flink is a Flink cluster: a JobManager, TaskManagers, and Beam's job server.
type Flink struct {
	Endpoint     string              // of the job server
	TaskManagers map[string]*Process // by the name that Flink knows them by

	t               Test // with which everything ends
	manager         *Process
	started         int      // TaskManagers
	jars, ofCluster []string // of the job server and the cluster
	ports           []int    // of the JobManager, REST, jobs, artifacts and expansion
	conf            string   // the directory of its configuration
}

// flinkConfig is the configuration of all its processes. Restarts must outlast the time
// after which a lost TaskManager is noticed. What REST tells of a job is as old as the refresh
// interval at most. The jars of a job, 12 MB, are removed half a minute after its end.
const flinkConfig = `
jobmanager: {rpc: {address: 127.0.0.1, port: %d}, bind-host: 127.0.0.1, memory: {process: {size: 1600m}}}
rest: {address: 127.0.0.1, bind-address: 127.0.0.1, port: %d}
web: {refresh-interval: 10}
taskmanager: {host: 127.0.0.1, bind-host: 127.0.0.1, numberOfTaskSlots: %d}
heartbeat: {interval: 2000, timeout: 12000}
restart-strategy: {type: fixed-delay, fixed-delay: {attempts: 5, delay: 3 s}}
blob: {service: {cleanup: {interval: 30}}}
`

// taskManagerMemory is what a TaskManager has, which Flink's own scripts would compute.
var taskManagerMemory = []string{
	"-D", "taskmanager.cpu.cores=2",
	"-D", "taskmanager.memory.task.heap.size=1280m",
	"-D", "taskmanager.memory.task.off-heap.size=0",
	"-D", "taskmanager.memory.framework.heap.size=128m",
	"-D", "taskmanager.memory.framework.off-heap.size=128m",
	"-D", "taskmanager.memory.managed.size=512m",
	"-D", "taskmanager.memory.jvm-metaspace.size=256m",
	"-D", "taskmanager.memory.network.min=256m",
	"-D", "taskmanager.memory.network.max=256m",
	"-D", "taskmanager.memory.jvm-overhead.min=192m",
	"-D", "taskmanager.memory.jvm-overhead.max=192m",
}

// StartFlink starts a cluster that has the jars of the job server, which sends few of them. The file
// holds the class path of flink/pom.xml.
func StartFlink(t Test, classPathFile string, taskManagers int) *Flink {
	t.Helper()
	f := newFlink(t, classPathFile, "classloader: {resolve-order: parent-first}\n")
	f.startAll(f.jars, f.staged(), taskManagers)
	return f
}

// StartPlainFlink starts a cluster as others have it: of Beam it has nothing, its class loader is
// Flink's default, and the job server sends all of its jars with each job.
func StartPlainFlink(t Test, classPathFile string, taskManagers int) *Flink {
	t.Helper()
	f := newFlink(t, classPathFile, "")
	own := slices.DeleteFunc(slices.Clone(f.jars), func(jar string) bool { return strings.Contains(jar, "/org/apache/beam/") })
	f.startAll(own, classPath(f.jars), taskManagers)
	return f
}

func newFlink(t Test, classPathFile, config string) *Flink {
	t.Helper()
	f := &Flink{t: t, jars: readClassPath(t, classPathFile), ports: freePorts(t, 5), conf: t.TempDir(), TaskManagers: make(map[string]*Process)}
	f.Endpoint = address(f.ports[2])
	must(t, os.WriteFile(filepath.Join(f.conf, "config.yaml"), fmt.Appendf(nil, flinkConfig+config, f.ports[0], f.ports[1], Slots), 0o666))
	return f
}

// startAll starts all processes: the cluster with its jars, and the job server with its class path.
func (f *Flink) startAll(ofCluster, ofServer []string, taskManagers int) {
	f.t.Helper()
	f.ofCluster = ofCluster
	f.manager = f.start("jobmanager", slices.Concat(classPath(ofCluster), quietly, []string{"-Xmx1g"}),
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", f.conf, "--executionMode", "cluster")
	for range taskManagers {
		f.addTaskManager()
	}
	server := f.start("jobserver", slices.Concat(ofServer, quietly, []string{"-Xmx1g"}),
		"org.apache.beam.runners.flink.FlinkJobServerDriver", "--job-host=127.0.0.1", fmt.Sprint("--job-port=", f.ports[2]),
		fmt.Sprint("--artifact-port=", f.ports[3]), fmt.Sprint("--expansion-port=", f.ports[4]), "--artifacts-dir=artifacts", "--flink-master="+f.Address())
	f.awaitTaskManagers()
	await(f.t, server, "the job server", func() bool { return listens(f.ports[2]) })
}

// Address returns the address of Flink's REST API.
func (f *Flink) Address() string { return address(f.ports[1]) }

// Recover replaces the TaskManagers that were killed.
func (f *Flink) Recover() {
	f.t.Helper()
	for id, m := range f.TaskManagers {
		if m.hasEnded() {
			delete(f.TaskManagers, id)
			f.addTaskManager()
		}
	}
	f.awaitTaskManagers()
}

func (f *Flink) addTaskManager() {
	f.t.Helper()
	id := fmt.Sprint("taskmanager-", f.started)
	f.started++
	args := append([]string{"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", f.conf, "-D", "taskmanager.resource-id=" + id}, taskManagerMemory...)
	f.TaskManagers[id] = f.start(id, slices.Concat(classPath(f.ofCluster), quietly, []string{"-Xmx1536m", "-XX:MaxDirectMemorySize=768m"}), args...)
}

// awaitTaskManagers waits until all TaskManagers have joined, and no others are known.
func (f *Flink) awaitTaskManagers() {
	f.t.Helper()
	await(f.t, f.manager, "the TaskManagers", func() bool {
		var all struct{ TaskManagers int }
		return f.get("/overview", &all) == nil && all.TaskManagers == len(f.TaskManagers)
	})
}

func (f *Flink) start(name string, options []string, args ...string) *Process {
	f.t.Helper()
	return start(f.t, name, append(java(append(options, "-XX:+UseSerialGC", "-Djava.io.tmpdir=.")...), args...)...)
}

// With each job, the job server sends all jars that its loader has, 160 MB, although the TaskManagers have them. So Java's
// own loader gets those that can do with it, which are not sent: Flink's need java.sql, which that loader lacks, for unbounded
// jobs, but what Flink has shaded does not. A client of Flink's REST API needs neither remote calls nor ZooKeeper, another 32 MB.
var (
	useless = regexp.MustCompile(`/flink-(rpc-akka-loader|shaded-zookeeper-3)/`)
	shaded  = regexp.MustCompile(`/flink-shaded-[^/]*/`)
	sent    = regexp.MustCompile(`/(beam-runners-flink-[0-9.]+|flink-[^/]*)/`)
)

// staged is the class path of the job server.
func (f *Flink) staged() []string {
	var own, jars []string
	for _, jar := range f.jars {
		switch {
		case useless.MatchString(jar):
		case sent.MatchString(jar) && !shaded.MatchString(jar):
			jars = append(jars, jar)
		default:
			own = append(own, jar)
		}
	}
	return append(classPath(jars), "-Xbootclasspath/a:"+strings.Join(own, string(filepath.ListSeparator)))
}

// quietly are the options with which little is logged.
var quietly = []string{"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}

// Vertex is a step of a job, as Flink runs it.
type Vertex struct {
	ID       string
	Name     string
	Metrics  Metrics
	Subtasks []Subtask
}

// Subtask is a part of a vertex.
type Subtask struct {
	TaskManager string `json:"taskmanager-id"`
	Status      string // such as RUNNING
	Metrics     Metrics
}

// Metrics are what a vertex or a subtask has read and written.
type Metrics struct {
	ReadRecords  int64 `json:"read-records"`
	ReadBytes    int64 `json:"read-bytes"`
	WriteRecords int64 `json:"write-records"`
	WriteBytes   int64 `json:"write-bytes"`
}

// Vertices returns the vertices of the job with a name, of small letters. There are none
// before it begins.
func (f *Flink) Vertices(job string) ([]Vertex, error) {
	path, err := f.find(job)
	if path == "" {
		return nil, err
	}
	var all struct{ Vertices []Vertex }
	if err := f.get(path, &all); err != nil {
		return nil, err
	}
	for i := range all.Vertices {
		v := &all.Vertices[i]
		if err := f.get(path+"/vertices/"+v.ID, v); err != nil {
			return nil, err
		}
	}
	return all.Vertices, nil
}

// Failures counts the failures of a job from which it recovered, or which ended it.
func (f *Flink) Failures(job string) (int, error) {
	var all struct{ ExceptionHistory struct{ Entries []any } }
	path, err := f.find(job)
	if path != "" {
		err = f.get(path+"/exceptions", &all)
	}
	return len(all.ExceptionHistory.Entries), err
}

// State returns the state of a job, such as CANCELED.
func (f *Flink) State(job string) (string, error) {
	var now struct{ State string }
	path, err := f.find(job)
	if path != "" {
		err = f.get(path, &now)
	}
	return now.State, err
}

// find returns the path of the job with a name, or "" if there is none.
func (f *Flink) find(name string) (path string, err error) {
	var all struct{ Jobs []struct{ JID, Name string } }
	err = f.get("/jobs/overview", &all)
	for _, j := range all.Jobs {
		if strings.HasPrefix(j.Name, name+"-") {
			path = "/jobs/" + j.JID
		}
	}
	return path, err
}

// get asks Flink's REST interface.
func (f *Flink) get(path string, answer any) error {
	response, err := http.Get("http://" + f.Address() + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}
