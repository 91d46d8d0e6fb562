package fold

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// WindowLanes is the largest number of lanes into which the predictions of a window are divided.
// Each lane has its own statistics.
const WindowLanes = 16

// DealFn deals predictions out to lanes.
type DealFn struct {
	Lanes int

	next int
}

// ProcessElement returns the lane and the prediction.
func (f *DealFn) ProcessElement(p input.Prediction) (int, input.Prediction) {
	f.next++
	return f.next % f.Lanes, p
}

// PackWindowFn is PackFn for the predictions of one lane and window.
type PackWindowFn struct{ PackFn }

// ProcessElement packs all of the predictions.
func (f *PackWindowFn) ProcessElement(lane int, predictions func(*input.Prediction) bool, emit func(int, shuffle.TaskInput)) error {
	f.batches = lane
	var p input.Prediction
	for predictions(&p) {
		if err := f.PackFn.ProcessElement(p, emit); err != nil {
			return err
		}
	}
	return f.FinishBundle(emit)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[DealFn]())
	beam.RegisterDoFn(reflect.TypeFor[PackWindowFn]())
	register.Iter1[input.Prediction]()
}
