// Command merge is the verb merge of beameval as a separate program.
package main

import (
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/interrupt"
	"github.com/beameval/beameval/jobs/internal/merge"
)

func main() { command.Main(merge.Command(), interrupt.Signals) }
