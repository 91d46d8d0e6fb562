package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// comparisonFile is comparison.json; see [jsonWriter] for the layout.
type comparisonFile struct {
	Schema   string         `json:"schema"`
	Task     string         `json:"task"`
	A        comparedJSON   `json:"a"`
	B        comparedJSON   `json:"b"`
	Pairing  Pairing        `json:"pairing"`
	Level    float64        `json:"level"`
	Adjust   Adjustment     `json:"adjust"`
	Counts   countsJSON     `json:"verdicts"`
	Gates    []gateJSON     `json:"gates,omitempty" layout:"lines"`
	Options  []OptionChange `json:"options,omitempty" layout:"lines"`
	Changes  []changeJSON   `json:"differences" layout:"lines"`
	Warnings []string       `json:"warnings" layout:"lines"`
}

type comparedJSON struct {
	Report   string `json:"report"`
	Examples int64  `json:"examples"`
	Groups   int    `json:"groups,omitempty"`
}

type countsJSON struct {
	Worse    int64 `json:"worse"`
	Better   int64 `json:"better"`
	NotShown int64 `json:"not shown"`
	Unknown  int64 `json:"unknown"`
}

// changeJSON is a difference in comparison.json. Unknown numbers are null.
type changeJSON struct {
	Name       string    `json:"name"`
	Slice      slice.Key `json:"slice"`
	Label      *string   `json:"label"`
	A          *float64  `json:"a"`
	B          *float64  `json:"b"`
	Difference *float64  `json:"difference"`
	StdError   *float64  `json:"std_error"`
	Low        *float64  `json:"ci_low"`
	High       *float64  `json:"ci_high"`
	DOF        *float64  `json:"dof"`
	Groups     int       `json:"groups"`
	PValue     *float64  `json:"p_value"`
	PAdjusted  *float64  `json:"p_adjusted"`
	Pairing    string    `json:"pairing"`
	Verdict    string    `json:"verdict"`
	Reason     string    `json:"reason,omitempty"`
}

func (c *Comparison) writeJSON(w io.Writer) error {
	compared := func(x Compared) comparedJSON { return comparedJSON{quote.Valid(x.Name), x.Examples, x.Groups} }
	j := newJSONWriter(w)
	j.members(reflect.ValueOf(comparisonFile{
		Schema: comparisonSchema, Task: quote.Valid(c.Task), A: compared(c.A), B: compared(c.B), Pairing: c.Pairing, Level: c.Level, Adjust: c.Adjust,
		Counts:   countsJSON{c.count(Worse), c.count(Better), c.count(NotShown), c.count(Unsure)},
		Gates:    mapped(c.Gates, func(g GateResult) gateJSON { return g.json() }),
		Options:  c.Options,
		Warnings: mapped(c.Warnings, quote.Valid),
		Changes: mapped(c.Changes, func(d Change) changeJSON {
			return changeJSON{
				quote.Valid(d.Name), d.Slice, labelText(d.Label), finiteOrNil(d.A), finiteOrNil(d.B), finiteOrNil(d.Difference),
				finiteOrNil(d.StdError), finiteOrNil(d.Low), finiteOrNil(d.High), finiteOrNil(d.DOF), d.Groups,
				finiteOrNil(d.PValue), finiteOrNil(d.PAdjusted), string(d.Pairing), string(d.Verdict), quote.Valid(d.Reason),
			}
		}),
	}), "\n")
	j.buf.WriteByte('\n')
	return j.flush()
}

// ReadComparison reads a comparison.json. Curves and queries have files of their own, which it
// does not read. A number that is null becomes NaN.
func ReadComparison(data []byte) (*Comparison, error) {
	var file comparisonFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	if file.Schema != comparisonSchema {
		return nil, fmt.Errorf("comparison: the schema is %q, not %q: compare again, or use the version of beameval that wrote the comparison", file.Schema, comparisonSchema)
	}
	if err := file.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	compared := func(x comparedJSON) Compared { return Compared{Name: x.Report, Examples: x.Examples, Groups: x.Groups} }
	return &Comparison{
		Task: file.Task, A: compared(file.A), B: compared(file.B), Pairing: file.Pairing, Level: file.Level, Adjust: file.Adjust,
		Gates:    mapped(file.Gates, gateJSON.result),
		Options:  file.Options,
		Warnings: orNil(file.Warnings),
		Changes:  mapped(file.Changes, changeJSON.change),
	}, nil
}

// check finds values that no comparison has. A file may have been edited.
func (file *comparisonFile) check() error {
	if !(file.Level > 0 && file.Level < 1) {
		return fmt.Errorf("level: %v: expected a number between 0 and 1", file.Level)
	}
	if err := cmp.Or(oneOf("pairing", file.Pairing, pairings), oneOf("adjust", file.Adjust, Adjustments())); err != nil {
		return err
	}
	for i, d := range file.Changes {
		if err := d.check(); err != nil {
			return fmt.Errorf("difference %d: %w", i+1, err)
		}
	}
	return checkGates(file.Gates)
}

// check finds values that no difference has. One without a slice is of all examples.
func (c *changeJSON) check() error {
	return cmp.Or(oneOf("pairing", Pairing(c.Pairing), pairings), oneOf("verdict", ChangeVerdict(c.Verdict), changeVerdicts))
}

// oneOf is an error unless a value is one of those that a key may have.
func oneOf[T ~string](key string, value T, all []T) error {
	if slices.Contains(all, value) {
		return nil
	}
	return fmt.Errorf("%s: %s: expected one of %q", key, quote.Value(string(value)), all)
}

func (c changeJSON) change() Change {
	number := func(x *float64) float64 { return *cmp.Or(x, &nan) }
	d := Change{
		Name: c.Name, Slice: c.Slice, A: number(c.A), B: number(c.B), Difference: number(c.Difference),
		StdError: number(c.StdError), DOF: number(c.DOF), Low: number(c.Low), High: number(c.High), Groups: c.Groups,
		PValue: number(c.PValue), PAdjusted: number(c.PAdjusted), Pairing: Pairing(c.Pairing), Verdict: ChangeVerdict(c.Verdict), Reason: c.Reason,
	}
	if c.Label != nil {
		d.Label = new(quote.Unescape(*c.Label))
	}
	return d
}
