package command_test

import (
	"github.com/beameval/beameval/jobs/command"
	"github.com/beameval/beameval/metrics"
)

// The complete main function of a program with its own metric. Programs register their metrics in
// an init function.
func ExampleMain() {
	metrics.Register(metrics.Metric{
		Name: "cost", Tasks: metrics.Binary, Better: metrics.Lower, Definition: "mean cost of an example: 10 if a positive is missed, 1 for a false alarm",
		Formula: metrics.OfCounts(func(c metrics.Counts) metrics.Value {
			return metrics.Ratio(10*c.FN+c.FP, c.TP+c.FP+c.FN+c.TN, "no examples")
		}),
	})
	command.Main()
}
