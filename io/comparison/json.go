package comparison

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
)

// comparisonFile is comparison.json; see [report.WriteObject] for the layout.
type comparisonFile struct {
	Schema   string                           `json:"schema"`
	Task     string                           `json:"task"`
	A        Compared                         `json:"a"`
	B        Compared                         `json:"b"`
	Pairing  Pairing                          `json:"pairing"`
	Level    float64                          `json:"level"`
	Adjust   Adjustment                       `json:"adjust"`
	Headline []string                         `json:"headline,omitempty"`
	Counts   countsJSON                       `json:"verdicts"`
	Gates    *tabular.Rows[report.GateResult] `json:"gates,omitempty" layout:"lines"`
	Options  []OptionChange                   `json:"options,omitempty" layout:"lines"`
	Changes  *tabular.Rows[Change]            `json:"differences" layout:"lines"`
	Warnings []string                         `json:"warnings" layout:"lines"`
}

type countsJSON struct {
	Worse               int64 `json:"worse"`
	Better              int64 `json:"better"`
	NoSignificantChange int64 `json:"no significant change"`
	Unknown             int64 `json:"unknown"`
}

// WriteJSON writes comparison.json as [Write] does, once c is sorted.
func (c *Comparison) WriteJSON(w io.Writer) error {
	a, b := c.A, c.B
	for _, x := range []*Compared{&a, &b} {
		x.Name, x.Model, x.Data, x.Date = quote.Valid(x.Name), quote.Valid(x.Model), quote.Valid(x.Data), quote.Valid(x.Date)
	}
	return report.WriteObject(w, comparisonFile{
		Schema: schema, Task: quote.Valid(c.Task), A: a, B: b, Pairing: c.Pairing, Level: c.Level, Adjust: c.Adjust, Headline: lists.Map(c.Headline, quote.Valid),
		Counts:   countsJSON{c.count(Worse), c.count(Better), c.count(NoSignificantChange), c.count(Unsure)},
		Gates:    report.GatesJSON(c.Gates),
		Options:  c.Options,
		Warnings: lists.Map(c.Warnings, quote.Valid),
		Changes:  differences.JSON(c.Changes),
	})
}

// Read reads a comparison.json. Curves and queries are in other files, which it does not read. A
// null number becomes NaN.
func Read(data []byte) (*Comparison, error) {
	file := comparisonFile{Gates: report.GatesJSON(nil), Changes: differences.JSON(nil)}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("comparison: the schema is %q, not %q: compare again, or use the version of beameval that wrote the comparison", file.Schema, schema)
	}
	if err := file.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	return &Comparison{
		Task: file.Task, A: file.A, B: file.B, Pairing: file.Pairing, Level: file.Level, Adjust: file.Adjust, Headline: file.Headline,
		Gates:    file.Gates.Read(),
		Options:  file.Options,
		Warnings: report.OrNil(file.Warnings),
		Changes:  file.Changes.Read(),
	}, nil
}

// check returns an error if a value is invalid: a file may have been edited.
func (file *comparisonFile) check() error {
	if !(file.Level > 0 && file.Level < 1) {
		return fmt.Errorf("level: %v: expected a number between 0 and 1", file.Level)
	}
	return cmp.Or(
		quote.OneOf("pairing", file.Pairing, differences.Pairings()), quote.OneOf("adjust", file.Adjust, Adjustments()))
}
