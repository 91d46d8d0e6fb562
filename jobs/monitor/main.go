// Command monitor is the verb monitor of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/monitor"
)

func main() { command.Main(monitor.Command(), interrupt.Signals) }
