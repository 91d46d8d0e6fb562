package comparison

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
)

// comparisonFile is the comparison.json of two reports; see [tabular.WriteObject] for the layout.
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
	Visible  *tabular.Rows[Visible]           `json:"visible,omitempty" layout:"lines"`
	Why      *tabular.Rows[Why]               `json:"why,omitempty" layout:"lines"`
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
	file := c.file()
	file.Schema, file.Task, file.A, file.B, file.Pairing, file.Level, file.Adjust = schema, quote.Valid(c.Task), a, b, c.Pairing, c.Level, c.Adjust
	file.Counts = countsJSON{c.count(Worse), c.count(Better), c.count(NoSignificantChange), c.count(Unsure)}
	file.Headline, file.Options, file.Warnings = collections.Map(c.Headline, quote.Valid), c.Options, collections.Map(c.Warnings, quote.Valid)
	return tabular.WriteObject(w, file)
}

// file returns a file with the rows of c.
func (c *Comparison) file() comparisonFile {
	return comparisonFile{
		Gates: report.GatesJSON(c.Gates), Visible: tabular.RowsOf("visible", columnsOfVisible(), c.Visible),
		Why: tabular.RowsOf("division", ColumnsOfWhy(), c.Why), Changes: differences.Table.JSON(c.Changes),
	}
}

// ReadResult reads the comparison.json of a comparison or a leaderboard.
func ReadResult(data []byte) (Result, error) {
	var file struct{ Schema string }
	if json.Unmarshal(data, &file) == nil && file.Schema == leaderboardSchema {
		return ReadLeaderboard(data)
	}
	return Read(data)
}

// Read reads the comparison.json of two reports. Curves and queries are in other files, which it does
// not read. A null number becomes NaN.
func Read(data []byte) (*Comparison, error) {
	file := new(Comparison).file()
	err := tabular.ParseObject(data, &file, &file.Schema, schema, cure)
	if err == nil {
		err = cmp.Or(checkTests(file.Level, file.Adjust, Adjustments()), quote.OneOf("pairing", file.Pairing, differences.Pairings()))
	}
	if err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	return &Comparison{
		Task: file.Task, A: file.A, B: file.B, Pairing: file.Pairing, Level: file.Level, Adjust: file.Adjust, Headline: file.Headline,
		Gates: file.Gates.Read(), Visible: file.Visible.Read(), Why: file.Why.Read(), Options: file.Options, Warnings: report.OrNil(file.Warnings), Changes: file.Changes.Read(),
	}, nil
}

// cure says what to do with a file of another schema.
const cure = "compare again, or use the version of beameval that wrote the comparison"

// checkTests returns an error if a value is invalid: a file may have been edited.
func checkTests(level float64, adjust Adjustment, all []Adjustment) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("level: %v: expected a number between 0 and 1", level)
	}
	return quote.OneOf("adjust", adjust, all)
}
