package comparison

import (
	kinds "github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/metrics"
)

// Worsening returns what a change for the worse of a metric is.
func Worsening(better metrics.Better) kinds.Worsening {
	switch better {
	case metrics.Higher:
		return kinds.Drop
	case metrics.Lower:
		return kinds.Rise
	}
	return kinds.Either
}
