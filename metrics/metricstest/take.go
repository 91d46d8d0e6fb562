package metricstest

import (
	"reflect"

	"github.com/beameval/beameval/metrics"
)

// listed are the columns of a batch that have offsets: all others have the same number of values in
// each row.
var listed = map[string]bool{
	"Member": true, "MemberOffset": true, "Score": true, "Truth": true, "ItemOffset": true, "Relevance": true, "Judged": true, "ItemKey": true,
	"Category": true, "ItemFrequency": true, "MissedOffset": true, "Missed": true, "MissedKey": true,
	"Grade": true, "GradeOffset": true, "FurtherGrade": true, "Rating": true, "Rater": true, "RatingOffset": true,
}

// Take returns a batch of the given rows of b, in this order. It shares no memory with b.
func Take(b *metrics.Batch, rows []int32) *metrics.Batch {
	taken := &metrics.Batch{
		Rows: len(rows), Labels: b.Labels,
		True: takeSets(b.True, rows), PredictedSet: takeSets(b.PredictedSet, rows), BaselineSet: takeSets(b.BaselineSet, rows),
	}
	from, to := reflect.ValueOf(b).Elem(), reflect.ValueOf(taken).Elem()
	for i := range from.NumField() {
		if column := from.Field(i); column.Kind() == reflect.Slice && !column.IsNil() && !listed[from.Type().Field(i).Name] {
			width := column.Len() / max(b.Rows, 1)
			to.Field(i).Set(reflect.MakeSlice(column.Type(), 0, len(rows)*width))
			for _, r := range rows {
				to.Field(i).Set(reflect.AppendSlice(to.Field(i), column.Slice(int(r)*width, int(r+1)*width)))
			}
		}
	}
	taken.Member, taken.MemberOffset = takeLists(b.Member, b.MemberOffset, rows)
	taken.Grade, taken.GradeOffset = takeLists(b.Grade, b.GradeOffset, rows)
	for _, further := range b.FurtherGrade {
		some, _ := takeLists(further, b.GradeOffset, rows)
		taken.FurtherGrade = append(taken.FurtherGrade, some)
	}
	taken.Rating, taken.RatingOffset = takeLists(b.Rating, b.RatingOffset, rows)
	taken.Rater, _ = takeLists(b.Rater, b.RatingOffset, rows)
	switch {
	case b.ItemOffset != nil:
		taken.Score, taken.ItemOffset = takeLists(b.Score, b.ItemOffset, rows)
		taken.Relevance, _ = takeLists(b.Relevance, b.ItemOffset, rows)
		taken.Judged, _ = takeLists(b.Judged, b.ItemOffset, rows)
		taken.Missed, taken.MissedOffset = takeLists(b.Missed, b.MissedOffset, rows)
		taken.ItemKey, _ = takeLists(b.ItemKey, b.ItemOffset, rows)
		taken.Category, _ = takeLists(b.Category, b.ItemOffset, rows)
		taken.ItemFrequency, _ = takeLists(b.ItemFrequency, b.ItemOffset, rows)
		taken.MissedKey, _ = takeLists(b.MissedKey, b.MissedOffset, rows)
	case b.Candidates.Offset != nil:
		taken.Candidates = takeSets(b.Candidates, rows)
		taken.Score, _ = takeLists(b.Score, b.Candidates.Offset, rows)
		taken.Truth, _ = takeLists(b.Truth, b.Candidates.Offset, rows)
	default:
		taken.Score, taken.Truth = takeRows(b.Score, rows, b.Labels), takeRows(b.Truth, rows, b.Labels)
	}
	return taken
}

func takeRows[T any](column []T, rows []int32, width int) []T {
	if column == nil {
		return nil
	}
	taken := make([]T, 0, len(rows)*width)
	for _, r := range rows {
		taken = append(taken, column[int(r)*width:][:width]...)
	}
	return taken
}

// takeLists returns the lists of values of the given rows, with their offsets.
func takeLists[T any](column []T, offset, rows []int32) (taken []T, offsets []int32) {
	if offset == nil {
		return nil, nil
	}
	end := int32(0)
	offsets = []int32{0}
	for _, r := range rows {
		end += offset[r+1] - offset[r]
		offsets = append(offsets, end)
		if column != nil {
			taken = append(taken, column[offset[r]:offset[r+1]]...)
		}
	}
	return taken, offsets
}

func takeSets(s metrics.Sets, rows []int32) metrics.Sets {
	labels, offsets := takeLists(s.Label, s.Offset, rows)
	return metrics.Sets{Offset: offsets, Label: labels}
}

// scribble changes the values in all columns of a batch.
func scribble(b *metrics.Batch) { scribbleFields(reflect.ValueOf(b).Elem()) }

func scribbleFields(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			scribbleFields(f)
		case reflect.Slice:
			for j := range f.Len() {
				switch e := f.Index(j); e.Kind() {
				case reflect.Float64:
					e.SetFloat(0.123 - e.Float())
				case reflect.Bool:
					e.SetBool(!e.Bool())
				default:
					e.SetZero()
				}
			}
		}
	}
}
