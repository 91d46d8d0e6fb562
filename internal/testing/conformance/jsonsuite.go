package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/text"
)

// jsonTestSuite reads the files of JSONTestSuite, each as the value of a row. The first letter of a name says whether it is
// JSON: y, n, or i for what RFC 8259 leaves open.
func jsonTestSuite(folder string, r *Result) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "test_parsing", "*.json"))
	if err != nil {
		return nil, err
	}
	accepted, all := map[byte]int{}, map[byte]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		kind := filepath.Base(name)[0]
		all[kind]++
		err = readJSON(data, kind)
		if err == nil {
			accepted[kind]++
		}
		if what := wrongJSON(kind, err); what != "" {
			r.Findings = append(r.Findings, Finding{Kind: Wrong, Format: text.JSON, File: "test_parsing/" + filepath.Base(name), What: what})
		}
	}
	return []string{fmt.Sprintf("JSONTestSuite, each file as the value of a row: of %d files that are JSON, %d are read; of %d that are not, %d; of %d that RFC 8259 leaves open, %d.",
		all['y'], accepted['y'], all['n'], accepted['n'], all['i'], accepted['i'])}, nil
}

// mayRefuse are the refusals of JSON that are right: a row is no evaluation's otherwise.
var mayRefuse = []string{"has this key twice", "write one kind of values"}

// wrongJSON says what is wrong, or returns "".
func wrongJSON(kind byte, err error) string {
	switch {
	case kind == 'n' && err == nil:
		return "it is not JSON, and was read"
	case kind == 'y' && err != nil:
		for _, allowed := range mayRefuse {
			if strings.Contains(err.Error(), allowed) {
				return ""
			}
		}
		return err.Error()
	}
	return ""
}

// readJSON reads a row whose only value is some text. Line ends in JSON are white space.
func readJSON(data []byte, kind byte) error {
	if kind == 'y' {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte(" "))
	}
	row := append(append([]byte(`{"v": `), data...), "}\n"...)
	return contained(func() error {
		f, err := openFile(source{bytes.NewReader(row), "row.jsonl"}, text.JSON, columns.Options{}, nil)
		if err != nil {
			return err
		}
		for _, field := range f.Schema().Fields {
			for _, err := range f.Read(0, []string{field.Path}, nil, 1) {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
