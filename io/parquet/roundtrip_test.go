package parquet

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

type labelled struct {
	Label string  `parquet:"label,dict"`
	Score float64 `parquet:"score"`
}

// prediction has columns in all forms that parquet-go writes.
type prediction struct {
	ID       string             `parquet:"id"`
	Country  *string            `parquet:"country,optional,dict"`
	Name     string             `parquet:"name,delta"`
	Count    int64              `parquet:"count,delta"`
	Rank     int32              `parquet:"rank,dict"`
	Small    *int32             `parquet:"small,optional,dict"`
	Truth    bool               `parquet:"truth"`
	Maybe    *bool              `parquet:"maybe,optional"`
	Score    float64            `parquet:"score"`
	Split    float64            `parquet:"split,split"`
	Logit    *float32           `parquet:"logit,optional"`
	Coarse   float32            `parquet:"coarse,dict"`
	Weight   uint32             `parquet:"weight"`
	Indices  []int32            `parquet:"indices,list"`
	Repeated []string           `parquet:"repeated"`
	Dense    []float32          `parquet:"dense,list"`
	Optional []float64          `parquet:"opt,optional,list"`
	Sparse   map[string]float64 `parquet:"sparse"`
	Top      []labelled         `parquet:"top,list"`
	Model    struct {
		Version string  `parquet:"version,dict"`
		Prior   float32 `parquet:"prior"`
	} `parquet:"model"`
	Previous *struct {
		Score *float64 `parquet:"score,optional"`
		Names []string `parquet:"names,list"`
	} `parquet:"previous,optional"`
}

// special are floats that are easily lost.
var special = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324,
	math.MaxFloat64, math.SmallestNonzeroFloat32, math.MaxFloat32, 0x1p-1022, 1}

func randomPrediction(r *rand.Rand, i int) (p prediction) {
	maybe := func() bool { return r.IntN(4) > 0 }
	double := func() float64 {
		if r.IntN(3) == 0 {
			return special[r.IntN(len(special))]
		}
		return r.NormFloat64()
	}
	p.ID = fmt.Sprint("example ", i)
	if maybe() {
		p.Country = new([]string{"de", "fr", "", "日本"}[r.IntN(4)])
	}
	p.Name = fmt.Sprintf("common prefix %d", r.IntN(50))
	p.Count = r.Int64() >> r.IntN(64)
	p.Rank = int32(r.Uint32()) >> r.IntN(32)
	if maybe() {
		p.Small = new(int32(r.IntN(9) - 4))
	}
	p.Truth = maybe()
	if maybe() {
		p.Maybe = new(maybe())
	}
	p.Score, p.Split, p.Coarse, p.Weight = double(), double(), float32(double()), r.Uint32()
	if maybe() {
		p.Logit = new(float32(double()))
	}
	for range r.IntN(5) {
		p.Indices = append(p.Indices, int32(r.IntN(100)))
		p.Repeated = append(p.Repeated, fmt.Sprint("label ", r.IntN(9)))
		p.Optional = append(p.Optional, double())
		p.Top = append(p.Top, labelled{fmt.Sprint("label ", r.IntN(9)), double()})
	}
	if maybe() {
		p.Sparse = map[string]float64{"one": double()}
	}
	for range 10 {
		p.Dense = append(p.Dense, float32(double()))
	}
	p.Model.Version, p.Model.Prior = fmt.Sprint("v", r.IntN(3)), float32(double())
	if maybe() {
		p.Previous = new(struct {
			Score *float64 `parquet:"score,optional"`
			Names []string `parquet:"names,list"`
		})
		if maybe() {
			p.Previous.Score = new(double())
		}
		if maybe() {
			p.Previous.Names = []string{"a", "b"}
		}
	}
	return p
}

func pointer[T any, V any](p *T, value func(T) V) any {
	if p == nil {
		return nil
	}
	return value(*p)
}

func listOf[T any](list []T, value func(T) any) any {
	out := []any{}
	for _, v := range list {
		out = append(out, value(v))
	}
	return out
}

