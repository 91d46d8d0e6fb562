// Command compare is the command beameval compare under a name of its own.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/compare"
	"github.com/beameval/beameval/jobs/internal/interrupt"
)

func main() { command.Main(compare.Command(), interrupt.Signals) }
