package text

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// FuzzCSV: any text results in an error or in the rows that encoding/csv finds, in blocks of any
// size.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{sample, "a,b\n1,2\n", "a\tb\n", "a,b\n\"x\ny\",\"\"\"\"\n", "a,b\n\"1,2\n3\",4", gzipOf("a,b\n1,2\n"), zstdOf("a,b\n1,2\n"), "a\n\"\"\n\n\"\r\n\"\n"} {
		f.Add(s, uint8(1), true)
		f.Add(s, uint8(30), false)
	}
	f.Fuzz(func(t *testing.T, content string, size uint8, tabs bool) {
		d := dialects[CSV]
		if tabs {
			d = dialects[TSV]
		}
		src := inMemory(content)
		file, err := open(src, d, columns.Options{MaxPage: 1 << 16}, nil, int64(size))
		if err != nil {
			return
		}
		rows, ok := texts(t, file)
		if !ok || file.layout.compression != plain {
			return
		}
		var parts [][]string
		for g := range file.RowGroups() {
			part, err := open(src, d, columns.Options{}, file.Plan(g, 1), 1)
			require.NoError(t, err)
			some, ok := texts(t, part)
			require.True(t, ok)
			parts = append(parts, some...)
		}
		require.Equal(t, rows, parts)

		library := csv.NewReader(strings.NewReader(strings.TrimPrefix(content, string(bom))))
		library.Comma = rune(d.comma)
		records, err := library.ReadAll()
		require.NoError(t, err)
		require.Equal(t, len(records)-1, len(rows))
		for i, record := range records[1:] {
			for j, c := range file.layout.columns {
				if c.classes.typ() == columns.String && record[j] != "" {
					require.Equal(t, record[j], strings.ReplaceAll(rows[i][j], "\r\n", "\n"), "encoding/csv makes LF of CRLF")
				}
				require.Equal(t, record[j] == "", rows[i][j] == "null" && record[j] != "null")
			}
		}
	})
}

// texts reads all columns, including unnamed ones; ok is false if a value cannot be read.
func texts(t *testing.T, f *File) (rows [][]string, ok bool) {
	for i := range f.layout.columns {
		f.layout.columns[i].name = strings.Repeat("c", i+1)
	}
	f.setSchema()
	return readAll(f)
}

// FuzzTREC: any text results in an error or in as many rows as planned.
func FuzzTREC(f *testing.F) {
	f.Add("301 Q0 d 1 0.5 t\n", true)
	f.Add("301 0 d 1\n\n302\t0 e -1\r\n", false)
	f.Fuzz(func(t *testing.T, content string, run bool) {
		format := Qrels
		if run {
			format = Run
		}
		file, err := Open(inMemory(content), format, columns.Options{MaxPage: 1 << 16}, nil)
		if err != nil {
			return
		}
		rows, ok := texts(t, file)
		var want int64
		for _, n := range file.RowGroups() {
			want += n
		}
		require.True(t, !ok || int64(len(rows)) == want)
	})
}

// FuzzPlan: any plan results in an error or can be used without harm.
func FuzzPlan(f *testing.F) {
	for _, content := range []string{sample, gzipOf(sample), sampleJSON} {
		format := CSV
		if content == sampleJSON {
			format = JSON
		}
		whole, err := open(inMemory(content), dialects[format], columns.Options{}, nil, 20)
		require.NoError(f, err)
		f.Add(whole.Plan(0, len(whole.RowGroups())))
	}
	f.Fuzz(func(t *testing.T, plan []byte) {
		for _, content := range []string{sample, gzipOf(sample), sampleJSON, ""} {
			if file, err := Open(inMemory(content), CSV, columns.Options{MaxPage: 1 << 16}, plan); err == nil {
				texts(t, file)
			}
			if file, err := Open(inMemory(content), JSON, columns.Options{MaxPage: 1 << 16}, plan); err == nil {
				fieldsOfRows(file)
			}
		}
	})
}
