package synthetic

import (
	"encoding/json"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

func schemaText(t *testing.T, s Spec) string {
	s.Rows = 10
	return open(t, write(t, s))[0].Schema().String()
}

func TestSchemas(t *testing.T) {
	for want, s := range map[string]Spec{
		`message predictions {
	required int64 example_id (INT(64,true));
	required int32 label (INT(32,true));
	required double score;
}`: {Task: Binary},
		`message predictions {
	required int64 example_id (INT(64,true));
	required int32 label (INT(32,true));
	required float score;
	required int32 prediction (INT(32,true));
	required double weight;
	required binary b (STRING);
	required binary a (STRING);
}`: {Task: Binary, Float: 32, Weights: true, Predictions: true, Slices: []Slice{{"b", 2}, {"a", 2}}},
		`message predictions {
	required int64 example_id (INT(64,true));
	required int32 label (INT(32,true));
	required group scores (LIST) {
		repeated group list {
			required double element;
		}
	}
	required int32 prediction (INT(32,true));
}`: {Task: Multiclass, Predictions: true},
		`message predictions {
	required int64 example_id (INT(64,true));
	required group labels (LIST) {
		repeated group list {
			required int32 element (INT(32,true));
		}
	}
	required group scores (LIST) {
		repeated group list {
			required float element;
		}
	}
}`: {Task: Multilabel, Float: 32},
		`message predictions {
	required int64 example_id (INT(64,true));
	required group labels (LIST) {
		repeated group list {
			required binary element (STRING);
		}
	}
	required group scores (LIST) {
		repeated group list {
			required double element;
		}
	}
	required group prediction (LIST) {
		repeated group list {
			required binary element (STRING);
		}
	}
}`: {Task: Multilabel, LabelEncoding: Names, Predictions: true},
		`message predictions {
	required binary query_id (STRING);
	required int64 doc_id (INT(64,true));
	required int32 relevance (INT(32,true));
	required double score;
	required double weight;
	required binary a (STRING);
}`: {Task: Ranking, Weights: true, Slices: []Slice{{"a", 2}}},
		`message predictions {
	required binary query_id (STRING);
	required group doc_id (LIST) {
		repeated group list {
			required int64 element (INT(64,true));
		}
	}
	required group relevance (LIST) {
		repeated group list {
			required int32 element (INT(32,true));
		}
	}
	required group scores (LIST) {
		repeated group list {
			required float element;
		}
	}
}`: {Task: Ranking, Layout: LayoutExample, Float: 32},
		`message predictions {
	required int64 example_id (INT(64,true));
	required binary label_name (STRING);
	required int32 label (INT(32,true));
	required float score;
	required int32 prediction (INT(32,true));
}`: {Task: Multilabel, Layout: LayoutLabel, Float: 32, Predictions: true},
		`message predictions {
	required int64 example_id (INT(64,true));
	required int32 label_index (INT(32,true));
	required int32 label (INT(32,true));
	required double score;
}`: {Task: Multilabel, Layout: LayoutLabel, LabelEncoding: Indices},
		`message predictions {
	required int64 example_id (INT(64,true));
	required binary model_a (STRING);
	required binary model_b (STRING);
	required binary winner (STRING);
	required double weight;
}`: {Task: Preference, Weights: true},
		`message predictions {
	required int64 example_id (INT(64,true));
	required boolean passed;
	required binary suite (STRING);
}`: {Task: Grade, Slices: []Slice{{"suite", 2}}},
		`message predictions {
	required int64 example_id (INT(64,true));
	optional int32 rater_0 (INT(32,true));
	optional int32 rater_1 (INT(32,true));
}`: {Task: Agreement, Labels: 2},
		`message predictions {
	required int64 example_id (INT(64,true));
	required float label;
	required float prediction;
}`: {Task: Regression, Float: 32},
	} {
		require.Equal(t, want, schemaText(t, s))
	}
}

func TestLabelNamesAreInTheMetadata(t *testing.T) {
	for _, f := range open(t, write(t, Spec{Task: Multilabel, LabelEncoding: Names, Labels: 11, Rows: 5, Files: 2})) {
		text, ok := f.Lookup("labels")
		require.True(t, ok)
		var names []string
		require.NoError(t, json.Unmarshal([]byte(text), &names))
		require.Equal(t, []string{
			"label_00", "label_01", "label_02", "label_03", "label_04", "label_05",
			"label_06", "label_07", "label_08", "label_09", "label_10",
		}, names)
	}
	text, _ := open(t, write(t, Spec{Task: Multilabel, Layout: LayoutLabel, Labels: 2, Rows: 1}))[0].Lookup("labels")
	require.Equal(t, `["label_0","label_1"]`, text)
	_, ok := open(t, write(t, Spec{Task: Multilabel, Rows: 5}))[0].Lookup("labels")
	require.False(t, ok)
}

func TestEncodings(t *testing.T) {
	codec := map[string]format.CompressionCodec{"snappy": format.Snappy, "zstd": format.Zstd, "gzip": format.Gzip, "none": format.Uncompressed}
	for _, name := range codecNames() {
		f := open(t, write(t, Spec{Rows: 100, Slices: []Slice{{"a", 9}}, Codec: name}))[0]
		for _, column := range f.Metadata().RowGroups[0].Columns {
			require.Equal(t, codec[name], column.MetaData.Codec)
			path := column.MetaData.PathInSchema[0]
			require.Equal(t, path == "label" || path == "a", column.MetaData.DictionaryPageOffset != 0, path)
		}
	}
}

func TestIDsThatRowsShareAreInADictionary(t *testing.T) {
	for id, specs := range map[string][2]Spec{
		"query_id":   {{Task: Ranking}, {Task: Ranking, Layout: LayoutExample}},
		"example_id": {{Task: Multilabel, Layout: LayoutLabel}, {Task: Multilabel}},
	} {
		for i, s := range specs {
			s.Rows = 100
			column := open(t, write(t, s))[0].Metadata().RowGroups[0].Columns[0].MetaData
			require.Equal(t, id, column.PathInSchema[0])
			require.Equal(t, i == 0, column.DictionaryPageOffset != 0)
		}
	}
}

func TestRowGroups(t *testing.T) {
	sizes := func(s Spec) (sizes []int64) {
		for _, g := range open(t, write(t, s))[0].RowGroups() {
			sizes = append(sizes, g.NumRows())
		}
		return sizes
	}
	require.Equal(t, []int64{4, 4, 2}, sizes(Spec{Rows: 10, RowGroupSize: 4}))
	require.Equal(t, []int64{10}, sizes(Spec{Rows: 10}))
	require.Equal(t, []int64{4, 4, 2}, sizes(Spec{Task: Ranking, Items: 5, Rows: 10, RowGroupSize: 4}))
	require.Equal(t, []int64{20, 5}, sizes(Spec{Task: Multilabel, Labels: maxLabels, Rows: 25, Float: 32}))
	require.Equal(t, 2001, len(sizes(Spec{Rows: 2001, RowGroupSize: 1})))
	require.Less(t, 2001, parquet.MaxRowGroups)
}
