package cluster

import (
	"fmt"
	"slices"
)

// StartSpark starts Beam's job server with Spark in it, with two threads, and returns the
// address of its job service, and its process. The file holds the class path of spark/pom.xml.
func StartSpark(t Test, classPathFile string) (endpoint string, server *Process) {
	t.Helper()
	ports := freePorts(t, 3)
	options := slices.Concat(classPath(readClassPath(t, classPathFile)), quietly, []string{
		"-Xmx2g", "-Djava.io.tmpdir=.", "-Dspark.driver.host=127.0.0.1", "-Dspark.driver.bindAddress=127.0.0.1", "-Dspark.ui.enabled=false",
	})
	server = start(t, "spark", append(java(options...),
		"org.apache.beam.runners.spark.SparkJobServerDriver", "--job-host=127.0.0.1", fmt.Sprint("--job-port=", ports[0]),
		fmt.Sprint("--artifact-port=", ports[1]), fmt.Sprint("--expansion-port=", ports[2]), "--artifacts-dir=artifacts", "--spark-master-url=local[2]")...)
	await(t, server, "the job server", func() bool { return listens(ports[0]) })
	return address(ports[0]), server
}
