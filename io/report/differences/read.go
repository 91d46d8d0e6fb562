package differences

import (
	"cmp"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report/tabular"
)

// changeParquet is a row of a table of differences.
type changeParquet struct {
	Name       string   `parquet:"name"`
	Slice      string   `parquet:"slice"` // JSON
	Label      *string  `parquet:"label,optional"`
	A          *float64 `parquet:"a,optional"`
	B          *float64 `parquet:"b,optional"`
	Difference *float64 `parquet:"difference,optional"`
	StdError   *float64 `parquet:"std_error,optional"`
	Low        *float64 `parquet:"ci_low,optional"`
	High       *float64 `parquet:"ci_high,optional"`
	DOF        *float64 `parquet:"dof,optional"`
	Groups     int32    `parquet:"groups"`
	PValue     *float64 `parquet:"p_value,optional"`
	PAdjusted  *float64 `parquet:"p_adjusted,optional"`
	Pairing    string   `parquet:"pairing"`
	Verdict    string   `parquet:"verdict"`
	Reason     *string  `parquet:"reason,optional"`
}

// Read reads a Parquet file of a table of differences, which what describes in errors. Null numbers
// become NaN.
func Read(file columns.Source, what string) ([]Change, error) {
	list := []Change{}
	err := tabular.ReadRows[changeParquet](file, what, func(batch []columns.Column, i int) error {
		text := func(column int) *string { return tabular.TextAt(&batch[column], i) }
		number := func(column int) float64 { return tabular.NumberAt(&batch[column], i) }
		name, key, groups, pairing, verdict := text(0), text(1), &batch[10], text(13), text(14)
		if name == nil || key == nil || groups.Null != nil && groups.Null[i] || pairing == nil || verdict == nil {
			return fmt.Errorf("difference %d: a name, slice, number of groups, pairing or verdict is null", len(list)+1)
		}
		d := Change{
			Name: *name, Label: tabular.NameAt(&batch[2], i), A: number(3), B: number(4), Difference: number(5), StdError: number(6),
			Low: number(7), High: number(8), DOF: number(9), Groups: int(groups.Ints[i]), PValue: number(11), PAdjusted: number(12),
			Pairing: Pairing(*pairing), Verdict: Verdict(*verdict), Reason: *cmp.Or(text(15), new("")),
		}
		if err := cmp.Or(d.Slice.UnmarshalJSON([]byte(*key)), check(d.Pairing, d.Verdict)); err != nil {
			return fmt.Errorf("difference %d: %w", len(list)+1, err)
		}
		list = append(list, d)
		return nil
	})
	return list, err
}
