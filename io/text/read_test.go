package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/columns"
)

const sample = "\xef\xbb\xbfid,label,score,\"a \"\"name\"\"\",,a.b\r\n" +
	"7,1,0.5,plain,x,é\r\n" +
	"\r\n" +
	"8,0,1,\"two\nlines, \"\"quoted\"\"\",,\n" +
	"\n\n" +
	"9,,-1e-3, spaced ,y,z\n" +
	"10,1,1,\"\",\"q\",last\r"

var sampleRows = [][]string{
	{"7", "1", "0.5", "plain", "é"}, {"8", "0", "1", "two\nlines, \"quoted\"", "null"}, {"9", "null", "-0.001", " spaced ", "z"}, {"10", "1", "1", "null", "last"},
}

var samplePaths = []string{"id", "label", "score", `a "name"`, "a.b"}

// TestRead reads a text file as a whole and by blocks, plain and compressed, with plans.
func TestRead(t *testing.T) {
	for name, content := range map[string]string{"plain": sample, "gzip": gzipOf(sample), "two gzip members": gzipOf(sample[:50]) + gzipOf(sample[50:]), "zstd": zstdOf(sample), "zeros after gzip": gzipOf(sample) + string(make([]byte, 1000)), "zeros between gzip": gzipOf(sample[:50]) + "\x00\x00" + gzipOf(sample[50:]) + "\x00", "zstd after a frame to skip": "\x52\x2a\x4d\x18\x03\x00\x00\x00abc" + zstdOf(sample)} {
		for _, size := range []int64{1, 20, 1 << 20} {
			for _, most := range []int{1, 3, 100} {
				whole, err := open(inMemory(content), dialects[CSV], columns.Options{}, nil, size)
				require.NoError(t, err, name)
				require.Equal(t, sampleRows, table(t, whole, most, samplePaths...), name)
				require.Equal(t, [][]string{{"é", "7"}, {"null", "8"}, {"z", "9"}, {"last", "10"}}, table(t, whole, most, "a.b", "id"))
				if name == "plain" && size == 1 {
					require.Equal(t, []int64{1, 1, 1, 1}, whole.RowGroups())
				}
				var parts [][]string
				for g := range whole.RowGroups() {
					part, err := Open(inMemory(content), CSV, columns.Options{}, whole.Plan(g, 1))
					require.NoError(t, err)
					require.Equal(t, whole.Schema().Fields[0], part.Schema().Fields[0])
					parts = append(parts, table(t, part, most, samplePaths...)...)
					for _, err := range part.Read(g+1, samplePaths, nil, most) {
						require.ErrorContains(t, err, "the file has")
					}
				}
				require.Equal(t, sampleRows, parts)
			}
		}
	}
	f, err := Open(inMemory(sample), CSV, columns.Options{}, nil)
	require.NoError(t, err)
	require.Len(t, f.Schema().Unreadable, 1)
	_, err = f.Schema().Lookup("scor")
	require.ErrorContains(t, err, `did you mean "score"`)
}

// TestSharedTables: columns may share a table of strings.
func TestSharedTables(t *testing.T) {
	f, err := Open(inMemory("a\tb\nx\ty\ny\tx\n"), TSV, columns.Options{}, nil)
	require.NoError(t, err)
	shared := new(columns.Strings)
	for batch, err := range f.Peek(0, []string{"a", "b"}, []*columns.Strings{shared, shared}, 10) {
		require.NoError(t, err)
		require.Equal(t, []int32{0, 1}, batch.Columns[0].Codes)
		require.Equal(t, []int32{1, 0}, batch.Columns[1].Codes)
	}
	complete, err := f.Dictionary(0, "a", shared)
	require.NoError(t, err)
	require.False(t, complete)
	require.Equal(t, 2, shared.Len())
}

