package synthetic

import (
	"fmt"
	"hash/crc32"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

func TestSameFlagsSameBytes(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, codec := range codecNames() {
				s.Codec, s.Files, s.RowGroupSize = codec, i+1, 150
				require.Equal(t, write(t, s), write(t, s), codec)
			}
		})
	}
}

// allRows returns every value with its levels, and the schema.
func allRows(t *testing.T, s Spec) (rows []parquet.Row, schema string, groups int) {
	for _, f := range open(t, write(t, s)) {
		schema = f.Schema().String()
		groups += len(f.RowGroups())
		for _, g := range f.RowGroups() {
			r := g.Rows()
			buffer := make([]parquet.Row, 64)
			for {
				n, err := r.ReadRows(buffer)
				for _, row := range buffer[:n] {
					rows = append(rows, row.Clone())
				}
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
			}
			require.NoError(t, r.Close())
		}
	}
	return rows, schema, groups
}

func TestContentDoesNotDependOnFilesAndRowGroups(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, schema, groups := allRows(t, s)
			require.Len(t, whole, int(s.Rows))
			require.Equal(t, 1, groups)

			s.Files, s.RowGroupSize, s.Codec = 7, max(1, s.Rows/100), "none"
			parts, partSchema, groups := allRows(t, s)
			require.Greater(t, groups, 20)
			require.Equal(t, schema, partSchema)
			require.Len(t, parts, len(whole))
			for i := range whole {
				require.True(t, whole[i].Equal(parts[i]), "row %d: %+v, %+v", i, whole[i], parts[i])
			}
		})
	}
}

func TestMoreRowsKeepTheFirstOnes(t *testing.T) {
	type row struct {
		ID    int64   `parquet:"example_id"`
		Label int32   `parquet:"label"`
		Score float64 `parquet:"score"`
	}
	few, many := read[row](t, Spec{Rows: 500}), read[row](t, Spec{Rows: 3000, Files: 3})
	require.Equal(t, few, many[:500])
	for i, r := range many {
		require.EqualValues(t, i, r.ID)
	}
	require.NotEqual(t, few, read[row](t, Spec{Rows: 500, Seed: 1}))

	// Additional columns change nothing either.
	require.Equal(t, few, read[row](t, Spec{Rows: 500, Weights: true, Predictions: true, Slices: []Slice{{"a", 3}}}))
	type sliced struct {
		A string `parquet:"a"`
	}
	require.Equal(t,
		read[sliced](t, Spec{Rows: 500, Slices: []Slice{{"a", 3}}}),
		read[sliced](t, Spec{Rows: 500, Slices: []Slice{{"b", 8}, {"a", 3}}, Weights: true}))
}

func TestFilesDifferByOneExample(t *testing.T) {
	sizes := func(s Spec) (sizes []int64) {
		for _, f := range open(t, write(t, s)) {
			sizes = append(sizes, f.NumRows())
		}
		return sizes
	}
	require.Equal(t, []int64{4, 3, 3}, sizes(Spec{Rows: 10, Files: 3}))
	require.Equal(t, []int64{1, 1, 0, 0}, sizes(Spec{Rows: 2, Files: 4}))
	require.Equal(t, []int64{0}, sizes(Spec{Rows: 0, Files: 1}))
	require.Equal(t, []int64{6, 6, 3}, sizes(Spec{Task: Ranking, Items: 3, Rows: 15, Files: 3}))
	require.Equal(t, []int64{6, 3, 1}, sizes(Spec{Task: Ranking, Items: 3, Rows: 10, Files: 3}))
	require.Equal(t, []int64{2, 0, 0}, sizes(Spec{Task: Ranking, Items: 3, Rows: 2, Files: 3}))
	require.Equal(t, []int64{4, 3, 3}, sizes(Spec{Task: Ranking, Layout: LayoutExample, Items: 3, Rows: 10, Files: 3}))
	require.Equal(t, []int64{40, 20}, sizes(Spec{Task: Multilabel, Layout: LayoutLabel, Rows: 60, Files: 2}))
}

func TestShuffle(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ordered, _, _ := allRows(t, s)
			s.Shuffle, s.Files = true, 3
			shuffled, _, _ := allRows(t, s)
			require.Len(t, shuffled, len(ordered))
			inPlace, seen := 0, map[string]int{}
			for i, row := range ordered {
				seen[fmt.Sprintf("%+v", row)]++
				if row.Equal(shuffled[i]) {
					inPlace++
				}
			}
			require.Less(t, inPlace, 10)
			for _, row := range shuffled {
				seen[fmt.Sprintf("%+v", row)]--
			}
			for row, n := range seen {
				require.Zero(t, n, row)
			}
		})
	}
}

func TestShuffleIsAPermutation(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 3, 4, 5, 15, 16, 17, 1000, 65537} {
		order := newShuffle(5, n)
		seen := make([]bool, n)
		for i := range n {
			x := order.number(i)
			require.False(t, seen[x], "%d of %d is there twice", x, n)
			seen[x] = true
		}
	}
	require.Less(t, newShuffle(1, maxRows).number(maxRows-1), int64(maxRows))
}

// The numbers are part of what a seed means: benchmarks of two versions, or on two kinds of
// machine, must use the same data.
func TestContentIsFixed(t *testing.T) {
	sum := func(s Spec) uint32 {
		sum := crc32.NewIEEE()
		rows, _, _ := allRows(t, s)
		for _, row := range rows {
			for _, v := range row {
				_, _ = sum.Write(append(v.Bytes(), byte(v.RepetitionLevel()), byte(v.DefinitionLevel())))
			}
		}
		return sum.Sum32()
	}
	got := map[string]uint32{}
	for name, s := range variants() {
		got[name] = sum(s)
	}
	require.Equal(t, map[string]uint32{
		"binary": 0x27aa8308, "binary logit 32": 0xb52e8904,
		"multiclass": 0x53cf4532, "multiclass 32": 0x3a91d10b,
		"indices": 0xfb56f500, "names": 0x19930386, "indicator": 0xcb4a42e, "one label": 0xaead019a, "many labels": 0x5dcae657,
		"ranking": 0x2a4ac27f, "ranking lists": 0x7ffa8d5, "long": 0x7717bc18, "long indices": 0x1d396b24,
		"regression": 0x6e8addfb, "regression 32": 0xf8a708f3, "preference": 0x1f031e78, "grade": 0x1a915933, "agreement": 0x8e65d67b, "unlabelled": 0x2cf1b140,
	}, got)
}
