package evaluate

import (
	"fmt"

	"github.com/beameval/beameval/io/system"
)

// leastOpen is the number of files that a run must be able to have open: planning opens 100, and
// workers read ahead. Most systems allow at least 1024; a run over 300 files had 150 open,
// including sockets.
const leastOpen = 256

// checkOpenFiles returns an error if, in the middle of a run, opening a file or accepting a
// connection could fail.
func checkOpenFiles() error {
	if n := system.MostOpen(); n < leastOpen {
		return fmt.Errorf("the limit of open files is %d, and a run needs at least %d: raise it, such as by ulimit -n 1024", n, leastOpen)
	}
	return nil
}
