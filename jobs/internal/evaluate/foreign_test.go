package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// copied returns a setup that copies a file of testdata/foreign: small files, made for these tests,
// of kinds that other programs write, or that are damaged so that a reader may not notice.
func copied(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data, err := os.ReadFile(filepath.Join("testdata/foreign", name))
		require.NoError(t, err)
		text(name, string(data))(t, dir)
	}
}

func regressionOf(label, prediction, rest string) string {
	return "task: regression\ninput: {columns: {label: " + label + ", prediction: " + prediction + "}}\n" + rest
}

// ofItself is the warning of files that have no other number to be the prediction than the label.
const ofItself = "warning: label and prediction are both column \"y\", which is compared with itself: name another column for one of them\n"

// foreign are runs on files of other programs, and on damaged ones.
var foreign = []scenario{
	{
		name: "compressed by Arrow 0.17", setup: copied("arrow_0.17_zstd.arrows"), args: "--input arrow_0.17_zstd.arrows --output out",
		config: regressionOf("y", "p", "metrics: [mae]"), report: "8 rows, 8 evaluated\nmae = 0.375",
	}, {
		name: "a buffer shorter than its rows", setup: copied("short_y.arrows"), args: "--input short_y.arrows --output out",
		config: regressionOf("y", "p", "metrics: [mae]"), code: 1,
		stderr: `…short_y.arrows: row group 0: column "y": corrupt: the record batch needs 64 bytes of a buffer, but has 40…`,
	}, {
		name: "a text that points behind its page", setup: copied("plain_text_overread.parquet"), args: "--input plain_text_overread.parquet --output out",
		config: regressionOf("y", "y", "metrics: [mae]\nslices: [x]"), code: 1,
		stderr: `…plain_text_overread.parquet: row group 1: column "x": row 0: text 9 of the page has 43 bytes, but 3 are left…`,
	}, {
		name: "bytes left behind texts", setup: copied("delta_byte_array_surplus.parquet"), args: "--input delta_byte_array_surplus.parquet --output out",
		config: regressionOf("y", "y", "metrics: [mae]\nslices: [x]"), code: 1,
		stderr: `…delta_byte_array_surplus.parquet: row group 0: column "x": row 0: 56 bytes follow the last value…`,
	}, {
		name: "unsigned integers wider than their type", setup: copied("narrow_ints.parquet"), args: "--input narrow_ints.parquet --output out",
		config: regressionOf("u8", "y", "metrics: [max_error]"), report: "3 rows, 3 evaluated\nmax_error = 254",
	}, {
		name: "signed integers wider than their type", setup: copied("narrow_ints.parquet"), args: "--input narrow_ints.parquet --output out",
		config: regressionOf("i8", "y", "metrics: [max_error]"), report: "3 rows, 3 evaluated\nmax_error = 2",
	}, {
		name: "a list view with an empty list", setup: copied("list_view_empty.arrow"), args: "--input list_view_empty.arrow --output out",
		config: regressionOf("y", "y", "metrics: [mae]"), report: "4 rows, 4 evaluated\n" + ofItself + "mae = 0",
	}, {
		name: "a key without a value", setup: copied("key_without_value.parquet"), args: "--input key_without_value.parquet --output out",
		config: regressionOf("y", "y", "metrics: [mae]"), report: "8 rows, 8 evaluated\n" + ofItself + "mae = 0",
	}, {
		name: "line ends in quotes", setup: text("a.csv", "y,p,text\n1,1,\"a\r\nb\"\r\n2,3,\"a\nb\"\r\n"), args: "--input a.csv --output out",
		config: regressionOf("y", "p", "metrics: [mae]\nslices: [text]"),
		report: "2 rows, 2 evaluated\nmae = 0.5\nmae{text=\"a\\nb\"} = 1\nmae{text=\"a\\r\\nb\"} = 0",
	}, {
		name: "quotes that are none", setup: text("a.tsv", "y\tp\ttext\n1\t1\t\"a\n2\t3\tb\" c\n"), args: "--input a.tsv --output out",
		config: "task: regression\ninput: {quotes: none, columns: {label: y, prediction: p}}\nmetrics: [mae]\nslices: [text]",
		report: "2 rows, 2 evaluated\nmae = 0.5\nmae{text=\"\\\"a\"} = 0\nmae{text=\"b\\\" c\"} = 1",
	}, {
		name: "quotes that may be none", setup: text("a.tsv", "y\tp\ttext\n1\t1\t\"a\n2\t3\tb\n"), args: "--input a.tsv --output out",
		config: regressionOf("y", "p", ""), code: 2,
		stderr: "…a.tsv: line 2: a quote of this row does not close: close it, write a quote in a quoted value twice, or set input.quotes: none if quotes are characters like any other…",
	}, {
		name: "lines that end in CR", setup: text("a.csv", "y,p\r1,1\r2,3\r"), args: "--input a.csv --output out",
		config: regressionOf("y", "p", ""), code: 2, stderr: "…a.csv: line 1: the lines end in CR alone: …",
	}, {
		name: "a NaN with a sign", setup: text("a.csv", "y,p\n1,-nan\n"), args: "--input a.csv --output out",
		config: regressionOf("y", "p", ""), code: 1, stderr: `…column "p"…NaN…`,
	}, {
		name: "a short file of another format", setup: text("a.txt", "y,p\n1,2"), args: "--input a.txt --output out",
		config: regressionOf("y", "p", ""), code: 2, stderr: "…a.txt: not a Parquet file: it has only 7 bytes; if it is a text, set input.format or truth.format to csv, tsv or jsonl…",
	},
}
