package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/beameval/beameval/io/quote"
)

// runnerFlags lists the runners, and the flag that a runner requires.
var runnerFlags = []struct{ runner, flag, example string }{
	{runner: "prism"},
	{runner: "direct"},
	{"flink", "endpoint", "localhost:8099, the address of its job service"},
	{"spark", "endpoint", "localhost:8099, the address of its job service"},
	{"dataflow", "staging_location", "gs://bucket/staging"},
	{"universal", "endpoint", "localhost:8099, the address of a job service"},
}

// runnerUsage explains flags of Beam.
var runnerUsage = map[string]string{
	"runner":             "`name` of the runner: " + strings.Join(runnerNames(), ", ") + " (default prism, in this process)",
	"endpoint":           "`address` of the runner's job service, for example localhost:8099",
	"environment_type":   "`type` of place where workers run: DOCKER (default), PROCESS, EXTERNAL, or LOOPBACK, which is this process",
	"environment_config": "`image` of DOCKER, {\"command\": …} of PROCESS, or HOST:PORT of EXTERNAL",
	"worker_binary":      "`program` that workers run: a static build for linux/amd64 (default this one, if it is such a build)",
	"parallelism":        "`number` of tasks that the runner runs at once; Flink runs one if it is not set",
	"async":              "submit the job, print its id and how to cancel it, and leave it running",
}

// parseFlags parses the command line. It returns flag.ErrHelp for --help.
func parseFlags(args []string) error {
	for name, usage := range runnerUsage {
		flag.Lookup(name).Usage = usage
	}
	flags := flag.CommandLine
	flags.Init("evaluate", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // parse prints errors
	err := flags.Parse(args)
	name, unknown := "", false
	if err != nil {
		name, unknown = strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case unknown:
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		return fmt.Errorf("unknown flag --%s; did you mean --%s? --help lists all", name, quote.Nearest(name, names))
	case err != nil:
		return fmt.Errorf("%w; --help says what flags expect", err)
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: give inputs with --input, separated by commas", flags.Arg(0))
	}
	return nil
}

// checkRunner returns an error if there is no such runner, or if it lacks a flag.
func checkRunner(name string) error {
	for _, r := range runnerFlags {
		if r.runner != name {
			continue
		}
		if name != "dataflow" && dryRun() {
			return errors.New("--dry_run is for runner dataflow; --validate checks configuration and schemas for every runner")
		}
		if r.flag != "" && flag.Lookup(r.flag).Value.String() == "" {
			return fmt.Errorf("runner %s needs --%s: set it, for example to %s", name, r.flag, r.example)
		}
		return nil
	}
	names := runnerNames()
	return fmt.Errorf("--runner: unknown runner %q; did you mean %s? There are %s", name, quote.Nearest(name, names), strings.Join(names, ", "))
}

func runnerName() string {
	if *runners.Runner == "" {
		return "prism"
	}
	return *runners.Runner
}

func runnerNames() []string {
	names := make([]string, len(runnerFlags))
	for i, r := range runnerFlags {
		names[i] = r.runner
	}
	return names
}

// usage explains the flags of this command and lists the flags of Beam.
func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: evaluate --input GLOB[,GLOB…] --output DIR [--config FILE] [flags]\n\nflags:")
	own := make(map[string]bool)
	for _, name := range ownFlags {
		own[name] = true
		f := flag.Lookup(name)
		argument, text := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "  --%s\n    \t%s\n", strings.TrimSpace(f.Name+" "+argument), text)
	}
	var beamFlags []string
	flag.VisitAll(func(f *flag.Flag) {
		if !own[f.Name] {
			beamFlags = append(beamFlags, "--"+f.Name)
		}
	})
	fmt.Fprintln(w, "\nflags of Beam and its runners:\n  "+strings.Join(beamFlags, " "))
}
