// Package command is the command beameval for programs with their own metrics, statistics or slice
// functions. Such a program registers them and calls [Main]:
//
//	func init() { metrics.Register(cost) }
//
//	func main() { command.Main() }
//
// The verbs evaluate, compare, monitor, merge, plan, sample, report, metrics and generate then treat them like built-in ones, and
// so do its workers on clusters, which run the same program.
package command

import (
	"github.com/beameval/beameval/jobs/internal/catalogue"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/compare"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/jobs/internal/generate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/merge"
	"github.com/beameval/beameval/jobs/internal/monitor"
	"github.com/beameval/beameval/jobs/internal/plan"
	"github.com/beameval/beameval/jobs/internal/report"
	"github.com/beameval/beameval/jobs/internal/sample"
)

// Main runs the command with the arguments of this process, and ends the process. If a runner
// started the process as a worker, Main runs the worker instead. It calls beam.Init.
func Main() {
	evaluate.Work()
	command.Main(command.Join("beameval", "Evaluates the predictions of machine-learning models.",
		evaluate.Command(), compare.Command(), monitor.Command(), merge.Command(), plan.Command(), sample.Command(), report.Command(), catalogue.Command(), generate.Command()), interrupt.Signals)
}
