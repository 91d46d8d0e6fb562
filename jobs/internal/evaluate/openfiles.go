package evaluate

import (
	"fmt"

	"github.com/beameval/beameval/io/system"
)

// leastOpen is how many files a run must be able to have open at once: planning opens 100, and workers read
// ahead. Most systems allow 1024 or more; a run over 300 files had 150 open, sockets included.
const leastOpen = 256

// checkOpenFiles returns an error if files would fail to open in the middle of a run, or a server to accept.
func checkOpenFiles() error {
	if n := system.MostOpen(); n < leastOpen {
		return fmt.Errorf("the limit of open files is %d, and a run needs at least %d: raise it, such as by ulimit -n 1024", n, leastOpen)
	}
	return nil
}