func TestTREC(t *testing.T) {
	f, err := Open(inMemory("301 Q0 FBIS3-1 1 2.13 tag\n 302\tQ0 007 2  -1   tag \r\n"), Run, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"301", "FBIS3-1", "2.13"}, {"302", "007", "-1"}}, table(t, f, 10, "query_id", "doc_id", "score"))
	f, err = Open(inMemory("301 0 \"d 1\n301 0 d2 -1\n"), Qrels, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"301", `"d`, "1"}, {"301", "d2", "-1"}}, table(t, f, 10, "query_id", "doc_id", "relevance"))
}

// TestErrors: the errors of bad files say where they are and what to do.
func TestErrors(t *testing.T) {
	long := "a,b\n" + strings.Repeat("1,2\n", 100)
	for name, c := range map[string]struct{ format, content, want string }{
		"ragged":             {CSV, "a,b\n1,2\n1\n", "a.csv: line 3: the row has 1 values, but the header 2 names: write as many, and quote values that hold a separator"},
		"ragged, more":       {CSV, "a,b\n1,2,3\n", "a.csv: line 2: the row has 3 values, but the header 2 names"},
		"ragged TREC":        {Run, "301 Q0 d 1 0.5\n", "a.csv: line 1: the line has 5 fields, but must have 6: query_id, q0, doc_id, rank, score, tag"},
		"open quote":         {CSV, "a,b\n1,2\n\"1,2\n3,4\n", "a.csv: line 3: a quote of this row does not close"},
		"open quote, long":   {CSV, "a,b\n1,2\n\"1,2\n" + strings.Repeat("3,4\n", 1<<19), "a.csv: line 3: the row that begins here has more than 1 MiB; does a quote close?"},
		"bare quotes":        {CSV, "a,b\n1,5\"x\" disk\n", "a.csv: line 2: a quote in a value that is not quoted"},
		"after a quote":      {CSV, "a,b\n\"1\"x,2\n", "a.csv: line 2: a quoted value goes on after its closing quote"},
		"a long line":        {CSV, "a,b\n" + strings.Repeat("x", 2<<20), "a.csv: line 2: the row that begins here has more than 1 MiB: set Options.MaxPage"},
		"a long line, gzip":  {CSV, gzipOf("a,b\n" + strings.Repeat("x", 2<<20)), "a.csv: line 2: the row that begins here has more than 1 MiB"},
		"cut gzip":           {CSV, cut(gzipOf(long)), "the gzip stream ends early: the file is cut; write or copy it again"},
		"cut gzip, header":   {CSV, gzipOf(long)[:5], "the gzip stream ends early"},
		"damaged gzip":       {CSV, "\x1f\x8bxxxxxxxxxxxxxxxxxxxx", "decompressing gzip: "},
		"cut zstd":           {CSV, cut(zstdOf(long)), "the zstd stream ends early: the file is cut; write or copy it again"},
		"damaged zstd":       {CSV, zstdOf(long)[:8] + strings.Repeat("x", 50), "decompressing zstd: "},
		"UTF-32":             {CSV, "\xff\xfe\x00\x00a\x00\x00\x00", "a.csv: line 1: the file is UTF-32: write it as UTF-8"},
		"UTF-32, big-endian": {JSON, "\x00\x00\xfe\xff\x00\x00\x00{", "a.csv: line 1: the file is UTF-32: write it as UTF-8"},
		"CR alone":           {CSV, "a,b\r1,2\r", "a.csv: line 1: the lines end in CR alone: write the file with LF or CRLF at the end of each line"},
		"CR CR LF":           {CSV, "a,b\r\n1,2\r\r\n", "a.csv: line 2: a carriage return (CR) that ends no line, in a value that is not quoted: end lines with LF or CRLF, not with CRCRLF, and quote a value that has one"},
		"CR in the header":   {CSV, "a,b\r\r\n1,2\r\n", "a.csv: line 1: a carriage return (CR) that ends no line"},
		"CR in a value":      {TSV, "a\tb\n1\r2\t\"x\"\n", "a.csv: line 2: a carriage return (CR) that ends no line"},
		"CR alone in JSON":   {JSON, "{\"a\": 1}\r{\"a\": 2}", "a.csv: line 1: the lines end in CR alone"},
		"bzip2":              {CSV, "BZh91AY&SY", "a.csv: the file is compressed with bzip2, which is not supported: decompress it or, if it is a text, compress it with gzip or zstd"},
		"xz":                 {JSON, "\xfd7zXZ\x00\x00", "a.csv: the file is compressed with xz, which is not supported"},
		"zip":                {TSV, "PK\x03\x04\x14\x00", "a.csv: the file is compressed with zip, which is not supported"},
		"behind gzip":        {CSV, gzipOf("a,b\n1,2\n") + "\x00\x00junk", "bytes that are no gzip follow the stream: write the file again, or cut them off (gzip -dc FILE | gzip)"},
		"behind zstd":        {CSV, zstdOf("a,b\n1,2\n") + "junk", "bytes that are no zstd follow the stream: write the file again, or cut them off (zstd -dc FILE | zstd)"},
		"zstd --long=31":     {CSV, "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", "its window is larger than 128 MiB: compress it with --long=27 at most, or without --long"},
		"NUL":                {CSV, "a,b\n1,\x002\n", "a.csv: line 2: byte 3 of the line is zero: the file is not a text in UTF-8"},
		"UTF-16":             {CSV, "\xff\xfea\x00,\x00b\x00\n\x00", "a.csv: line 1: the file is UTF-16: write it as UTF-8"},
		"empty":              {CSV, "", "a.csv: the file is empty: it must begin with the names of the columns"},
		"empty, compressed":  {CSV, gzipOf(""), "a.csv: the file has no line: it must begin with the names of the columns"},
		"blank":              {CSV, "\n\r\n", "a.csv: the file has no line"},
		"no header":          {CSV, "1,0.5\n0,0.3\n", `a.csv: line 1: the first line must have the names of the columns, but begins with "1": add a line with names`},
		"semicolons":         {CSV, "a;b\n1;2\n", "a.csv: line 1: the header is one name, which holds semicolons: divide names and values by commas (format csv) or by tabs (format tsv)"},
		"tabs in CSV":        {CSV, "a\tb\n1\t2\n", "a.csv: line 1: the header is one name, which holds tabs"},
		"commas in TSV":      {TSV, "a,b\n1,2\n", "a.csv: line 1: the header is one name, which holds commas"},
		"a score of TREC":    {Run, "301 Q0 d 1 0.5 t\n301 Q0 e 2 high t\n", `a.csv: line 2: the score is "high": expected a number`},
		"a relevance":        {Qrels, "301 0 d 1\n301 0 e relevant\n", `a.csv: line 2: the relevance is "relevant": expected a number`},
		"two of a name":      {CSV, "a,b,a\n1,2,3\n", `a.csv: line 1: columns 1 and 3 have the same name, "a": rename one`},
		"a name, not UTF-8":  {CSV, "a,gr\xf6\xdfe\n1,2\n", `a.csv: line 1: the name of column 2 is not UTF-8 (gr\xf6\xdfe): write the file as UTF-8`},
		"a value, not UTF-8": {CSV, "a,b\n1,x\n\n2,gr\xf6\xdfe\n", `a.csv: line 4: column "b": "gr\\xf6\\xdfe" is not UTF-8: write the file as UTF-8`},
		"too large":          {CSV, "a,b\n1,0.5\n2,1e999\n", `a.csv: line 3: column "b": "1e999" does not fit a 64-bit number`},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(inMemory(c.content), c.format, columns.Options{MaxPage: 1 << 20}, nil)
			for g := 0; err == nil && g < len(f.RowGroups()); g++ {
				for _, err = range f.Read(g, []string{"a", "b"}, nil, 10) {
				}
			}
			require.ErrorContains(t, err, c.want)
			var place *columns.Error
			require.ErrorAs(t, err, &place)
			if strings.Contains(c.want, "line ") && !strings.Contains(c.want, "has no line") {
				require.Positive(t, place.Line)
			}
		})
	}
	f, err := Open(inMemory("a,b\n"), CSV, columns.Options{}, nil)
	require.NoError(t, err, "a header alone is a file without rows")
	require.Empty(t, f.RowGroups())
}

