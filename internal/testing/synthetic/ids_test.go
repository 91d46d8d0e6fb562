package synthetic

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

type textItem struct {
	Query     string  `parquet:"query_id"`
	Doc       string  `parquet:"doc_id"`
	Relevance int32   `parquet:"relevance"`
	Score     float64 `parquet:"score"`
}

type integerItem struct {
	Query     string  `parquet:"query_id"`
	Doc       int64   `parquet:"doc_id"`
	Relevance int32   `parquet:"relevance"`
	Score     float64 `parquet:"score"`
}

// Ids are other spellings of the same numbers, and change nothing else.
func TestIDs(t *testing.T) {
	spec := Spec{Task: Ranking, Items: 10, Rows: 1000, Seed: 3, Shuffle: true}
	numbers := read[integerItem](t, spec)
	spec.IDs = Name
	for i, r := range read[textItem](t, spec) {
		require.Equal(t, "query_"+numbers[i].Query, r.Query)
		require.Regexp(t, `^doc_\d+$`, r.Doc)
		require.Equal(t, []any{numbers[i].Relevance, numbers[i].Score}, []any{r.Relevance, r.Score})
	}
	spec.IDs = UUID
	queries, docs := map[string]string{}, map[string]bool{}
	for i, r := range read[textItem](t, spec) {
		require.Regexp(t, "^[0-9a-f]{32}$", r.Doc)
		docs[r.Doc] = true
		if known := queries[r.Query]; known != "" {
			require.Equal(t, known, numbers[i].Query)
		}
		queries[r.Query] = numbers[i].Query
	}
	require.Len(t, docs, 1000)
	require.Len(t, queries, 100)
}

// rowsOf returns the rows of the files whose names begin with a prefix.
func rowsOf[T any](t *testing.T, written map[string][]byte, prefix string) (rows []T) {
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if !strings.HasPrefix(name, prefix) || name == ConfigFile {
			continue
		}
		r := parquet.NewGenericReader[T](bytes.NewReader(written[name]))
		part := make([]T, r.NumRows())
		if n, err := r.Read(part); err != nil {
			require.ErrorIs(t, err, io.EOF)
			require.Len(t, part, n)
		}
		rows = append(rows, part...)
	}
	return rows
}

// Files of labels have the labels that would be beside the scores, in another order.
func TestTruth(t *testing.T) {
	type row struct {
		ID    string  `parquet:"example_id"`
		Label int32   `parquet:"label"`
		Score float64 `parquet:"score"`
	}
	type label struct {
		ID    string `parquet:"example_id"`
		Label int32  `parquet:"label"`
	}
	type score struct {
		ID    string  `parquet:"example_id"`
		Score float64 `parquet:"score"`
	}
	spec := Spec{Rows: 1000, Files: 3, Seed: 3, IDs: UUID}
	whole := read[row](t, spec)
	spec.Truth = true
	m := new(memory)
	summary, err := Write(t.Context(), spec, m.create)
	require.NoError(t, err)
	require.Equal(t, 6, summary.Files)
	require.EqualValues(t, 1000, summary.Rows)
	written := map[string][]byte{}
	for name, content := range m.files {
		written[name] = content.Bytes()
	}
	labels, scores := rowsOf[label](t, written, truthName), rowsOf[score](t, written, "part")
	require.NotContains(t, open(t, written)[0].Schema().String(), "label")
	require.Len(t, labels, 1000)
	byID := map[string]int32{}
	for _, l := range labels {
		byID[l.ID] = l.Label
	}
	inPlace := 0
	for i, r := range whole {
		require.Equal(t, score{r.ID, r.Score}, scores[i])
		require.Equal(t, r.Label, byID[r.ID])
		if labels[i].ID == r.ID {
			inPlace++
		}
	}
	require.Less(t, inPlace, 10)
}
