package scoreruns

import (
	"math"
	"math/rand/v2"
	"testing"
)

const benchmarkRows = 500_000

type workload struct {
	name string
	draw func(r *rand.Rand) example
}

var workloads = []workload{
	{"float64", func(r *rand.Rand) example { return example{r.Float64(), 0, uint32(r.IntN(2)), 1} }},
	{"float64 weighted", func(r *rand.Rand) example { return example{r.Float64(), 0, uint32(r.IntN(2)), 2 * r.Float64()} }},
	{"float64 few weights", func(r *rand.Rand) example {
		return example{r.Float64(), 0, uint32(r.IntN(2)), float64(1+r.IntN(9)) / 10}
	}},
	{"float32", func(r *rand.Rand) example { return example{float64(r.Float32()), 0, uint32(r.IntN(2)), 1} }},
	{"float32 one tag", func(r *rand.Rand) example { return example{float64(r.Float32()), 0, 7, 1} }},
	{"logits 30 tags", func(r *rand.Rand) example { return example{3 * r.NormFloat64(), 0, uint32(r.IntN(30)), 1} }},
	{"percentages", func(r *rand.Rand) example { return example{math.Round(100*r.Float64()) / 100, 0, uint32(r.IntN(2)), 1} }},
	{"percentages weighted", func(r *rand.Rand) example {
		return example{math.Round(100*r.Float64()) / 100, 0, uint32(r.IntN(2)), 2 * r.Float64()}
	}},
}

func drawn(draw func(r *rand.Rand) example, n int) []example {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([]example, n)
	for i := range rows {
		rows[i] = draw(r)
	}
	return rows
}

// perEntry reports the time for each entry.
func perEntry(b *testing.B, entries int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
}

func BenchmarkBuild(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			rows := drawn(w.draw, benchmarkRows)
			var builder Builder
			var run []byte
			b.ReportAllocs()
			for b.Loop() {
				for _, e := range rows {
					e.addTo(&builder)
				}
				run = builder.AppendRun(run[:0])
			}
			perEntry(b, len(rows))
			b.ReportMetric(float64(len(run))/float64(len(rows)), "bytes/entry")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			run := runOf(drawn(w.draw, benchmarkRows))
			n := Count(run)
			var room block
			for b.Loop() {
				left := blocks{rest: run}
				for left.decode(&room) {
				}
			}
			perEntry(b, n)
		})
	}
}

// benchmarkRuns divides the examples of a workload among 32 runs.
func benchmarkRuns(w workload) (list []Run, entries int) {
	list = make([]Run, 32)
	rows := drawn(w.draw, benchmarkRows)
	for i := range list {
		run := runOf(rows[i*len(rows)/len(list) : (i+1)*len(rows)/len(list)])
		list[i] = Run{run, sameTags(30)}
		entries += Count(run)
	}
	return list, entries
}

func BenchmarkSort(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			list, entries := benchmarkRuns(w)
			var s Sorter
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sortWithin(&s, list, 30, Everything); err != nil {
					b.Fatal(err)
				}
			}
			perEntry(b, entries)
		})
	}
}

func BenchmarkDivide(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			images := make([]uint64, benchmarkRows)
			for i, e := range drawn(w.draw, len(images)) {
				images[i] = Image(e.score)
			}
			d := NewDivider(Bounds(sampleOf(images), 40))
			ranges := make([]int, d.Ranges())
			for b.Loop() {
				for _, image := range images {
					ranges[d.Range(image)]++
				}
			}
			perEntry(b, len(images))
		})
	}
}
