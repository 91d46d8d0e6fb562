// Command generate is the command beameval generate under a name of its own.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/generate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
)

func main() { command.Main(generate.Command(), interrupt.Signals) }
