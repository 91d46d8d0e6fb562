package synthetic

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// memory keeps files in memory.
type memory struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
}

func (m *memory) create(name string) (io.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]*bytes.Buffer{}
	}
	m.files[name] = new(bytes.Buffer)
	return m.files[name], nil
}

func write(t *testing.T, s Spec) map[string][]byte {
	t.Helper()
	var m memory
	summary, err := Write(context.Background(), s, m.create)
	require.NoError(t, err)
	require.Equal(t, max(1, s.Files), summary.Files)
	require.Equal(t, s.Rows, summary.Rows)
	written := map[string][]byte{}
	for name, content := range m.files {
		written[name] = content.Bytes()
		if name != ConfigFile {
			summary.Bytes -= int64(content.Len())
		}
	}
	require.Zero(t, summary.Bytes)
	return written
}

// open opens the files of predictions in the order of their rows.
func open(t *testing.T, written map[string][]byte) []*parquet.File {
	t.Helper()
	var files []*parquet.File
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if strings.HasPrefix(name, "part-") {
			f, err := parquet.OpenFile(bytes.NewReader(written[name]), int64(len(written[name])))
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	return files
}

// read returns all rows as values of a struct with the columns of interest.
func read[T any](t *testing.T, s Spec) []T {
	t.Helper()
	var rows []T
	for _, f := range open(t, write(t, s)) {
		part := make([]T, f.NumRows())
		r := parquet.NewGenericReader[T](f)
		n, err := r.Read(part)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
		}
		require.Len(t, part, n)
		rows = append(rows, part...)
	}
	return rows
}

// variants has a Spec for every form of every column.
func variants() map[string]Spec {
	slice := []Slice{{"country", 5}, {"device", 300}}
	all := map[string]Spec{
		"binary":          {Task: Binary, Weights: true, Predictions: true, Slices: slice},
		"binary logit 32": {Task: Binary, ScoreType: Logit, Float: 32, Predictions: true},
		"multiclass":      {Task: Multiclass, Predictions: true, Slices: slice},
		"multiclass 32":   {Task: Multiclass, Labels: 3, ScoreType: Logit, Float: 32},
		"indices":         {Task: Multilabel, Predictions: true, Weights: true, Slices: slice},
		"names":           {Task: Multilabel, LabelEncoding: Names, Float: 32, Predictions: true},
		"indicator":       {Task: Multilabel, LabelEncoding: Indicator, ScoreType: Logit, Predictions: true},
		"one label":       {Task: Multilabel, Labels: 1},
		"many labels":     {Task: Multilabel, Labels: 1500, Rows: 30},
		"ranking":         {Task: Ranking, Slices: slice, Weights: true},
		"ranking lists":   {Task: Ranking, Layout: LayoutExample, Items: 7, Float: 32, Rows: 300},
		"long":            {Task: Multilabel, Layout: LayoutLabel, Predictions: true, Float: 32, Slices: slice},
		"long indices":    {Task: Multilabel, Layout: LayoutLabel, LabelEncoding: Indices, Labels: 3, ScoreType: Logit},
		"regression":      {Task: Regression, Weights: true, Slices: slice},
		"regression 32":   {Task: Regression, Float: 32},
		"unlabelled":      {Task: Binary, Unlabelled: 0.5},
		"preference":      {Task: Preference, Weights: true, Slices: slice},
		"grade":           {Task: Grade, Attempts: 3, Weights: true, Slices: slice},
		"agreement":       {Task: Agreement, Labels: 3, Weights: true, Slices: slice},
	}
	for name, s := range all {
		if s.Rows == 0 {
			s.Rows = 2000
		}
		s.Seed = 7
		all[name] = s
	}
	return all
}
