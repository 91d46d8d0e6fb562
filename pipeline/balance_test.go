package pipeline

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// An invented input, for make bench-balance.
var (
	balance     invented
	balanceRows = flag.Float64("balance.rows", 0, "rows of an invented input; 0 means that nothing is printed, -1 the table of docs/benchmarks.md")
)

func init() {
	flag.StringVar(&balance.runner, "balance.runner", "flink", "flink, spark or dataflow")
	flag.IntVar(&balance.files, "balance.files", 1000, "files")
	flag.IntVar(&balance.groups, "balance.groups", 10, "row groups of a file, whose sizes differ up to 100-fold")
	flag.IntVar(&balance.labels, "balance.labels", 1, "labels; 1 is a binary task")
	flag.IntVar(&balance.slices, "balance.slices", 5, "slices")
	flag.IntVar(&balance.subtasks, "balance.parallelism", 50, "subtasks")
}

// invented is an input that consists of footers only.
type invented struct {
	runner                   string
	rows                     int64
	files, groups            int
	labels, slices, subtasks int
}

// plan plans the input with exact curves.
func (in *invented) plan() (*Plan, error) {
	p := &Plan{spec: transforms.Spec{Params: metrics.Params{Task: metrics.Binary, Labels: 2, Scores: true, Decisions: true, Curves: metrics.ExactCurves}}}
	if in.labels > 1 {
		p.spec.Params.Task, p.spec.Params.Labels = metrics.Multilabel, in.labels
	}
	if err := p.spec.Params.Complete(); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 1))
	weights, total := make([]float64, in.files*in.groups), 0.0
	for i := range weights {
		weights[i] = 1 + 99*r.Float64()
		total += weights[i]
	}
	for f := range in.files {
		s := shard{input.Shard{File: fmt.Sprint("f", f), RowGroups: in.groups}, nil, int64(8*in.labels + 1)}
		for g := range in.groups {
			s.groups = append(s.groups, int64(float64(in.rows)*weights[f*in.groups+g]/total))
		}
		p.shards = append(p.shards, s)
	}
	var err error
	p.spec.Division, err = p.divide(in.runner)
	return p, err
}

// spread returns the bytes of each subtask, given the bytes of each key.
func (in *invented) spread(keys int, bytes func(key int) float64) (of []float64) {
	of = make([]float64, in.subtasks)
	for key := range keys {
		of[key%in.subtasks] += bytes(key) // see lanes.Hashing
	}
	return of
}

// slowest returns the most bytes of a subtask as a multiple of the mean.
func slowest(bytes []float64) float64 {
	return slices.Max(bytes) * float64(len(bytes)) / max(collections.Sum(slices.Values(bytes)), 1)
}

// perLane adds up sizes of shards by lane.
func (p *Plan) perLane(size func(s *shard) int64) []float64 {
	of := make([]float64, p.spec.Division.Lanes)
	for i := range p.shards {
		of[p.shards[i].Lane-1] += float64(size(&p.shards[i]))
	}
	return of
}

// partialBytes returns the size of the statistics of a slice whose labels all occur.
func (in *invented) partialBytes(p *Plan) (float64, error) {
	n, labels := 256, max(in.labels, 1)
	b := &metrics.Batch{Rows: n, Labels: labels, Score: make([]float64, n*labels), Truth: make([]bool, n*labels)}
	r := rand.New(rand.NewPCG(3, 3))
	b.True.Offset, b.PredictedSet.Offset = []int32{0}, []int32{0}
	for i := range b.Score {
		b.Score[i], b.Truth[i] = r.Float64(), r.IntN(2) == 0
		label := int32(i % labels)
		if b.Truth[i] {
			b.True.Label = append(b.True.Label, label)
		}
		if b.Score[i] >= 0.5 {
			b.PredictedSet.Label = append(b.PredictedSet.Label, label)
		}
		if int(label) == labels-1 {
			b.True.Offset = append(b.True.Offset, int32(len(b.True.Label)))
			b.PredictedSet.Offset = append(b.PredictedSet.Offset, int32(len(b.PredictedSet.Label)))
		}
		if in.labels == 1 {
			b.Class = append(b.Class, int32(map[bool]int{true: 1}[b.Truth[i]]))
			b.Predicted = append(b.Predicted, int32(map[bool]int{true: 1}[b.Score[i] >= 0.5]))
		}
	}
	b.Probability = b.Score
	partial, err := p.spec.Params.New()
	if err != nil {
		return 0, err
	}
	partial.Fold(b, metrics.AllRows(nil, n))
	return float64(len(partial.Append(nil))), partial.Err()
}

