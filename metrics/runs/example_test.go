package runs_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/runs"
)

// Two workers make runs, of which a third sweeps the ROC curve of a slice.
func Example() {
	const negative, positive = 0, 1
	tags := []runs.Tag{{Class: 0, Slices: []int32{0}}, {Class: 1, Slices: []int32{0}}}
	var first, second runs.Builder
	first.Add(0.9, positive, 1)
	first.Add(0.4, negative, 1)
	second.Add(0.4, positive, 2)
	second.Add(0.1, negative, 0.5)

	merge := runs.NewMerge([]runs.Run{
		{Data: first.AppendRun(nil), Tags: []uint32{0, 1}},
		{Data: second.AppendRun(nil), Tags: []uint32{0, 1}},
	})
	sweep := runs.Sweep{Tags: tags, Positive: 1, Totals: make([]runs.Totals, 1)}
	err := sweep.Points(merge, func(p *runs.Point) {
		fmt.Println(p.Score, p.TP, p.FP)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0.9 1 0
	// 0.4 3 1
	// 0.1 3 1.5
}
