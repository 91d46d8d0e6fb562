// Command generate is the verb generate of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/generate"
	"github.com/beameval/beameval/jobs/internal/interrupt"
)

func main() { command.Main(generate.Command(), interrupt.Signals) }
