package transforms

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// partial is what some rows contribute to one slice. Only the overall slice
// has counts of rows, and the metrics of single queries if they are reported.
type partial struct {
	stats   *metrics.Partial
	counts  rowCounts
	queries []spilled
}

// rowCounts says what became of input rows.
type rowCounts struct {
	Rows    int64 // of files, or in memory
	Read    int64 // examples, or rows that belong to none
	Skipped map[string]int64
	// TruthRead counts the examples that the truth has, where that is in other
	// files, and Unmatched those of them without a prediction.
	TruthRead, Unmatched int64
	Found                ingest.Findings
	// Sample lists the first skipped rows, by file, row group and row.
	Sample []report.SkippedRow
	// Failed is the first row that ends the run, if one does.
	Failed *badRow `json:",omitempty"`
}

// sampleSize is how many skipped rows are listed.
const sampleSize = 20

func (c *rowCounts) skip(row report.SkippedRow) {
	if c.Skipped == nil {
		c.Skipped = make(map[string]int64)
	}
	c.Skipped[row.Reason]++
	if len(c.Sample) < sampleSize || compareSkipped(row, c.Sample[sampleSize-1]) < 0 {
		c.sample(row)
	}
}

// lists says whether a bad row at this place would be listed, or end the run.
func (c *rowCounts) lists(at report.SkippedRow) bool {
	return (len(c.Sample) < sampleSize || compareSkipped(at, c.Sample[sampleSize-1]) < 0) &&
		(c.Failed == nil || (&badRow{At: at}).before(c.Failed))
}

func (c *rowCounts) sample(rows ...report.SkippedRow) {
	c.Sample = append(c.Sample, rows...)
	slices.SortFunc(c.Sample, compareSkipped)
	c.Sample = c.Sample[:min(len(c.Sample), sampleSize)]
}

// compareSkipped orders rows by place and, as predictions in memory may share
// one, by what is wrong with them.
func compareSkipped(a, b report.SkippedRow) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.RowGroup, b.RowGroup), cmp.Compare(a.Row, b.Row),
		strings.Compare(a.Reason, b.Reason), strings.Compare(a.Column, b.Column), strings.Compare(a.Value, b.Value),
	)
}

func (c *rowCounts) merge(from *rowCounts) {
	c.Rows += from.Rows
	c.Read += from.Read
	c.TruthRead += from.TruthRead
	c.Unmatched += from.Unmatched
	c.Found.Merge(&from.Found)
	for reason, n := range from.Skipped {
		if c.Skipped == nil {
			c.Skipped = make(map[string]int64)
		}
		c.Skipped[reason] += n
	}
	c.sample(from.Sample...)
	c.fail(from.Failed)
}

// encodePartial is the counts, which are few, so that JSON will do, the metrics of
// queries, and the statistics.
func encodePartial(p partial) ([]byte, error) {
	stats := p.stats.Append(nil)
	head, err := json.Marshal(p.counts)
	if err != nil {
		return nil, fmt.Errorf("encoding row counts: %w", err)
	}
	var w writer
	w.string(string(head))
	writeList(&w, p.queries, func(s spilled) { w.spilled(&s) })
	return append(w.buf, stats...), nil
}

// decodeCounts decodes the counts of a partial from the front of its bytes.
func decodeCounts(r *reader) (counts rowCounts, err error) {
	head := r.bytes(r.length())
	if r.err != nil {
		return counts, r.err
	}
	if err := json.Unmarshal(head, &counts); err != nil {
		return counts, fmt.Errorf("decoding row counts: %w", err)
	}
	return counts, nil
}

func decodePartial(data []byte) (p partial, err error) {
	r := reader{buf: data}
	if p.counts, err = decodeCounts(&r); err != nil {
		return p, err
	}
	p.queries = readList(&r, r.spilled)
	if r.err != nil {
		return p, r.err
	}
	p.stats, err = metrics.DecodePartial(r.buf)
	return p, err
}

// mergeFn merges the partials of a slice.
type mergeFn struct{}

// CreateAccumulator returns an empty partial, which the others merge into: an
// input may have other readers, and must stay as it is.
func (mergeFn) CreateAccumulator() partial { return emptyPartial() }

// AddInput merges a partial into an accumulator.
func (mergeFn) AddInput(acc, in partial) partial { return merge(acc, in) }

// MergeAccumulators merges two accumulators into the first.
func (mergeFn) MergeAccumulators(a, b partial) partial { return merge(a, b) }

func merge(into, from partial) partial {
	into.stats.Merge(from.stats)
	into.counts.merge(&from.counts)
	into.queries = append(into.queries, from.queries...)
	return into
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[partial](), encodePartial, decodePartial)
	register.Function1x2(encodePartial)
	register.Function1x2(decodePartial)
	register.Combiner1[partial](&mergeFn{})
}
