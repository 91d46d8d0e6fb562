package conformance

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/beameval/beameval/io/text"
)

// corpus is a repository with files, checked out in a folder of its name.
type corpus struct {
	repository string // on GitHub
	under      string // the folder that has its data; empty for all
	rules      []rule // before those for all corpora
	extra      func(folder string, r *Result) ([]string, error)
}

// rule says as which format files are read whose paths match; "" is for files that are not read.
type rule struct {
	path   *regexp.Regexp
	format string
}

func rules(pairs ...string) (list []rule) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, rule{regexp.MustCompile(pairs[i]), pairs[i+1]})
	}
	return list
}

const (
	arrowFormat   = "arrow"
	parquetFormat = "parquet"
	// besideFormat is for CSV files whose values are in a JSON file beside them.
	besideFormat = "csv with JSON beside"
)

var endings = rules(
	`(?i)\.(parquet|parq)$`, parquetFormat,
	`(?i)\.csv(\.gz|\.zst)?$`, text.CSV,
	`(?i)\.tsv(\.gz|\.zst)?$`, text.TSV,
	`(?i)\.(jsonl|ndjson)(\.gz|\.zst)?$`, text.JSON,
	`(?i)\.(arrow|arrows|feather)$`, arrowFormat,
)

// known are the corpora by folder.
var known = map[string]corpus{
	"parquet-testing": {repository: "apache/parquet-testing"},
	"arrow-testing": {repository: "apache/arrow-testing", rules: rules(
		`README|\.json\.gz$`, "",
		`^data/arrow-ipc-(file|stream)/`, arrowFormat,
	)},
	"duckdb":       {repository: "duckdb/duckdb", under: "data/"},
	"polars":       {repository: "pola-rs/polars"},
	"impala":       {repository: "apache/impala"},
	"fastparquet":  {repository: "dask/fastparquet"},
	"hyparquet":    {repository: "hyparam/hyparquet"},
	"fairlearn":    {repository: "fairlearn/fairlearn"},
	"scoringrules": {repository: "frazane/scoringrules"},
	"test-data":    {repository: "frictionlessdata/test-data"},
	"csv-spectrum": {repository: "max-mapper/csv-spectrum", rules: rules(
		`^csvs/.*\.csv$`, besideFormat,
	)},
	"Pollock": {repository: "HPI-Information-Systems/Pollock", extra: pollock, rules: rules(
		`^(polluted_files|survey_sample)/csv/`, text.CSV,
		`.`, "",
	)},
	"JSONTestSuite": {repository: "nst/JSONTestSuite", extra: jsonTestSuite, rules: rules(`.`, "")},
	"trec_eval": {repository: "usnistgov/trec_eval", rules: rules(
		`^test/qrels`, text.Qrels,
		`^test/results`, text.Run,
	)},
}

func corpusOf(folder string) corpus {
	c := known[folder]
	c.repository = cmp.Or(c.repository, folder)
	return c
}

// formatOf returns the format of a file, or "" if it is not read.
func (c corpus) formatOf(path string) string {
	if !strings.HasPrefix(path, c.under) {
		return ""
	}
	for _, list := range [][]rule{c.rules, endings} {
		for _, r := range list {
			if r.path.MatchString(path) {
				return r.format
			}
		}
	}
	return ""
}
