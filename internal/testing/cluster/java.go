package cluster

import (
	"os"
	"path/filepath"
	"strings"
)

// opened are the packages of Java that Flink and Spark reach into.
var opened = []string{
	"java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.text", "java.time", "java.util",
	"java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar",
}

// java returns a command that runs Java, but for the main class and its arguments.
func java(options ...string) []string {
	command := append([]string{"java"}, options...)
	for _, name := range opened {
		command = append(command, "--add-opens=java.base/"+name+"=ALL-UNNAMED")
	}
	return command
}

// readClassPath reads the class path that a file holds.
func readClassPath(t Test, file string) []string {
	t.Helper()
	path, err := os.ReadFile(file)
	must(t, err)
	return filepath.SplitList(strings.TrimSpace(string(path)))
}

// classPath is the option with a class path.
func classPath(jars []string) []string {
	return []string{"-cp", strings.Join(jars, string(filepath.ListSeparator))}
}
