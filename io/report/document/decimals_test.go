package document

import (
	"html/template"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// All numbers of a column have the same decimals, of which the largest decides.
func TestDecimalsOfColumns(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		column []float64
		want   []string
	}{
		{[]float64{0.5, 0.12345, 0, -0.0001, 1.0 / 3, nan}, []string{"0.500", "0.123", "0.000", "0.000", "0.333", "–"}},
		{[]float64{12.3456, 0.5}, []string{"12.346", "0.500"}},
		{[]float64{1234.56, 0.5, -3}, []string{"1235", "0", "-3"}},
		{[]float64{123.456, 7}, []string{"123.5", "7.0"}},
		{[]float64{0.00123, 0.0004}, []string{"0.00123", "0.00040"}},
		{[]float64{0, 0}, []string{"0.000", "0.000"}},
		{[]float64{1.5e-7, 0}, []string{"1.500e-07", "0.0000"}},
		{[]float64{1e7, inf}, []string{"1.000e+07", "–"}},
	} {
		var rows []*report.Row
		for _, x := range test.column {
			rows = append(rows, &report.Row{Name: "mae", Value: x})
		}
		shown := OnPage(CellPlaces, rows...)
		for i, row := range rows {
			require.Equal(t, test.want[i], shown(row), test.column)
		}
		require.Empty(t, shown(nil))
	}
	require.Equal(t, "12", OnPage(CellPlaces)(&report.Row{Name: "tp", Value: 12}), "counts have no decimals")
}

// An interval is ± where both halves are the same in the digits that are shown.
func TestIntervalsOfColumns(t *testing.T) {
	for _, test := range []struct {
		x, low, high float64
		want         string
	}{
		{0.7151, 0.6944, 0.7358, "0.715 ±\u00a00.021"},
		{0.7151, 0.6931, 0.7358, "0.715 [0.693,\u00a00.736]"},
		{-0.054, -0.1, -0.008, "-0.054 ±\u00a00.046"},
		{0.0002, -0.0003, 0.0007, "0.000200 ±\u00a00.000500"},
		{1, 1, 1, "1.000 ±\u00a00.000"},
		{1.5e-7, 1e-7, 2e-7, "1.500e-07 [1.000e-07,\u00a02.000e-07]"},
	} {
		row := &report.Row{Name: "f1", Value: test.x, Confidence: &report.Confidence{Low: test.low, High: test.high}}
		require.Equal(t, test.want, OnPage(CellPlaces, row)(row))
	}
	exact := func(low, high float64) string {
		row := &report.Row{Name: "roc_auc", Value: 0.75, Bounds: &report.Bounds{Low: low, High: high}}
		return OnPage(CellPlaces, row)(row)
	}
	require.Equal(t, "0.750", exact(0.7499, 0.7501))
	require.Equal(t, "0.750 ±\u00a00.010", exact(0.74, 0.76))
	require.Equal(t, "0.750 [0.740,\u00a0∞]", exact(0.74, math.Inf(1)))
}

// A table says what the page needs to know of its columns.
func TestColumnsOnPage(t *testing.T) {
	same := func(s string) string { return s }
	table := func(cells ...string) *Table {
		return TableOf(cells, Text("average_precision", same), Text("date", same), Numbers("value", same).Aside(), Text("reason", same).Aside())
	}
	require.Equal(t, []string{"average_", "precision"}, table("a").Columns[0].Breaks())
	require.Equal(t, []string{"", "one", "n aside", "one aside"}, table("2026-11-26", "").Classes())
	require.Equal(t, []string{"", "", "n aside", "aside"}, table("a text of several words", "").Classes())
	require.Equal(t, []string{"", "", "n aside", "aside"}, table("better").Classes(), "it cannot break")
	require.Equal(t, [2]string{"0.715", "±\u00a00.021"}, table("a").Split("0.715 ±\u00a00.021"))
	require.Equal(t, [2]string{"0.715", ""}, table("a").Split("0.715"))
	require.Equal(t, [2]string{"0.1 to 0.2", ""}, table("a").Split("0.1 to 0.2"))
	require.False(t, table("0.715 [0.690,\u00a00.736]").Narrow())
	wide := NumbersOf([][]string{{"country=de"}}, "slice")
	for range 12 {
		wide.Columns, wide.Rows[0] = append(wide.Columns, Column{Name: "f1", Number: true}), append(wide.Rows[0], "0.715 [0.690,\u00a00.736]")
	}
	require.True(t, wide.Narrow())
}

// A chart has as much room as its drawing and its words need.
func TestRoomOfPictures(t *testing.T) {
	size := func(width, height string) Picture {
		return Picture{SVG: template.HTML(`<svg viewBox="0 0 ` + width + " " + height + `" width="1">`)}
	}
	require.Equal(t, "r10", size("366", "300").Class())
	require.Equal(t, "broad r10", size("762", "300").Class())
	require.Equal(t, "wide r13", size("1158.5", "400").Class())
	open := size("366", "300")
	open.Open = true
	require.Equal(t, "open r10", open.Class())
	noted := size("366", "300")
	noted.Note = "A note that is so long that it takes several lines, which are three if each has about fifty-five characters, and no fewer."
	require.Equal(t, "r12", noted.Class())
	require.Equal(t, "r24", size("366", "5000").Class())
	require.Empty(t, Picture{}.Class())
}