func cut(s string) string { return s[:len(s)-10] }

// TestChangedFile: a worker reports a file that differs from the plan.
func TestChangedFile(t *testing.T) {
	f, err := Open(inMemory("a,b\n10,0.5\n20,true\n30,x\n"), CSV, columns.Options{}, nil)
	require.NoError(t, err)
	for content, want := range map[string]string{
		"a,b\n1x,0.5\n20,true\n30,x\n":   `a.csv: line 2: column "a": "1x" is no 64-bit integer, as the column's values were when the run was planned`,
		"a,b\n10,0.5\n200005550555555\n": "a.csv: line 3: the row has fewer values than when the run was planned",
		"a,b\n10,0.5\n20,truexxxxxxxx\n": "line 3: the block has fewer rows than when the run was planned",
		"a,b\n":                          "the plan of the file is damaged",
	} {
		changed, err := Open(inMemory(content), CSV, columns.Options{}, f.Plan(0, 1))
		for g := 0; err == nil && g < len(changed.RowGroups()); g++ {
			for _, err = range changed.Read(g, []string{"a", "b"}, nil, 10) {
			}
		}
		require.ErrorContains(t, err, want)
	}
}

// endless is a file with one long line, which is generated while it is read.
type endless struct{ read *int64 }

func (endless) Name() string { return "long.csv" }
func (endless) Size() int64  { return 1 << 30 }
func (e endless) ReadAt(p []byte, off int64) (int, error) {
	p = p[:min(int64(len(p)), e.Size()-off)]
	for i := range p {
		p[i] = 'x'
	}
	if off == 0 {
		copy(p, "a,b\n1,")
	}
	*e.read += int64(len(p))
	if off+int64(len(p)) == e.Size() {
		return len(p), io.EOF
	}
	return len(p), nil
}

