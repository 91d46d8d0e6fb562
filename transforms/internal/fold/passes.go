package fold

import (
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// The statistics of all slices may be more than a runner takes of a bundle; see lanes.Division.PartialBytes.
// The bundle then emits those of some slices, and its inputs once more for every further pass, which folds
// others:
//
//	inputs ─► all slices ─┬─► scores, and the statistics of the first slices, in the order of their hashes
//	                      └─► inputs ─┬─► statistics of the next slices
//	                                  └─► statistics of the last slices
//
// The first pass measures all statistics, and later passes compute the same ones. Their inputs are emitted as
// partials, because Flink writes all output of a step once for each step that consumes some of it, and most of it
// is scores.

// partialOverhead is more than what the encoding of a partial adds to the single thing that it holds.
const partialOverhead = 64

// kept holds the inputs of a bundle, in case that further passes need them.
type kept struct {
	lane    int // of one of the tasks
	inputs  []shuffle.TaskInput
	output  workers.Messages // of the inputs of one pass
	tooMany bool             // there is no further pass, because there is no room for the inputs of a single one
	buf     []byte
}

// roomForInputs returns the size of the inputs that the first pass may emit: half of its output. Shards are small;
// rows of examples, predictions in memory and millions of labels are not.
func roomForInputs(d *lanes.Division) int { return d.PartialBytes / 2 }

// add keeps the inputs of a task. Further passes need no bounds of scores and no plan of a search.
func (k *kept) add(t *task, d *lanes.Division) error {
	k.lane = t.lane
	first := len(k.inputs) == 0 // other tasks have the same labels and cuts
	for i := range t.inputs {
		in := &t.inputs[i]
		copied := in.Labels != nil || in.Cuts != nil
		if k.tooMany || in.Bounds != nil || in.Plan != nil || copied && !first {
			continue
		}
		var err error
		if k.buf, err = in.Append(k.buf[:0]); err != nil {
			return err
		}
		k.inputs = append(k.inputs, *in)
		if k.output.Add(len(k.buf)+partialOverhead) > roomForInputs(d) {
			*k = kept{tooMany: true}
		}
	}
	return nil
}

// passLane returns the lane of a further pass, which no other task has. Like other lanes, those of a pass are
// spread evenly over subtasks. Examples with rows in several row groups are folded in the same lanes as others, but
// as tasks of their own.
func (k *kept) passLane(number int, d *lanes.Division) int {
	number *= 2
	if slices.ContainsFunc(k.inputs, func(in shuffle.TaskInput) bool { return in.Rows != nil }) {
		number++
	}
	return number*d.Lanes + (k.lane+number)%d.Lanes
}

// roomForPasses is the number of passes for whose inputs the first pass leaves room, if there is that much.
const roomForPasses = 100

// divider emits the statistics of slices as long as they do not exceed the limit, and then the inputs of the
// passes that emit the others.
type divider struct {
	kept     *kept
	division *lanes.Division
	emit     func([]byte, shuffle.Partial)

	totals   int              // the size of the totals of scores of the slices to come, all of which the first pass emits
	room     int              // for inputs
	passes   []shuffle.Pass   // the further passes
	output   workers.Messages // of the last pass
	lastHash int
	buf      []byte
}

// newDivider returns the divider of what a folder emits.
func newDivider(f *folder, k *kept, emit func([]byte, shuffle.Partial)) *divider {
	d := &divider{kept: k, division: &f.job.Division, emit: emit}
	d.room = min(roomForPasses*k.output.Bytes(), roomForInputs(d.division))
	for _, m := range f.models() {
		if m.scores == nil {
			continue
		}
		for slice := range m.partials.slices {
			d.totals += totalsBytes(slice, new(m.scores.Totals(slice)))
		}
	}
	return d
}

// totalsBytes returns at least the size of a partial that has only the totals of scores of a slice.
func totalsBytes(slice string, t *shuffle.ScoreTotals) int {
	if t.Bytes() == 0 {
		return 0
	}
	return len(slice) + t.Bytes() + partialOverhead
}

// add emits the statistics of a slice or, if they belong to a further pass, only the totals of its scores. The
// slice of all examples must come first, and others in the order of their hashes.
func (d *divider) add(key string, p shuffle.Partial) (err error) {
	if d.buf, err = p.Append(d.buf[:0]); err != nil {
		return err
	}
	size, totals := len(key)+len(d.buf), totalsBytes(key, &p.Totals)
	d.totals -= totals
	after, limit := d.output, d.division.PartialBytes
	if len(d.passes) == 0 {
		limit -= d.totals + d.room
	}
	hash := shuffle.Hash(key)
	if after.Add(size) > limit && hash != d.lastHash && d.output.Bytes() > 0 && d.another() {
		d.begin(hash)
		after = workers.Messages{}
		after.Add(size)
	}
	d.output, d.lastHash = after, hash
	switch {
	case len(d.passes) == 0:
		d.emit([]byte(key), p)
	case totals > 0:
		only := shuffle.NewPartial()
		only.Totals = p.Totals
		d.emit([]byte(key), only)
	}
	return nil
}

// another reports whether there is room for the inputs of another pass. If there is none, the statistics exceed the
// limit, and the step that merges them returns the error.
func (d *divider) another() bool {
	return !d.kept.tooMany && (len(d.passes)+1)*d.kept.output.Bytes() <= d.room
}

// begin begins a further pass, with the slice of this hash.
func (d *divider) begin(hash int) {
	if last := len(d.passes) - 1; last >= 0 {
		d.passes[last].To = hash
	}
	d.passes = append(d.passes, shuffle.Pass{Number: len(d.passes) + 1, From: hash, To: math.MaxInt})
}

// finish emits the inputs of the further passes.
func (d *divider) finish() {
	for _, pass := range d.passes {
		lane := d.kept.passLane(pass.Number, d.division)
		for _, in := range d.kept.inputs {
			in.Pass, in.Lane = pass, lane
			p := shuffle.NewPartial()
			p.Again = []shuffle.TaskInput{in}
			d.emit(shuffle.InputKey(lane), p)
		}
	}
}

// AgainFn takes the inputs of further passes from the partials of slices.
type AgainFn struct{ Hashing lanes.Hashing }

// ProcessElement emits either a partial, or inputs with the key of their lane.
func (f *AgainFn) ProcessElement(key []byte, p shuffle.Partial, emit func([]byte, shuffle.Partial), emitInput func(int, shuffle.TaskInput)) {
	if len(p.Again) == 0 {
		emit(key, p)
	}
	for _, in := range p.Again {
		emitInput(f.Hashing.Key(in.Lane), in)
	}
}

func init() { beam.RegisterDoFn(reflect.TypeFor[AgainFn]()) }
