package evaluate

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/beameval/beameval/metrics"
)

// complete defines how a shell completes the values of flags.
func (f *flags) complete(verb *cobra.Command) {
	for flag, candidates := range map[string]func(before string) []string{
		"runner":           func(string) []string { return runnerNames() },
		"environment_type": func(string) []string { return []string{"DOCKER", "PROCESS", "EXTERNAL", "LOOPBACK"} },
		"task":             func(string) []string { return tasks },
		"metrics":          f.metricsAfter,
		"label":            none,
		"score":            none,
		"slice":            none,
		"set":              none,
		"cancel_job":       none,
		"endpoint":         none,
		"parallelism":      none,
		"max_stdin_mib":    none,
	} {
		_ = verb.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, before string) ([]string, cobra.ShellCompDirective) {
			directive := cobra.ShellCompDirectiveNoFileComp
			if flag == "metrics" {
				directive |= cobra.ShellCompDirectiveNoSpace // for a comma
			}
			return candidates(before), directive
		}) // the only possible error is an undefined flag, which a test finds
	}
	verb.ValidArgsFunction = cobra.NoFileCompletions
}

func none(string) []string { return nil }

// metricsAfter returns all extensions of a list of metrics by one more metric.
func (f *flags) metricsAfter(before string) (lists []string) {
	var task metrics.Task
	if f.task == "" || task.UnmarshalText([]byte(f.task)) != nil {
		task = ^metrics.Task(0)
	}
	listed := before[:strings.LastIndex(before, ",")+1]
	for _, name := range metrics.Names(task) {
		if list := listed + name; strings.HasPrefix(list, before) {
			lists = append(lists, list)
		}
	}
	return lists
}
