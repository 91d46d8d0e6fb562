package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/beameval/beameval/metrics/confidence"
)

// The simulation of delays.
const (
	delays    = 199 // series that are drawn
	mostDelay = 365 // nights after which it gives up
)

// Delay returns how many nights it takes until an alarm, in half of all cases: the median over drawn
// series of normal, independent nights, the first before of which are as always, and the others worse by
// fall standard deviations of a night. It is infinite if it exceeds 365 nights. The same arguments give
// the same nights.
func (g Gate) Delay(before int, fall float64) float64 {
	r := rand.New(rand.NewPCG(delays, mostDelay))
	all := make([]float64, delays)
	for i := range all {
		all[i] = g.delay(r, before, fall)
	}
	slices.Sort(all)
	return all[delays/2]
}

// delay draws a series, and returns the number of nights from the change to the alarm.
func (g Gate) delay(r *rand.Rand, before int, fall float64) float64 {
	ref, watching, normals := newReference(g.Season), g.detectors(), normals()
	for i := range before + mostDelay {
		night := Night{Day: i, Value: normals[r.IntN(len(normals))]}
		if i >= before {
			night.Value -= fall
		}
		seen := ref.len()
		p := ref.add(night, uniform(r.Uint64()))
		if seen < g.BurnIn || math.IsNaN(p) {
			continue
		}
		switch evidence, _ := watching.add(p, i); {
		case evidence < g.Threshold:
		case i >= before:
			return float64(i - before + 1)
		default: // a false alarm, after which evidence begins anew
			watching = g.detectors()
		}
	}
	return math.Inf(1)
}

// normals are quantiles of the normal distribution, to draw from: the same bits everywhere.
var normals = sync.OnceValue(func() []float64 {
	const n = 4096
	var list []float64
	for i := range n / 2 {
		z := confidence.NormalQuantile((float64(i) + 0.5) / (n / 2))
		list = append(list, z, -z)
	}
	return list
})