// TestManyFields: a row of millions of fields is an error that takes little more memory than the
// row.
func TestManyFields(t *testing.T) {
	const n = 4_000_000
	commas := strings.Repeat(",", n-3)
	for _, c := range []struct{ format, content, want string }{
		{CSV, "a,b,c" + commas, "a.csv: line 1: the header has 4000000 names, and at most 10000 columns are read"},
		{CSV, `"a,b",b,c` + commas, "a.csv: line 1: the header has 4000000 names, and at most 10000 columns are read"},
		{CSV, "a,b\n1,2,3" + commas, "a.csv: line 2: the row has 4000000 values, but the header 2 names"},
		{CSV, "a,b\n\"1\",2,3" + commas, "a.csv: line 2: the row has 4000000 values, but the header 2 names"},
		{Run, strings.Repeat("x ", n), "a.csv: line 1: the line has 4000000 fields, but must have 6"},
	} {
		require.Less(t, heap.Allocated(func() {
			_, err := Open(inMemory(c.content), c.format, columns.Options{}, nil)
			require.ErrorContains(t, err, c.want)
		}), uint64(8*len(c.content)), c.want)
	}
}

// TestLongLine: a line of 1 GB takes little memory, and is an error.
func TestLongLine(t *testing.T) {
	read := int64(0)
	_, err := Open(endless{&read}, CSV, columns.Options{MaxPage: 4 << 20}, nil)
	require.ErrorContains(t, err, "long.csv: line 2: the row that begins here has more than 4 MiB")
	require.Less(t, read, int64(8<<20))
}

// ranger is a file that records announcements.
type ranger struct {
	columns.Source
	told [][2]int64
}

func (r *ranger) Ranges(ranges [][2]int64) io.ReaderAt {
	r.told = append(r.told, ranges...)
	return r.Source
}

