package evaluate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// runnerFlags lists the runners, with the flag that each requires.
var runnerFlags = []struct{ runner, flag, example string }{
	{runner: "direct"},
	{runner: "prism"},
	{"flink", "endpoint", "localhost:8099, the address of its job service"},
	{"spark", "endpoint", "localhost:8099, the address of its job service"},
	{"dataflow", "staging_location", "gs://bucket/staging"},
	{"universal", "endpoint", "localhost:8099, the address of a job service"},
}

// flags holds the command line, except Beam's flags.
type flags struct {
	config, input, output, baseline, cancelJob string
	task, label, score                         string
	metrics, slices, set                       []string
	overwrite, validate, printConfig           bool
	quiet, json                                bool
	window                                     int
	windowed                                   func() bool // whether window is given
	maxStdin                                   int         // in MiB
	path                                       string      // how the command was invoked
}

// add adds the flags to the command, including Beam's.
func (f *flags) add(verb *cobra.Command) {
	command.AddFlags(verb, "Input and report", func(set *pflag.FlagSet) {
		set.StringVarP(&f.config, "config", "c", "", "configuration `file` (YAML)")
		set.StringVarP(&f.input, "input", "i", "", "comma-separated prediction files, directories or `globs`, or - for standard input; overrides input.files")
		set.StringVarP(&f.output, "output", "o", "", "`directory` for the report; must be empty or not exist; overrides output.dir")
		set.BoolVar(&f.overwrite, "overwrite", false, "replace a finished report in the output, when the new one is complete; overrides output.overwrite")
		set.StringVar(&f.baseline, "baseline", "", "comma-separated `directories` or globs of reports; gates with max_drop and max_rise compare with the newest that is older than this one; overrides baseline")
		set.IntVar(&f.window, "baseline_window", 0, "compare with the median of this `number` of the newest reports; overrides baseline_window")
		f.windowed = func() bool { return set.Changed("baseline_window") }
	})
	command.AddFlags(verb, "Configuration, by flags that override the file", func(set *pflag.FlagSet) {
		f.addKeys(set)
		set.BoolVar(&f.printConfig, "print_config", false, "print the configuration that the file and flags make (with --validate, with what is inferred from the input), with comments, and stop")
	})
	command.AddFlags(verb, "Run", func(set *pflag.FlagSet) {
		set.BoolVar(&f.validate, "validate", false, "check the configuration and the schemas, and stop; needs no --output")
		set.BoolVar(&f.quiet, "quiet", false, "print no notes and no progress")
		set.BoolVar(&f.json, "json", false, "print metrics.json of the report instead of the summary; needs no --output")
		set.IntVar(&f.maxStdin, "max_stdin_mib", 1<<14, "largest `size` of standard input, which is copied to TMPDIR, in MiB")
	})
	command.AddBeamFlags(verb, "Runner", []command.Explained{
		{Name: "runner", Usage: "`name` of the runner: " + strings.Join(runnerNames(), ", ") + " (default direct, in this process)"},
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
	f.complete(verb)
}

// addKeys adds the flags that set keys of the configuration, whatever its input and output.
func (f *flags) addKeys(set *pflag.FlagSet) {
	set.StringVar(&f.task, "task", "", "`name` of the task: "+strings.Join(tasks, ", "))
	set.StringSliceVar(&f.metrics, "metrics", nil, "comma-separated `metrics`; beameval metrics lists them")
	set.StringArrayVar(&f.slices, "slice", nil, "`column` to slice by, or columns of combined slices, separated by commas; for each further one the flag is given again")
	set.StringVar(&f.label, "label", "", "`column` of the labels")
	set.StringVar(&f.score, "score", "", "`column` of the scores, or several, separated by commas")
	set.StringArrayVar(&f.set, "set", nil, "set any key of the file: `KEY=VALUE`, such as curves.mode=bounded; VALUE is YAML; for each further key the flag is given again")
}

// tasks are the names of the tasks.
var tasks = collections.Map(metrics.Tasks(), metrics.Task.String)

// configuration reads the configuration and applies the flags that override it: first --set, which
// the flags for single keys override too.
func (f *flags) configuration(ctx context.Context) (*config.Config, error) {
	cfg, err := command.ParseConfig(ctx, f.config, config.Read)
	if err != nil {
		return nil, err
	}
	if cfg == nil {
		cfg = new(config.Default())
	}
	for _, assignment := range f.set {
		if err := cfg.Set(assignment); err != nil {
			return nil, err
		}
	}
	if f.input != "" {
		cfg.Input.Files = strings.Split(f.input, ",")
	}
	cfg.Output.Dir = cmp.Or(f.output, cfg.Output.Dir)
	cfg.Output.Overwrite = f.overwrite || cfg.Output.Overwrite
	if f.baseline != "" {
		cfg.Baseline = strings.Split(f.baseline, ",")
	}
	var sliced []any
	for _, columns := range f.slices {
		sliced = append(sliced, oneOrSeveral(columns))
	}
	for _, flag := range []struct {
		name, key string
		given     bool
		value     any
	}{
		{"--task", "task", f.task != "", f.task},
		{"--metrics", "metrics", f.metrics != nil, f.metrics},
		{"--slice", "slices", f.slices != nil, sliced},
		{"--label", "input.columns.label", f.label != "", oneOrSeveral(f.label)},
		{"--baseline-window", "baseline_window", f.windowed != nil && f.windowed(), f.window},
		{"--score", "input.columns.score", f.score != "", oneOrSeveral(f.score)},
	} {
		if !flag.given {
			continue
		}
		value, err := json.Marshal(flag.value) // JSON is valid YAML
		if err == nil {
			err = cfg.SetBy(flag.name, flag.key, string(value))
		}
		if err != nil {
			return nil, err
		}
	}
	return cfg, cfg.Validate()
}

// oneOrSeveral returns a name, or a list of names that were separated by commas.
func oneOrSeveral(names string) any {
	if strings.Contains(names, ",") {
		return strings.Split(names, ",")
	}
	return names
}

// checkRunner returns an error if a runner does not exist, or if the flag that it requires is
// missing.
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
	return fmt.Errorf("--runner: unknown runner %q%s There are %s", *runners.Runner, quote.Meant(name, names), strings.Join(names, ", "))
}

// runnerName returns the runner. Beam also calls its runners DataflowRunner, PortableRunner and so on,
// as schedulers and templates do.
func runnerName() string {
	name, renamed := strings.CutSuffix(cmp.Or(*runners.Runner, "direct"), "Runner")
	switch {
	case !renamed:
		return name
	case name == "Portable":
		return "universal"
	default:
		return strings.ToLower(name)
	}
}

func runnerNames() []string {
	names := make([]string, len(runnerFlags))
	for i, r := range runnerFlags {
		names[i] = r.runner
	}
	return names
}
