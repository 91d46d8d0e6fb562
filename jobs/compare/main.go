// Command compare is the verb compare of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/compare"
	"github.com/beameval/beameval/jobs/internal/interrupt"
)

func main() { command.Main(compare.Command(), interrupt.Signals) }
