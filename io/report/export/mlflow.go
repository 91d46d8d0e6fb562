package export

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

const (
	// mlflowBatch is the maximum number of metrics that MLflow's server accepts at once.
	mlflowBatch = 1000
	// mlflowName is the maximum length of a name in bytes: MLflow allows 250 characters, and its
	// file store uses names as file names.
	mlflowName = 240
)

// writeMLflow writes metrics.jsonl for mlflow.log_metrics: objects of names and values, one on each
// line. The first one has the metrics of all examples; each of the others has metrics of one slice.
// Metrics without a value are omitted.
func writeMLflow(r *report.Report, w io.Writer) error {
	m := mlflow{w: w, taken: map[string]bool{}}
	m.add("rows_read", float64(r.Rows.Read))
	m.add("rows_evaluated", float64(r.Rows.Evaluated))
	m.add("rows_skipped", float64(collections.Sum(maps.Values(r.Rows.Skipped))))
	if len(r.Gates) > 0 {
		m.add("gates_failed", float64(r.Failed()))
	}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if i > 0 && row.Slice.Compare(r.Metrics[i-1].Slice) != 0 {
			m.flush()
		}
		if floats.Finite(row.Value) {
			m.add(m.name(row), row.Value)
		}
	}
	m.flush()
	return m.err
}

// mlflow writes metrics.jsonl.
type mlflow struct {
	w     io.Writer
	line  []byte
	n     int // number of metrics in line
	taken map[string]bool
	err   error
}

func (m *mlflow) add(name string, value float64) {
	if m.n == mlflowBatch {
		m.flush()
	}
	separator := byte(',')
	if m.n == 0 {
		separator = '{'
	}
	m.line = quote.AppendJSON(append(m.line, separator), name)
	m.line = floats.AppendJSON(append(m.line, ':'), value)
	m.n++
}

// flush ends a line. After the first error, it writes nothing.
func (m *mlflow) flush() {
	if m.n > 0 && m.err == nil {
		_, m.err = m.w.Write(append(m.line, '}', '\n'))
	}
	m.line, m.n = m.line[:0], 0
}

// name returns a unique name for a metric: slice/label/metric, such as "country is de/label
// beach/recall". If the name is taken or too long, it ends with a hash of what the metric is about.
func (m *mlflow) name(row *report.Row) string {
	var parts []string
	if len(row.Slice) > 0 {
		parts = append(parts, mlflowPart(mlflowSlice(row.Slice)))
	}
	if row.Label != nil {
		parts = append(parts, mlflowPart("label "+*row.Label))
	}
	name := strings.Join(append(parts, mlflowPart(row.Name)), "/")
	if len(name) > mlflowName || m.taken[name] {
		hash := fmt.Sprintf("-%x", sha256.Sum256(row.Key()))[:9]
		cut := min(len(name), mlflowName-len(hash))
		for !utf8.RuneStart((name + hash)[cut]) {
			cut--
		}
		name = strings.TrimRight(name[:cut], "/.") + hash
	}
	m.taken[name] = true
	return name
}

// mlflowSlice describes a slice: "country is de and age in 18 to 40".
func mlflowSlice(key slice.Key) string {
	var all []string
	for _, p := range key {
		switch low, high, ok := p.Value.Ends(); {
		case !ok:
			all = append(all, p.Column+" is "+p.Value.Distinct())
		case math.IsInf(low, -1):
			all = append(all, fmt.Sprintf("%s below %v", p.Column, high))
		case math.IsInf(high, 1):
			all = append(all, fmt.Sprintf("%s from %v", p.Column, low))
		default:
			all = append(all, fmt.Sprintf("%s from %v to %v", p.Column, low, high))
		}
	}
	return strings.Join(all, " and ")
}

// mlflowPart replaces the characters that names of metrics may not have: @ becomes _at_, as in
// MLflow's own ndcg_at_3, and others become _. A leading dot would be taken for a path.
func mlflowPart(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-. ", r) {
			return r
		}
		return '_'
	}, strings.ReplaceAll(quote.Valid(s), "@", "_at_"))
	if strings.HasPrefix(s, ".") {
		s = "_" + s[1:]
	}
	return s
}
