package export

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// writePrometheus writes metrics.prom in the text format for the textfile collector of the node
// exporter.
func writePrometheus(r *report.Report, w io.Writer) error {
	p := NewPrometheus(w, r.ColumnsOfSlices())
	p.report = r.Settings().Report.Title
	p.Family("beameval_metric", "Value of a metric. Undefined ones are left out.")
	for i := range r.Metrics {
		row := &r.Metrics[i]
		p.row("beameval_metric", row, row.Value)
	}
	if r.Confidence != nil {
		p.bounds("beameval_metric_ci_low", "Lower end of the confidence interval of a metric.", r.Metrics, func(c *report.Confidence) float64 { return c.Low })
		p.bounds("beameval_metric_ci_high", "Upper end of the confidence interval of a metric.", r.Metrics, func(c *report.Confidence) float64 { return c.High })
	}
	p.Count("beameval_examples", "Examples that were evaluated; queries, for ranking.", r.Examples)
	p.Count("beameval_rows_read", "Rows that were read.", r.Rows.Read)
	p.Count("beameval_rows_evaluated", "Rows that were evaluated.", r.Rows.Evaluated)
	p.skipped(r.Rows.Skipped)
	p.gates(r.Gates)
	return p.err
}

// Prometheus writes series in the text format of Prometheus. After the first error, it writes
// nothing.
type Prometheus struct {
	w       io.Writer
	line    bytes.Buffer
	report  string            // title of the report, if it has one
	columns map[string]string // names of Prometheus labels by column of slices
	err     error
}

// NewPrometheus returns a writer of series whose slices have the given columns.
func NewPrometheus(w io.Writer, sliceColumns []string) *Prometheus {
	s := &Prometheus{w: w, columns: map[string]string{}}
	taken := map[string]bool{}
	for _, column := range sliceColumns {
		name := tabular.SlicePrefix + labelName(column)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s%s_%d", tabular.SlicePrefix, labelName(column), n)
		}
		taken[name], s.columns[column] = true, name
	}
	return s
}

// Err returns the first error.
func (s *Prometheus) Err() error { return s.err }

// labelName replaces each character that the name of a label may not have with _.
func labelName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// Family starts the series of a name.
func (s *Prometheus) Family(name, help string) {
	fmt.Fprintf(&s.line, "# HELP %s %s\n# TYPE %[1]s gauge\n", name, help)
}

func (s *Prometheus) row(family string, row *report.Row, value float64) {
	s.Write(family, s.Labels(row.Name, row.Slice, row.Label), value)
}

func (s *Prometheus) bounds(family, help string, rows []report.Row, end func(*report.Confidence) float64) {
	s.Family(family, help)
	for i := range rows {
		if c := rows[i].Confidence; c.HasInterval() {
			s.row(family, &rows[i], end(c))
		}
	}
}

// Count writes a family of a single number.
func (s *Prometheus) Count(family, help string, n int64) {
	s.Family(family, help)
	s.Write(family, nil, float64(n))
}

func (s *Prometheus) skipped(byReason map[string]int64) {
	const family = "beameval_rows_skipped"
	s.Family(family, "Rows that were skipped, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		s.Write(family, []string{"reason", reason}, float64(byReason[reason]))
	}
}

func (s *Prometheus) gates(gates []report.GateResult) {
	if len(gates) == 0 {
		return
	}
	const each, all = "beameval_gate_failed", "beameval_gates"
	s.Family(each, "1 if a gate failed; 0 if it passed or is unknown.")
	written := map[string]bool{}
	for i := range gates {
		g := &gates[i]
		labels := s.Labels(g.Metric, g.Slice, g.Label)
		for name, limit := range g.Each() {
			labels = append(labels, strings.ReplaceAll(name, " ", "_"), limit)
		}
		if g.Sure {
			labels = append(labels, "sure", "true")
		}
		if id := strings.Join(labels, "\x00"); !written[id] { // a configuration may repeat a gate
			written[id] = true
			s.Write(each, labels, map[bool]float64{true: 1}[g.Verdict == report.Fail])
		}
	}
	s.Family(all, "Gates by verdict.")
	counts := report.CountVerdicts(gates)
	for _, verdict := range []report.Verdict{report.Fail, report.Pass, report.Unknown} {
		s.Write(all, []string{"verdict", string(verdict)}, float64(counts[verdict]))
	}
}

// Labels returns the labels of a metric as alternating names and values. A label with an empty
// value would count as missing.
func (s *Prometheus) Labels(metric string, key slice.Key, label *string) []string {
	labels := []string{"metric", metric}
	if label != nil {
		labels = append(labels, "label", slice.String(*label).Distinct())
	}
	for _, p := range key {
		labels = append(labels, s.columns[p.Column], p.Value.Distinct())
	}
	return labels
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Write writes a value with labels, which are alternating names and values. A value that is not
// finite is omitted, because NaN would spoil sums over series.
func (s *Prometheus) Write(family string, labels []string, value float64) {
	if !floats.Finite(value) {
		return
	}
	if s.report != "" {
		labels = append(labels, "report", s.report)
	}
	b := append(s.line.AvailableBuffer(), family...)
	separator := byte('{')
	for i := 0; i < len(labels); i += 2 {
		b = append(append(append(b, separator), labels[i]...), `="`...)
		b = append(append(b, labelEscapes.Replace(quote.Valid(labels[i+1]))...), '"')
		separator = ','
	}
	if len(labels) > 0 {
		b = append(b, '}')
	}
	b = append(strconv.AppendFloat(append(b, ' '), value+0, 'g', -1, 64), '\n')
	s.line.Write(b)
	if s.err == nil {
		_, s.err = s.line.WriteTo(s.w)
	}
	s.line.Reset()
}
