package document

import (
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
)

// The numbers of decimals on the page of numbers that are neither small nor large: on cards, and in tables.
const (
	CardPlaces = 4
	CellPlaces = 3
)

// precision is with how many decimals the page shows the numbers of a column, or of a card. It is varied if [Number] decides
// for each of them, because they need exponents.
type precision int

const varied precision = -1

// decimalsOf returns the decimals of a column with these numbers, of which the largest decides: it has no more than usual
// decimals or two more digits, and no fewer than usual digits.
func decimalsOf(usual int, column ...float64) precision {
	most := 0.0
	for _, x := range column {
		if floats.Finite(x) {
			most = max(most, math.Abs(x))
		}
	}
	switch _, fixed := decimals(most); {
	case !fixed:
		return varied
	case most >= 100:
		return precision(max(0, usual-elementary.Exponent10(most)))
	case most > 0 && most < math.Pow10(1-usual):
		return precision(usual - 1 - elementary.Exponent10(most))
	}
	return precision(usual)
}

// text formats a number. What rounds to 0 has no sign.
func (p precision) text(x float64) string {
	if p == varied || !floats.Finite(x) {
		return Number(x)
	}
	shown := strconv.FormatFloat(x, 'f', int(p), 64)
	if strings.Trim(shown, "-0.") == "" {
		shown = strings.TrimPrefix(shown, "-")
	}
	return shown
}

// around formats a number with its interval: 0.715 ± 0.021 if the two halves are the same in the digits shown, and
// otherwise 0.715 [0.690, 0.735]. An end that is not finite is infinite.
func (p precision) around(x, low, high float64) string {
	shown, from, to := p.text(x), p.end(low, "-∞"), p.end(high, "∞")
	below, above := p.units(shown)-p.units(from), p.units(to)-p.units(shown)
	if below == above && p != varied { // not NaN
		return shown + " ±\u00a0" + p.text(below/math.Pow10(int(p)))
	}
	return shown + " [" + from + inBrackets + to + "]"
}

// inBrackets separates the ends of an interval, on the same line.
const inBrackets = ",\u00a0"

func (p precision) end(x float64, missing string) string {
	if !floats.Finite(x) {
		return missing
	}
	return p.text(x)
}

// units returns a number that text formatted in units of its last decimal; NaN for other texts.
func (p precision) units(shown string) float64 {
	n, err := strconv.ParseInt(strings.Replace(shown, ".", "", 1), 10, 64)
	if err != nil {
		return math.NaN()
	}
	return float64(n)
}

// WithInterval formats a number for the page, with its interval if it has one.
func WithInterval(x float64, around *report.Confidence, usual int) string {
	if p := decimalsOf(usual, x); around.HasInterval() && floats.Finite(x) {
		return p.around(x, around.Low, around.High)
	}
	return Fixed(x, usual)
}

// OnPage returns what formats the values of a column of rows, or of a card, for the page: all with the same decimals. It
// is like [Value] for rows that are nil or not finite. Counts have none.
func OnPage(usual int, column ...*report.Row) func(*report.Row) string {
	p := decimalsOf(usual, collections.Map(column, func(row *report.Row) float64 {
		if row == nil {
			return math.NaN()
		}
		return row.Value
	})...)
	return func(row *report.Row) string {
		switch {
		case row == nil:
			return ""
		case !floats.Finite(row.Value):
			return Number(row.Value)
		case row.Confidence.HasInterval():
			return p.around(row.Value, row.Confidence.Low, row.Confidence.High)
		case counts[row.Name]:
			return Value(row)
		case row.FiniteBounds() != nil && (p.end(row.Bounds.Low, "") != p.text(row.Value) || p.end(row.Bounds.High, "") != p.text(row.Value)):
			return p.around(row.Value, row.Bounds.Low, row.Bounds.High)
		}
		return p.text(row.Value)
	}
}

// Floats returns a column of numbers of items, which on the page all have the same decimals. Those that are not finite are
// missing.
func Floats[T any](of Output, name string, items []T, number func(T) float64, missing string) Cells[T] {
	text := Number
	if of == Page {
		text = decimalsOf(CardPlaces, collections.Map(items, number)...).text
	}
	return Numbers(name, func(item T) string {
		if x := number(item); floats.Finite(x) {
			return text(x)
		}
		return missing
	})
}