// columnsOf returns the values as which a prediction should be read.
func columnsOf(p prediction) map[string]any {
	text := func(s string) any { return s }
	double := func(f float64) any { return f }
	c := map[string]any{
		"id":             p.ID,
		"country":        pointer(p.Country, text),
		"name":           p.Name,
		"count":          p.Count,
		"rank":           int64(p.Rank),
		"small":          pointer(p.Small, func(v int32) any { return int64(v) }),
		"truth":          p.Truth,
		"maybe":          pointer(p.Maybe, func(v bool) any { return v }),
		"score":          p.Score,
		"split":          p.Split,
		"logit":          pointer(p.Logit, func(v float32) any { return float64(v) }),
		"coarse":         float64(p.Coarse),
		"weight":         int64(p.Weight),
		"indices":        listOf(p.Indices, func(v int32) any { return int64(v) }),
		"repeated":       listOf(p.Repeated, text),
		"dense":          listOf(p.Dense, func(v float32) any { return float64(v) }),
		"opt":            listOf(p.Optional, double),
		"sparse.key":     []any{},
		"sparse.value":   []any{},
		"top.label":      listOf(p.Top, func(l labelled) any { return l.Label }),
		"top.score":      listOf(p.Top, func(l labelled) any { return l.Score }),
		"model.version":  p.Model.Version,
		"model.prior":    float64(p.Model.Prior),
		"previous.score": nil,
		"previous.names": nil,
	}
	if p.Optional == nil {
		c["opt"] = nil
	}
	if p.Sparse != nil {
		c["sparse.key"], c["sparse.value"] = []any{"one"}, []any{p.Sparse["one"]}
	}
	if p.Previous != nil {
		c["previous.score"] = pointer(p.Previous.Score, double)
		c["previous.names"] = listOf(p.Previous.Names, text)
	}
	return c
}

// TestRoundTrip writes all forms with parquet-go, and reads them back.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]prediction, 1500)
	want := map[string][]any{}
	for i := range rows {
		rows[i] = randomPrediction(r, i)
		for path, v := range columnsOf(rows[i]) {
			want[path] = append(want[path], v)
		}
	}
	for i, codec := range []parquet.WriterOption{
		parquet.Compression(&parquet.Uncompressed),
		parquet.Compression(&parquet.Snappy),
		parquet.Compression(&parquet.Gzip),
		parquet.Compression(&parquet.Zstd),
		parquet.Compression(&parquet.Lz4Raw),
		parquet.Compression(&parquet.Brotli),
	} {
		for version := 1; version <= 2; version++ {
			for _, pageSize := range []int{200, 1 << 20} {
				if (i > 1) != (pageSize > 200) { // one is enough of each
					continue
				}
				t.Run(fmt.Sprintf("codec=%d/version=%d/page=%d", i, version, pageSize), func(t *testing.T) {
					f := mustOpen(t, write(t, rows, codec, parquet.DataPageVersion(version),
						parquet.PageBufferSize(pageSize), parquet.MaxRowsPerRowGroup(650)))
					require.Equal(t, []int64{650, 650, 200}, f.RowGroups())
					var paths []string
					for _, field := range f.Schema().Fields {
						paths = append(paths, field.Path)
					}
					require.Len(t, paths, len(want))
					got := mustRead(t, f, 97+i, paths...)
					for i, path := range paths {
						requireEqual(t, want[path], got[i], path)
					}
				})
			}
		}
	}
}

// TestSharedStrings compares codes of two columns and two files.
func TestSharedStrings(t *testing.T) {
	type row struct {
		A string   `parquet:"a,dict"`
		B []string `parquet:"b,list"`
	}
	dict := new(columns.Strings)
	var codes [][]int32
	for _, rows := range [][]row{{{"x", []string{"y", "x"}}}, {{"z", []string{"x", "y"}}}} {
		f := mustOpen(t, write(t, rows))
		for b, err := range f.Read(0, []string{"a", "b"}, []*columns.Strings{dict, dict}, 10) {
			require.NoError(t, err)
			for _, c := range b.Columns {
				require.Same(t, dict, c.Dict)
				codes = append(codes, append([]int32(nil), c.Codes...))
			}
		}
	}
	require.Equal(t, []string{"x", "y", "z"}, dict.Values())
	require.Equal(t, [][]int32{{0}, {1, 0}, {2}, {0, 1}}, codes)

	// Without a table, or with one only for the first column, each column has its own.
	f := mustOpen(t, write(t, []row{{"x", []string{"y", "x"}}}))
	for b, err := range f.Read(0, []string{"a", "b"}, []*columns.Strings{nil}, 10) {
		require.NoError(t, err)
		require.Equal(t, []string{"x"}, b.Columns[0].Dict.Values())
		require.Equal(t, []string{"y", "x"}, b.Columns[1].Dict.Values())
	}
}