// TestStorageIsToldOfBlocks: exactly the range of a block is announced.
func TestStorageIsToldOfBlocks(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("a,b\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d,%d\n", i, i)
	}
	src := &ranger{Source: inMemory(text.String())}
	f, err := open(src, dialects[CSV], columns.Options{}, nil, 100)
	require.NoError(t, err)
	require.Len(t, table(t, f, 7, "a"), 100)
	require.Len(t, src.told, len(f.RowGroups()))
	end := int64(4)
	for _, r := range src.told {
		require.Equal(t, end, r[0])
		end = r[1]
	}
	require.Equal(t, src.Size(), end)
	src.told = nil
	for range f.Peek(0, []string{"a"}, nil, 1) {
		break
	}
	require.Empty(t, src.told)

	src.Source = inMemory(gzipOf(text.String()))
	f, err = Open(src, CSV, columns.Options{}, nil)
	require.NoError(t, err)
	require.Len(t, table(t, f, 7, "a"), 100)
	require.Empty(t, src.told, "a compressed file may be large")
}

// TestLines: the lines of rows are independent of the blocks.
func TestLines(t *testing.T) {
	for _, size := range []int64{1, 40, 1 << 20} {
		whole, err := open(inMemory(sample), dialects[CSV], columns.Options{}, nil, size)
		require.NoError(t, err)
		var lines []int64
		for g := range whole.RowGroups() {
			part, err := Open(inMemory(sample), CSV, columns.Options{}, whole.Plan(g, 1))
			require.NoError(t, err)
			for batch, err := range part.Read(g, []string{"score"}, nil, 2) {
				require.NoError(t, err)
				lines = batch.Append(lines, batch.Rows)
				require.Equal(t, lines[len(lines)-1], batch.Place(g, batch.Rows-1).Line)
			}
		}
		require.Equal(t, []int64{2, 4, 8, 9}, lines)
	}
}

// TestLineEndsInQuotes: what is in quotes stays as it is.
func TestLineEndsInQuotes(t *testing.T) {
	for format, comma := range map[string]string{CSV: ",", TSV: "\t"} {
		f, err := Open(inMemory(strings.ReplaceAll("a|b\r\n\"x\r\ny\"|1\r\n\"\"\"x\ny\r\"|2\r\n\"\r\n\"|3\n", "|", comma)), format, columns.Options{}, nil)
		require.NoError(t, err)
		require.Equal(t, [][]string{{"x\r\ny", "1"}, {"\"x\ny\r", "2"}, {"\r\n", "3"}}, table(t, f, 10, "a", "b"))
	}
}

// TestNoQuotes: quotes are characters like any other if the user says so, and not otherwise.
func TestNoQuotes(t *testing.T) {
	content := "a\tb\n\"x\t1\n5\" disk\t2\n\"y\"\t3\n"
	for _, known := range []bool{false, true} {
		f, err := Open(inMemory(content), TSV, columns.Options{NoQuotes: true}, nil)
		require.NoError(t, err)
		if known {
			f, err = Open(inMemory(content), TSV, columns.Options{NoQuotes: true}, f.Plan(0, 1))
			require.NoError(t, err)
		}
		require.Equal(t, [][]string{{"\"x", "1"}, {"5\" disk", "2"}, {"\"y\"", "3"}}, table(t, f, 10, "a", "b"))
	}
	_, err := Open(inMemory(content), TSV, columns.Options{}, nil)
	require.ErrorContains(t, err, "or set Options.NoQuotes if quotes are characters like any other")
}

// TestSignedNaN: a NaN may have a sign, as C prints it.
func TestSignedNaN(t *testing.T) {
	f, err := Open(inMemory("a\n-nan\n+NaN\nnan\n-inf\n+Infinity\n"), CSV, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, "float", f.Schema().Fields[0].Physical)
	require.Equal(t, [][]string{{"NaN"}, {"NaN"}, {"NaN"}, {"-Inf"}, {"+Inf"}}, table(t, f, 10, "a"))
}
