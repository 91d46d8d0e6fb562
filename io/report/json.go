package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/report/tabular"
)

// Schema is the schema named in metrics.json.
const Schema = "beameval.report/v1"

// maxInline is the maximum number of classes or labels in the confusion matrices of metrics.json.
const maxInline = 50

// fileJSON is metrics.json; see [tabular.WriteObject] for the layout.
type fileJSON struct {
	Schema     string                    `json:"schema"`
	Task       string                    `json:"task"`
	Rows       RowCounts                 `json:"rows"`
	Examples   int64                     `json:"examples"`
	Labels     []string                  `json:"labels" layout:"lines"`
	NumLabels  int                       `json:"num_labels,omitempty"`
	Config     json.RawMessage           `json:"config" layout:"indented"`
	Confidence *confidenceJSON           `json:"confidence,omitempty" layout:"members"`
	Gates      *tabular.Rows[GateResult] `json:"gates,omitempty" layout:"lines"`
	Baseline   *Baseline                 `json:"baseline,omitempty"`
	OwnMetrics []ownMetricJSON           `json:"own_metrics,omitempty" layout:"lines"`
	AllMetrics *allMetricsJSON           `json:"all_metrics,omitempty"`
	Tables     tabular.Tables            `json:"-"` // that files have, too
	Confusion  *confusionJSON            `json:"confusion" layout:"members"`
	Search     *searchJSON               `json:"search,omitempty" layout:"members"`
	Others     tabular.Tables            `json:"-"`
	Findings   []findings.Finding        `json:"findings,omitempty" layout:"lines"`
	Checks     []checks.Check            `json:"checks" layout:"lines"`
	Warnings   []string                  `json:"warnings" layout:"lines"`
}

// WriteJSON writes metrics.json. It is indented, but each metric row and each row of the confusion
// matrix is on one line, for grep and diff.
func (r *Report) WriteJSON(w io.Writer) error {
	file := fileJSON{
		Schema:     Schema,
		Task:       quote.Valid(r.Task),
		Rows:       r.Rows,
		Examples:   r.Examples,
		Labels:     collections.Map(r.Labels, quote.Escape),
		Config:     r.Config,
		Confidence: r.Confidence.json(),
		Gates:      GatesJSON(r.Gates),
		Baseline:   r.Baseline,
		OwnMetrics: ownMetrics(r.Meanings),
		Tables:     r.members(func(t table) bool { return t.parquet != nil }),
		Confusion:  r.ConfusionOf(maxInline).json(),
		Search:     r.Search.json(),
		Others:     r.members(func(t table) bool { return t.parquet == nil }),
		Findings:   findings.JSON(r.Findings),
		Checks:     checks.JSON(r.Checks),
		Warnings:   collections.Map(r.Warnings(), quote.Valid),
	}
	if r.Omits() {
		file.AllMetrics = &allMetricsJSON{MetricsParquet, len(r.Metrics)}
	}
	if file.Rows.Skipped == nil {
		file.Rows.Skipped = map[string]int64{}
	}
	if r.NumLabels > len(r.Labels) {
		file.NumLabels = r.NumLabels
	}
	return tabular.WriteObject(w, file)
}

// Read reads a metrics.json, including the confusion matrices of the overall slice if there are few
// classes. Curves, thresholds, queries and replicates are in other files;
// see for example [Report.ReadReplicates]. A null value becomes NaN, a null end of an interval
// becomes infinite. Rows of the same slice share its key. It is an error if the file omits metric
// rows; see [Open].
func Read(data []byte) (*Report, error) {
	r, all, err := read(data)
	if err == nil && all != nil {
		err = errOmitted
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// read reads a metrics.json. If it omits metric rows, read also returns where all of them are.
func read(data []byte) (*Report, *allMetricsJSON, error) {
	file := fileJSON{Gates: GatesJSON(nil)}
	if err := tabular.ParseObject(data, &file, &file.Schema, Schema, "evaluate again, or use the version of beameval that wrote the report"); err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	r, err := report(&file)
	if err == nil {
		err = r.readMembers(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	all := file.AllMetrics
	if all == nil {
		return r, nil, nil
	}
	if all.File != MetricsParquet || all.Rows <= len(r.Metrics) {
		return nil, nil, fmt.Errorf("report: all_metrics is %d rows in %s, not more than %d rows in %s", all.Rows, quote.Short(all.File), len(r.Metrics), MetricsParquet)
	}
	return r, all, nil
}

// report returns the report that a file describes, without its tables.
func report(f *fileJSON) (*Report, error) {
	r := &Report{
		Task:      f.Task,
		Rows:      f.Rows,
		Examples:  f.Examples,
		Labels:    collections.Map(f.Labels, quote.Unescape),
		NumLabels: f.NumLabels,
		Gates:     f.Gates.Read(),
		Baseline:  f.Baseline,
		Search:    f.Search.search(),
		Findings:  findings.Read(f.Findings),
	}
	for _, m := range f.OwnMetrics {
		if r.Meanings == nil {
			r.Meanings = make(map[string]Meaning)
		}
		m.Own = true
		r.Meanings[m.Name] = m.Meaning
	}
	if len(r.Rows.Skipped) == 0 {
		r.Rows.Skipped = nil
	}
	if len(f.Config) > 0 && string(f.Config) != "null" {
		var config bytes.Buffer
		if err := json.Compact(&config, f.Config); err != nil {
			return nil, err
		}
		r.Config = config.Bytes()
	}
	var err error
	if r.Checks, err = checks.Read(OrNil(f.Checks), f.Warnings); err != nil {
		return nil, fmt.Errorf("checks: %w", err)
	}
	if r.Confidence, err = f.Confidence.folding(); err != nil {
		return nil, fmt.Errorf("confidence: %w", err)
	}
	if r.Confusion, err = f.Confusion.cells(); err != nil {
		return nil, fmt.Errorf("confusion: %w", err)
	}
	return r, nil
}

// ownMetricJSON describes a metric that the program added.
type ownMetricJSON struct {
	Name string `json:"name"`
	Meaning
}

// ownMetrics returns the metrics that the program added, sorted by name.
func ownMetrics(meanings map[string]Meaning) (list []ownMetricJSON) {
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		if m := meanings[name]; m.Own {
			m.Definition = quote.Valid(m.Definition)
			list = append(list, ownMetricJSON{quote.Valid(name), m})
		}
	}
	return list
}

// OrNil returns nil for an empty list, to restore it as it was before it was written.
func OrNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