// TestReaders uses two readers of the same columns in turn: reused memory must not be shared.
func TestReaders(t *testing.T) {
	type row struct {
		V *float64 `parquet:"v,optional"`
		L []int64  `parquet:"l,list"`
	}
	file := func(x float64) *File {
		rows := make([]row, 2000)
		for i := range rows {
			if i%3 > 0 {
				rows[i].V = new(x * float64(i))
			}
			for j := range i % 4 {
				rows[i].L = append(rows[i].L, int64(x)*int64(i+j))
			}
		}
		return mustOpen(t, write(t, rows))
	}
	f, g := file(1), file(-1)
	for range 3 {
		next, stop := iter.Pull2(g.Read(0, []string{"v", "l", "v"}, nil, 300))
		for x, err := range f.Read(0, []string{"v", "l", "v"}, nil, 300) {
			require.NoError(t, err)
			y, err, more := next()
			require.NoError(t, err)
			require.True(t, more)
			require.Equal(t, x.First, y.First)
			require.Equal(t, x.Columns[0], x.Columns[2])
			require.Equal(t, x.Columns[0].Null, y.Columns[0].Null)
			for i, v := range x.Columns[0].Floats {
				require.Equal(t, v, -y.Columns[0].Floats[i])
				require.Equal(t, (x.First+int64(i))%3 == 0, x.Columns[0].Null[i])
			}
			require.Equal(t, x.Columns[1].Offsets, y.Columns[1].Offsets)
			for i, v := range x.Columns[1].Ints {
				require.Equal(t, v, -y.Columns[1].Ints[i])
			}
		}
		_, _, more := next()
		require.False(t, more)
		stop()
	}
}

// TestConcurrent reads the row groups of a file concurrently.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]prediction, 2000)
	for i := range rows {
		rows[i] = randomPrediction(r, i)
	}
	f := mustOpen(t, write(t, rows, parquet.MaxRowsPerRowGroup(100), parquet.Compression(&parquet.Zstd)))
	var wg sync.WaitGroup
	for g := range f.RowGroups() {
		wg.Go(func() {
			n := 100 * g
			for b, err := range f.Read(g, []string{"id", "count", "dense"}, nil, 30) {
				if !assert.NoError(t, err) {
					return
				}
				for i := range b.Rows {
					row := rows[n+i]
					assert.Equal(t, row.ID, b.Columns[0].Dict.Values()[b.Columns[0].Codes[i]])
					assert.Equal(t, row.Count, b.Columns[1].Ints[i])
					assert.EqualValues(t, len(row.Dense), b.Columns[2].Offsets[i+1]-b.Columns[2].Offsets[i])
				}
				n += b.Rows
			}
			assert.Equal(t, 100*g+100, n)
		})
	}
	wg.Wait()
}

// TestAllocations: reading a batch does not allocate.
func TestAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]prediction, 20000)
	for i := range rows {
		rows[i] = randomPrediction(r, i%1000)
	}
	f := mustOpen(t, write(t, rows))
	next, stop := iter.Pull2(f.Read(0, []string{"score", "logit", "coarse", "country", "indices", "dense", "top.label", "maybe"}, nil, 100))
	defer stop()
	read := func() {
		if _, err, more := next(); err != nil || !more {
			t.Fatal(err)
		}
	}
	for range 20 {
		read()
	}
	allocs := testing.AllocsPerRun(150, read)
	require.Less(t, allocs, 1.0) // pages cost some
}
