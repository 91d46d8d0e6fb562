// Command report is the verb report of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/report"
)

func main() { command.Main(report.Command(), interrupt.Signals) }
