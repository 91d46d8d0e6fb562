package differences_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/slice"
)

func list() []differences.Change {
	nan := math.NaN()
	return []differences.Change{
		{Name: "f1", A: 0.5, B: 0.75, Difference: 0.25, StdError: 0.125, DOF: 7.5, Low: 0.1, High: 0.4, Groups: 20, PValue: 0.01, PAdjusted: 0.02, Pairing: differences.Paired, Verdict: differences.Better},
		{Name: "recall", Slice: slice.Key{{Column: "c", Value: slice.String("d\xff")}}, Label: new("x\xff"), A: nan, B: 1, Difference: nan, StdError: nan, DOF: nan, Low: nan, High: nan, PValue: nan, PAdjusted: nan,
			Pairing: differences.Untested, Verdict: differences.Unsure, Reason: "undefined in a"},
	}
}

// memory is a file in memory.
type memory struct{ *bytes.Reader }

func (memory) Name() string { return "differences.parquet" }

func written(t *testing.T, list []differences.Change) memory {
	var file bytes.Buffer
	require.NoError(t, differences.Table.WriteParquet(&file, nil, list))
	return memory{bytes.NewReader(file.Bytes())}
}

// TestFilesRestoreDifferences: what is written is read again, in both formats.
func TestFilesRestoreDifferences(t *testing.T) {
	read, err := differences.Table.ReadParquet(written(t, list()))
	require.NoError(t, err)
	labels := func(list []differences.Change) string {
		require.Len(t, list, 2)
		text := fmt.Sprintf("%s %s", *list[1].Label, list[1].Slice)
		list[1].Label = nil
		return fmt.Sprintf("%+v ", list) + text
	}
	want := labels(list())
	require.Equal(t, want, labels(read))

	data, err := json.Marshal(differences.Table.JSON(list()))
	require.NoError(t, err)
	decoded := differences.Table.JSON(nil)
	require.NoError(t, json.Unmarshal(data, decoded))
	require.Equal(t, want, labels(decoded.Read()))
}

// TestEditedDifferences: a file that was edited gives an error that says where.
func TestEditedDifferences(t *testing.T) {
	edited := list()
	edited[1].Verdict = "splendid"
	_, err := differences.Table.ReadParquet(written(t, edited))
	require.ErrorContains(t, err, `report: differences.parquet: row 2: verdict: "splendid": expected one of`)
	reread := func() error {
		data, err := json.Marshal(differences.Table.JSON(edited))
		require.NoError(t, err)
		return json.Unmarshal(data, differences.Table.JSON(nil))
	}
	require.EqualError(t, reread(), `difference 2: verdict: "splendid": expected one of ["worse" "better" "no significant change" "unknown"]`)
	edited = list()
	edited[0].Pairing = ""
	require.ErrorContains(t, reread(), `difference 1: pairing: ""`)
	_, err = differences.Table.ReadParquet(memory{bytes.NewReader([]byte("PAR1"))})
	require.ErrorContains(t, err, "report: differences.parquet: ")
}
