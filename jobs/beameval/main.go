// Command beameval evaluates the predictions of machine-learning models:
//
//	beameval evaluate --input 'predictions/*.parquet' --output out
//	beameval compare old new --output compared
//	beameval report out
//	beameval generate --output preds --task multilabel --rows 1M
//
// beameval help explains the commands. Their exit codes are those of package command.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/compare"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/jobs/internal/generate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/report"
)

func main() {
	evaluate.Work()
	command.Main(command.Join("beameval", "Evaluates the predictions of machine-learning models.",
		evaluate.Command(), compare.Command(), report.Command(), generate.Command()), interrupt.Signals)
}
