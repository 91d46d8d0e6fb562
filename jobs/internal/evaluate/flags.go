package evaluate

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
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

// flags are what the command line says, besides Beam's flags.
type flags struct {
	config, input, output, baseline, cancelJob string
	validate, quiet                            bool
	path                                       string // how the command was called
}

// add adds the flags to the command, with those of Beam.
func (f *flags) add(verb *cobra.Command) {
	command.AddFlags(verb, "Input and report", func(set *pflag.FlagSet) {
		set.StringVar(&f.config, "config", "", "configuration `file` (YAML)")
		set.StringVar(&f.input, "input", "", "comma-separated prediction files, directories or `globs`; overrides input.files")
		set.StringVar(&f.output, "output", "", "`directory` for the report; must be empty or not exist; overrides output.dir")
		set.StringVar(&f.baseline, "baseline", "", "`directory` of the report that gates with max_drop and max_rise compare with; overrides baseline")
	})
	command.AddFlags(verb, "Run", func(set *pflag.FlagSet) {
		set.BoolVar(&f.validate, "validate", false, "check the configuration and the schemas, and stop")
		set.BoolVar(&f.quiet, "quiet", false, "print no notes and no progress")
	})
	command.AddBeamFlags(verb, "Runner", []command.Explained{
		{Name: "runner", Usage: "`name` of the runner: " + strings.Join(runnerNames(), ", ") + " (default prism, in this process)"},
		{Name: "endpoint", Usage: "`address` of the runner's job service, for example localhost:8099"},
		{Name: "environment_type", Usage: "`type` of place where workers run: DOCKER (default), PROCESS, EXTERNAL, or LOOPBACK, which is this process"},
		{Name: "environment_config", Usage: "`image` of DOCKER, {\"command\": …} of PROCESS, or HOST:PORT of EXTERNAL"},
		{Name: "worker_binary", Usage: "`program` that workers run: a static build for linux/amd64 (default this one, if it is such a build)"},
		{Name: "parallelism", Usage: "`number` of tasks that the runner runs at once; Flink runs one if it is not set"},
		{Name: "async", Usage: "submit the job, print its id and how to cancel it, and leave it running"},
	})
	command.AddFlags(verb, "Runner", func(set *pflag.FlagSet) {
		set.StringVar(&f.cancelJob, "cancel_job", "", "cancel the job with this `id`, at --endpoint, and stop")
	})
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
