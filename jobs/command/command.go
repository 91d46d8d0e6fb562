// Package command is the command beameval for programs with metrics, statistics or slice functions
// of their own. Such a program registers them and calls [Main]:
//
//	func init() { metrics.Register(cost) }
//
//	func main() { command.Main() }
//
// Its evaluate, compare, report and generate know them as they know beameval's own, and so do its
// workers on clusters, which run the same program.
package command

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/compare"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/jobs/internal/generate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/report"
)

// Main is the command, with the arguments of this process, and ends the process. If a runner started
// the process as a worker, it is that. Main calls beam.Init.
func Main() {
	evaluate.Work()
	command.Main(command.Join("beameval", "Evaluates the predictions of machine-learning models.",
		evaluate.Command(), compare.Command(), report.Command(), generate.Command()), interrupt.Signals)
}