// line returns how the input is balanced, as a line of the table.
func (in *invented) line() (string, error) {
	p, err := in.plan()
	if err != nil {
		return "", err
	}
	partial, err := in.partialBytes(p)
	if err != nil {
		return "", err
	}
	const mb = 1e6
	d, scores := p.spec.Division, p.scoresOfRow()
	read := p.perLane((*shard).bytes)
	written := p.perLane(func(s *shard) int64 { return s.rows() * scores })
	bundles, bundle := d.Lanes, slices.Max(written)
	if !d.Bundles { // all lanes of a subtask
		bundles, bundle = in.subtasks, slices.Max(in.spread(d.Lanes, func(lane int) float64 { return written[lane] }))
	}
	total := float64(in.rows * scores)
	const (
		most  = 4 << 20 // scores of a range, of 32 MiB
		piece = 1 << 18 // scores that travel together
	)
	entries := int(in.rows) * in.labels
	ranges := (entries-1)/d.RangeScores(entries, (in.slices+1)*(in.labels+1), most) + 1
	traced, record := min(ranges, d.RangeLanes), min(total/float64(ranges), piece*scoreBytes)
	if d.RangeLanes == 0 { // a range is one record
		traced, record = ranges, total/float64(ranges)
	}
	ofSlices := partial * float64(in.slices+1)
	return fmt.Sprintf("| %.0e × %d | %d | %d | %d | %d | %.2f | %.4g | %d | %.2f | %.1f | %.0f | %.0f | %.3g | %.3g | %.3g |",
		float64(in.rows), in.labels, in.subtasks, in.slices, len(p.shards), d.Lanes,
		slowest(in.spread(d.Lanes, func(lane int) float64 { return read[lane] })),
		total/1e9, ranges, slowest(in.spread(traced, func(int) float64 { return total / float64(traced) })),
		record/mb, bundle/mb, total/float64(traced)/mb, ofSlices/mb, ofSlices*float64(bundles)/1e9,
		float64((in.slices+1)*p.spec.Params.Rows(in.labels))), nil
}

// TestBalance: on 200 subtasks, none reads more than 1.3 times the mean, nor on 2 that read 4 files.
func TestBalance(t *testing.T) {
	t.Parallel()
	for _, in := range []invented{
		{runner: "flink", rows: 1_000_000_000, files: 1000, groups: 10, labels: 1, slices: 5, subtasks: 200},
		{runner: "spark", rows: 1_000_000_000, files: 1000, groups: 20, labels: 100, slices: 5, subtasks: 200},
		{runner: "flink", rows: 4_000_000, files: 4, groups: 1, labels: 1, slices: 5, subtasks: 2},
	} {
		p, err := in.plan()
		require.NoError(t, err)
		if in.files == 4 {
			for i := range p.shards { // files of equal size
				p.shards[i].groups[0] = in.rows / 4
			}
			p.spec.Division, err = p.divide(in.runner)
			require.NoError(t, err)
		}
		read := p.perLane((*shard).bytes)
		require.LessOrEqual(t, slowest(in.spread(len(read), func(lane int) float64 { return read[lane] })), 1.3, "%+v", in)
	}
}

// TestPrintBalance prints how invented inputs are balanced: make bench-balance.
func TestPrintBalance(t *testing.T) {
	inputs := []invented{balance}
	switch balance.rows = int64(*balanceRows); {
	case balance.rows == 0:
		t.Skip("nothing to print")
	case balance.rows < 0:
		inputs = nil
		for _, size := range []invented{{rows: 1e9, labels: 1}, {rows: 1e9, labels: 100}, {rows: 1e11, labels: 1}} {
			for _, workers := range []int{50, 500} {
				for _, n := range []int{5, 5000} {
					in := balance
					in.rows, in.labels, in.subtasks, in.slices = size.rows, size.labels, workers, n
					in.files = int(max(1000, in.rows*int64(in.labels)/5e7)) // row groups of 5 M scores
					inputs = append(inputs, in)
				}
			}
		}
	default:
		inputs[0].rows = balance.rows
	}
	fmt.Println("| rows × labels | subtasks | slices | tasks | lanes | read, slowest/mean | scores, GB | ranges | scores, slowest/mean | record, MB | bundle that folds, MB | that traces, MB | partials of a bundle, MB | all partials, GB | metric rows |")
	fmt.Println("|---" + strings.Repeat("|--:", 14) + "|")
	for _, in := range inputs {
		line, err := in.line()
		require.NoError(t, err)
		fmt.Println(line)
	}
}
