// Command evaluate is the verb evaluate of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
)

func main() {
	evaluate.Work()
	command.Main(evaluate.Command(), interrupt.Signals)
}
