package evaluate

import (
	littleendian "encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// storage are runs on files that are stored in unusual ways.
var storage = []scenario{
	{
		name: "page beyond the limit", setup: largePage, config: "input: {max_page_mib: 2}", code: 1,
		stderr: `evaluate: preds.parquet: row group 0: column "label": row 0: a page of 400000 values, of 8 bytes each, is larger than the limit of 2097152 bytes: raise input.max_page_mib`,
	}, {
		name: "page within the limit", setup: largePage, report: "400000 rows, 400000 evaluated\n…",
	}, {
		name: "codec that is not supported", setup: codec("score", format.LZO), config: "input: {columns: {label: label, score: score}}", code: 2,
		stderr: `evaluate: …: preds.parquet: column "score" cannot be read: row group 0: the column is compressed with LZO (3), which is not supported: write the file again with another codec, such as zstd`,
	}, {
		name: "codec of a slice column", setup: codec("country", format.Lz4), config: "slices: [country]", code: 2,
		stderr: `evaluate: …: preds.parquet: column "country" cannot be read: row group 0: the column is compressed with LZ4 (5), which is not supported: …`,
	}, {
		name: "codec of a column that is not used", setup: codec("country", format.LZO),
		report: "4 rows, 4 evaluated\n…",
	}, {
		name: "page with zeros at the end, as of fastparquet", setup: fixture("fastparquet.v1_snappy.parquet"),
		config: "task: binary\ninput: {columns: {label: bool, score: double}, score_type: score}\nmetrics: [accuracy]\nslices: [category]",
		report: "25 rows, 25 evaluated\naccuracy = 0.36\naccuracy{category=de} = 1\naccuracy{category=fr} = 0\naccuracy{category=it} = 0\n",
	}, {
		name: "name with a dot beside a struct", setup: dots, config: "metrics: [accuracy]\nslices: [a.b]", code: 2,
		stderr: "evaluate: …: preds.parquet: column \"a.b\" is ambiguous: write `a.b` or `a`.`b`",
	}, {
		name: "name with a dot, and of a field, in backquotes", setup: dots, config: "metrics: [accuracy]\nslices: ['`a.b`', '`a`.b']",
		report: "2 rows, 2 evaluated\naccuracy = 1\naccuracy{`a.b`=y} = 1\naccuracy{`a`.b=x} = 1\n",
	}, {
		name: "decimal of many digits", setup: decimals, code: 2, config: "input: {columns: {label: label, score: score}}",
		stderr: `evaluate: …: preds.parquet: column "score" cannot be read: decimal(18, 2) does not fit a 64-bit number without loss: set input.decimals: float64 to round it`,
	}, {
		name: "decimal of many digits, rounded", setup: decimals, config: "input: {decimals: float64}\nmetrics: [brier]",
		report: "2 rows, 2 evaluated\nbrier = 0.03625\n",
	},
}

// codec returns an edit that declares another compression for a column.
func codec(column string, c format.CompressionCodec) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		name := filepath.Join(dir, "preds.parquet")
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		end := len(file) - 8
		begin := end - int(littleendian.LittleEndian.Uint32(file[end:]))
		var m format.FileMetaData
		require.NoError(t, thrift.Unmarshal(new(thrift.CompactProtocol), file[begin:end], &m))
		for _, g := range m.RowGroups {
			for i := range g.Columns {
				if chunk := &g.Columns[i].MetaData; chunk.PathInSchema[0] == column {
					chunk.Codec = c
				}
			}
		}
		footer, err := thrift.Marshal(new(thrift.CompactProtocol), &m)
		require.NoError(t, err)
		file = append(file[:begin:begin], footer...)
		file = littleendian.LittleEndian.AppendUint32(file, uint32(len(footer)))
		require.NoError(t, os.WriteFile(name, append(file, "PAR1"...), 0o666))
	}
}

// fixture takes the predictions from files of other writers.
func fixture(file string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		content, err := os.ReadFile(filepath.Join("../../../io/parquet/testdata", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "preds.parquet"), content, 0o666))
	}
}

// writePredictions writes the predictions.
func writePredictions[Row any](t *testing.T, dir string, rows ...Row) {
	require.NoError(t, parquet.WriteFile(filepath.Join(dir, "preds.parquet"), rows, parquet.PageBufferSize(16<<20)))
}

// largePage writes scores that take 3 MiB in one page.
func largePage(t *testing.T, dir string) {
	type row struct {
		Label bool    `parquet:"label"`
		Score float64 `parquet:"score"`
	}
	rows := make([]row, 400_000)
	for i := range rows {
		rows[i] = row{i%3 == 0, float64(i) / float64(len(rows))}
	}
	writePredictions(t, dir, rows...)
}

func dots(t *testing.T, dir string) {
	type a struct {
		B string `parquet:"b"`
	}
	type row struct {
		Label  int64   `parquet:"label"`
		Score  float64 `parquet:"score"`
		Field  a       `parquet:"a"`
		Dotted string  `parquet:"a.b"`
	}
	writePredictions(t, dir, row{0, 0.1, a{"x"}, "y"}, row{1, 0.9, a{"x"}, "y"})
}

func decimals(t *testing.T, dir string) {
	type row struct {
		Label int64 `parquet:"label"`
		Score int64 `parquet:"score,decimal(2:18)"`
	}
	writePredictions(t, dir, row{0, 10}, row{1, 75})
}
