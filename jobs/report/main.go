// Command report is the command beameval report under a name of its own.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/report"
)

func main() { command.Main(report.Command(), interrupt.Signals) }
