package fold

import (
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// search counts the losses of examples by the values of columns, for one stage of a search.
type search struct {
	job     *shuffle.Job
	slicer  *batches.Slicer
	columns *batches.SearchColumns
	losses  *metrics.LossEvaluator // nil if a column has the losses
	tracker *sliceline.Tracker     // nil for counts
	tracked []int                  // the columns whose values matter
	codes   [][]int32              // by tracked column and number of a value: its code for the tracker
	done    shuffle.Searched

	best     []int     // by tracked slice: its index in done.Stats, or -1
	rows     [][]int32 // by index in done.Stats: rows of a batch; empty between calls
	examples sliceline.Examples
	folds    []int32 // by row
	groups   batches.Grouping
}

// newSearch returns the search of a job. plan is nil if the stage counts.
func newSearch(j *shuffle.Job, slicer *batches.Slicer, plan *sliceline.Plan) (*search, error) {
	n := len(j.Search.Columns)
	s := &search{job: j, slicer: slicer, columns: batches.NewSearchColumns(j, slicer), codes: make([][]int32, n)}
	s.examples.Numbers = make([][]int32, n)
	var err error
	if !j.Search.OfColumn {
		s.losses, err = j.Params.NewLossEvaluator(j.Search.Measure, j.Decision.Threshold)
	}
	if plan == nil {
		s.done.Counts = sliceline.NewCounts(n, j.Search.MostValues)
		for i := range n {
			s.tracked = append(s.tracked, i)
		}
		return s, err
	}
	s.done.Plan, s.done.Sums = plan, new(sliceline.Sums)
	s.tracker = sliceline.NewTracker(plan)
	s.tracked = s.tracker.Columns()
	if err == nil && j.Stage == shuffle.Confirm && !j.Search.Unconfirmed {
		err = s.evaluate(j)
	}
	return s, err
}

// evaluate prepares the statistics of the slices that were found.
func (s *search) evaluate(j *shuffle.Job) error {
	params, ok := shuffle.OfFound(&j.Params)
	if !ok {
		return nil
	}
	s.best, s.rows = s.done.Plan.BestOf(), make([][]int32, len(s.done.Plan.Best))
	for range s.rows {
		stats, err := params.New()
		if err != nil {
			return err
		}
		s.done.Stats = append(s.done.Stats, stats)
	}
	return nil
}

// fold adds rows of the slices that were found to their statistics.
func (s *search) fold(b *metrics.Batch) error {
	for i, rows := range s.rows {
		s.done.Stats[i].Fold(b, rows)
		if s.rows[i] = rows[:0]; s.done.Stats[i].Err() != nil {
			return s.done.Stats[i].Err()
		}
	}
	return nil
}

// add adds examples in rows of a batch. Those without weight count for no metric, so they are left
// out.
func (s *search) add(from *batches.Batch, b *metrics.Batch, rows, tuples []int32) error {
	s.number(from, rows)
	e := &s.examples
	e.Rows, e.Weights, e.Errors = e.Rows[:0], b.Weight, collections.Resize(e.Errors, b.Rows)
	s.folds = collections.Resize(s.folds, b.Rows)
	for _, r := range rows {
		fold := s.slicer.Fold(tuples[r])
		if !s.wants(fold) || b.Weight != nil && b.Weight[r] == 0 {
			continue
		}
		loss := s.loss(from, b, r)
		if !(loss >= 0 && loss <= math.MaxFloat64) {
			if s.tracker == nil {
				s.done.Counts.Undefined++
			}
			continue
		}
		e.Errors[r], s.folds[r], e.Rows = loss, fold, append(e.Rows, r)
	}
	switch {
	case len(e.Rows) == 0:
	case s.tracker == nil:
		s.done.Counts.Add(e)
	case s.job.Stage == shuffle.Seek:
		s.tracker.Add(s.done.Sums, 0, e, nil)
	default:
		for fold, rows := range s.groups.By(s.folds, e.Rows) {
			some := *e
			some.Rows = rows
			s.tracker.Add(s.done.Sums, fold, &some, s.collect)
		}
		return s.fold(b)
	}
	return nil
}

// collect collects a row of a tracked slice for fold.
func (s *search) collect(slice int, row int32) {
	if s.best != nil && s.best[slice] >= 0 {
		s.rows[s.best[slice]] = append(s.rows[s.best[slice]], row)
	}
}

// loss returns the loss of row r.
func (s *search) loss(from *batches.Batch, b *metrics.Batch, r int32) float64 {
	if s.losses == nil {
		return s.columns.Loss(from, r)
	}
	loss, _ := s.losses.Loss(b, r)
	return loss
}

// idle reports whether there are no candidates to count. s may be nil.
func (s *search) idle() bool {
	return s != nil && s.job.Stage == shuffle.Seek && !s.done.Plan.Sought
}

// wants reports whether the stage counts examples of a fold: the even ones are searched, and the odd
// ones confirm.
func (s *search) wants(fold int32) bool {
	if s.job.Search.Unconfirmed {
		return s.job.Stage != shuffle.Confirm
	}
	return fold >= 0 && fold%2 == 1 == (s.job.Stage == shuffle.Confirm)
}

// number sets the numbers of the values of all rows that are not bad, whether the stage wants them or
// not: which columns have too many values does not depend on the division into folds.
func (s *search) number(from *batches.Batch, rows []int32) {
	for _, i := range s.tracked {
		if s.tracker == nil && s.done.Counts.LeftOut(i) {
			continue
		}
		known, out := s.columns.Values(i), collections.Resize(s.examples.Numbers[i], from.Rows)
		s.examples.Numbers[i] = out
		s.columns.Numbers(out, i, rows, from)
		for ; known < s.columns.Values(i); known++ {
			value := s.columns.Value(i, int32(known))
			if s.tracker != nil {
				s.codes[i] = append(s.codes[i], s.tracker.Code(i, value))
			} else if _, ok := s.done.Counts.Number(i, value); !ok {
				s.columns.Forget(i)
				break
			}
		}
		if s.tracker != nil {
			for _, r := range rows {
				out[r] = s.codes[i][out[r]]
			}
		}
	}
}

// prepare leaves columns that do not matter out of the names of those to read, and forgets the strings
// of columns that are left out of the search: there may be many.
func (s *search) prepare(names []string, dicts batches.Dictionaries) {
	if s.tracker == nil {
		s.tracked = slices.DeleteFunc(s.tracked, func(i int) bool {
			left := s.done.Counts.LeftOut(i)
			if left {
				delete(dicts, s.columns.Name(i))
			}
			return left
		})
	}
	s.columns.Leave(names, s.slicer, s.tracked)
}

// readPlan reads a packed plan; it may be nil.
func readPlan(packed *shuffle.Spilled) (*sliceline.Plan, error) {
	if packed == nil {
		return nil, nil
	}
	plan := new(sliceline.Plan)
	return plan, shuffle.Unpack(packed, plan, sliceline.PlanFields)
}

// PlanFn makes the plan of the next stage of a search of what a stage has collected in the overall
// slice: an input of tasks. If a bad row ended the run, the plan is empty; the next fold ends with the
// same row.
type PlanFn struct {
	Search input.Search
	Spill  shuffle.Spill

	progress workers.Progress
}

// Setup creates the counters of slices that are tried.
func (f *PlanFn) Setup() { f.progress = workers.NewProgress() }

// ProcessElement emits the plan.
func (f *PlanFn) ProcessElement(ctx context.Context, key []byte, p shuffle.Partial, emit func(shuffle.TaskInput)) error {
	if string(key) != shuffle.Overall {
		return nil
	}
	plan := new(sliceline.Plan)
	switch s := p.Search; {
	case s == nil: // no rows, or a bad one
	case s.Plan == nil:
		plan = s.Counts.Plan(f.Search.Options(), func(more int) { f.progress.Tried(ctx, more) })
	default:
		if *plan = *s.Plan; plan.Sought {
			plan.Add(s.Sums, f.Search.Options())
		}
	}
	packed, err := shuffle.Pack(&f.Spill, plan, sliceline.PlanFields)
	if err != nil {
		return workers.Mark(err)
	}
	emit(shuffle.TaskInput{Plan: &packed})
	return workers.Mark(f.Spill.Close())
}

// Teardown removes the remains of a failed bundle.
func (f *PlanFn) Teardown() { f.Spill.Abandon() }

func init() {
	beam.RegisterDoFn(reflect.TypeFor[PlanFn]())
}
