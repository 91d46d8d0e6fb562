package groupby

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/beameval/beameval/io/columns"
)

const benchmarkRows = 8192

// queries are items of a ranking: a query has 100.
func queries(rng *rand.Rand) []*columns.Column {
	query, doc, score, grade := ints(), ints(), floats(), ints()
	for i := range benchmarkRows {
		query.Ints = append(query.Ints, 1e6+int64(i/100))
		doc.Ints = append(doc.Ints, rng.Int64N(1e7))
		score.Floats = append(score.Floats, rng.Float64())
		grade.Ints = append(grade.Ints, rng.Int64N(5))
	}
	return []*columns.Column{query, doc, score, grade}
}

// examples are labels of examples: an example has 20 rows.
func examples(rng *rand.Rand) []*columns.Column {
	example, label, score, truth := texts(), texts(), floats(), bools()
	for i := range benchmarkRows {
		example.Codes = append(example.Codes, example.Dict.CodeOf(fmt.Sprintf("example-%08d", i/20*37)))
		label.Codes = append(label.Codes, label.Dict.CodeOf(fmt.Sprint("label ", i%20)))
		score.Floats = append(score.Floats, float64(rng.Float32()))
		truth.Ints = append(truth.Ints, rng.Int64N(5)/4)
	}
	return []*columns.Column{example, label, score, truth}
}

var layouts = []struct {
	name    string
	columns func(*rand.Rand) []*columns.Column
}{{"queries", queries}, {"examples", examples}}

func reportRate(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, unit)
}

func BenchmarkAppend(b *testing.B) {
	for _, layout := range layouts {
		from := layout.columns(random(1))
		for _, order := range []string{"contiguous", "scattered"} {
			b.Run(layout.name+"/"+order, func(b *testing.B) {
				b.ReportAllocs()
				rows := make([]int32, benchmarkRows)
				for i, r := range random(2).Perm(benchmarkRows) {
					rows[i] = int32(i)
					if order == "scattered" {
						rows[i] = int32(r)
					}
				}
				var table Table
				for i := 0; b.Loop(); i++ {
					if i%16 == 0 { // tables of a size to send
						table.Reset()
					}
					if err := table.Append(from, rows); err != nil {
						b.Fatal(err)
					}
				}
				reportRate(b, benchmarkRows*len(from), "Mvalues/s")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, layout := range layouts {
		b.Run(layout.name, func(b *testing.B) {
			table := tableOf(b, layout.columns(random(1))...)
			b.SetBytes(int64(table.Size()))
			b.ReportAllocs()
			var data []byte
			for b.Loop() {
				data, _ = table.Encode()
			}
			b.ReportMetric(float64(len(data))/benchmarkRows, "bytes/row")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, layout := range layouts {
		b.Run(layout.name, func(b *testing.B) {
			table := tableOf(b, layout.columns(random(1))...)
			data := encoded(b, table)
			b.SetBytes(int64(table.Size()))
			b.ReportAllocs()
			var into Table
			for b.Loop() {
				if err := into.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// keyColumns are keys that are contiguous and keys that are not.
func keyColumns() (names []string, keys []*columns.Column) {
	rng := random(1)
	for _, order := range []string{"contiguous", "scattered"} {
		i, s, f := ints(), texts(), floats()
		for r := range benchmarkRows {
			k := int64(r / 20)
			if order == "scattered" {
				k = rng.Int64N(benchmarkRows / 20)
			}
			i.Ints = append(i.Ints, k)
			s.Codes = append(s.Codes, s.Dict.CodeOf(fmt.Sprint("example ", k)))
			f.Floats = append(f.Floats, float64(k)+.5)
		}
		for _, c := range []*columns.Column{i, s, f} {
			names, keys = append(names, fmt.Sprint(c.Type, "/", order)), append(keys, c)
		}
	}
	return names, keys
}

func BenchmarkGroup(b *testing.B) {
	names, keys := keyColumns()
	for i, c := range keys {
		b.Run(names[i], func(b *testing.B) {
			b.ReportAllocs()
			var g Grouper
			for b.Loop() {
				g.Group(c)
			}
			reportRate(b, benchmarkRows, "Mrows/s")
		})
		b.Run("hash/"+names[i], func(b *testing.B) {
			var out []uint64
			for b.Loop() {
				out = Hash(out, c)
			}
			reportRate(b, benchmarkRows, "Mrows/s")
		})
	}
	b.Run("distinct", func(b *testing.B) {
		c := ints()
		for _, k := range random(1).Perm(1 << 20) {
			c.Ints = append(c.Ints, int64(k/2))
		}
		var g Grouper
		for b.Loop() {
			g.Group(c)
		}
		reportRate(b, c.Len(), "Mrows/s")
	})
}
