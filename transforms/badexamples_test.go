package transforms

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// spoiled are rows of items that make their queries bad. The last row is the bad one.
var spoiled = []struct {
	reason, column, value string
	spoil                 func(of []itemRow[string]) []itemRow[string]
}{
	{"null example id", "query", "null", func(of []itemRow[string]) []itemRow[string] {
		row := of[0]
		row.Query = nil
		return append(of, row)
	}},
	{"null item", "item", "null", func(of []itemRow[string]) []itemRow[string] {
		of[len(of)-1].Item = nil
		return of
	}},
	{"duplicate item", "item", "", func(of []itemRow[string]) []itemRow[string] { return append(of, of[len(of)-1]) }},
	{"null label", "relevance", "null", func(of []itemRow[string]) []itemRow[string] {
		of[len(of)-1].Relevance = nil
		return of
	}},
	{"negative relevance", "relevance", "-1", func(of []itemRow[string]) []itemRow[string] {
		bad := -1.
		of[len(of)-1].Relevance = &bad
		return of
	}},
	{"several weights", "query", "", func(of []itemRow[string]) []itemRow[string] {
		of[len(of)-1].Weight++
		return of
	}},
	{"several slices", "query", "", func(of []itemRow[string]) []itemRow[string] {
		of[len(of)-1].Device = "another"
		return of
	}},
}

// spoil returns rows of items in which every third query is bad, for each reason at
// a time, and the good queries.
func spoil(list []queryRow[string], only string) (rows []itemRow[string], good []queryRow[string], skipped map[string]int64) {
	skipped = make(map[string]int64)
	for i, q := range list {
		of := itemRows([]queryRow[string]{q})
		s := spoiled[(i/3)%len(spoiled)]
		if i%3 > 0 || len(of) < 2 || only != "" && s.reason != only {
			good = append(good, q)
		} else {
			of = s.spoil(of)
			skipped[s.reason]++
			if s.reason == "null example id" { // a row that belongs to none
				good = append(good, q)
			}
		}
		rows = append(rows, of...)
	}
	return rows, good, skipped
}

// TestSkippedExamples: bad examples are counted by reason, once each, and are the
// only ones left out.
func TestSkippedExamples(t *testing.T) {
	noLeaks(t)
	rows, good, skipped := spoil(queryRows(150, func(i int) string { return fmt.Sprint("query ", i) }), "")
	require.Len(t, skipped, len(spoiled))
	spec := rankingSpec(t, metrics.ItemTies)
	want := foldedShards(t, spec, written(t, good, 70))
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		spec := longRanking(spec)
		spec.SkipBadRows = true
		shards, places := placed(t, r, a, rows)
		got := assembled(t, r, spec, shards, nil)
		counts := countsOf(t, got)
		require.Equal(t, skipped, counts.Skipped)
		require.EqualValues(t, 150+skipped["null example id"], counts.Read)
		require.Len(t, counts.Sample, 20)
		for _, at := range counts.Sample {
			i := slices.IndexFunc(places, func(p report.SkippedRow) bool {
				return p.File == at.File && p.RowGroup == at.RowGroup && p.Row == at.Row
			})
			require.GreaterOrEqual(t, i, 0)
			row := &rows[i]
			switch at.Reason {
			case "null example id":
				require.Nil(t, row.Query)
			case "null item":
				require.Nil(t, row.Item)
			case "null label":
				require.Nil(t, row.Relevance)
			case "negative relevance":
				require.EqualValues(t, -1, *row.Relevance)
			case "duplicate item":
				require.Equal(t, fmt.Sprintf("%q", *row.Item), at.Value)
			default:
				require.Equal(t, fmt.Sprintf("%q", *row.Query), at.Value)
			}
		}
		p := mustDecode(t, got[shuffle.Overall])
		require.EqualValues(t, len(good), p.Stats.Examples())
		p.Counts = shuffle.RowCounts{Read: int64(len(good))}
		got[shuffle.Overall] = encoded(t, p)
		requireEqual(t, want, got)
	})
}

// TestBadExamplesFail: the message names the file, row group and row, of the very
// row where one is bad, also of rows that were shuffled.
func TestBadExamplesFail(t *testing.T) {
	noLeaks(t)
	for _, s := range spoiled {
		t.Run(s.reason, func(t *testing.T) {
			list := queryRows(30, func(i int) string { return fmt.Sprint("query ", i) })
			var rows []itemRow[string]
			var bad []int // rows that the message may name
			for i, q := range list {
				of := itemRows([]queryRow[string]{q})
				if i == 11 {
					for len(of) < 2 {
						row, item := of[0], "one more"
						row.Item = &item
						of = append(of, row)
					}
					last := *of[len(of)-1].Item
					of = s.spoil(of)
					for k, row := range of {
						if k == len(of)-1 || s.column == "query" && s.reason != "null example id" || s.reason == "duplicate item" && *row.Item == last {
							bad = append(bad, len(rows)+k)
						}
					}
				}
				rows = append(rows, of...)
			}
			everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
				shards, places := placed(t, r, a, rows)
				_, err := newAssembly(t, r, longRanking(rankingSpec(t, metrics.ExpectedTies))).run(shards, nil)
				require.Error(t, err)
				require.True(t, slices.ContainsFunc(bad, func(i int) bool {
					place := fmt.Sprintf("%s: row group %d, row %d: column %q: %s", places[i].File, places[i].RowGroup, places[i].Row, s.column, s.value)
					return strings.Contains(err.Error(), place)
				}), "%v", err)
			})
		})
	}
}

// TestFirstBadExample: of many bad rows the message names the first, by file, row
// group and row, whatever the order in which workers meet them.
func TestFirstBadExample(t *testing.T) {
	noLeaks(t)
	rows := itemRows(queryRows(60, func(i int) string { return fmt.Sprint("query ", i) }))
	bad := make(map[int]bool)
	for i := range rows {
		if i%7 == 3 {
			negative := -float64(i)
			rows[i].Relevance, bad[i] = &negative, true
		}
	}
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		shards, places := placed(t, r, a, rows)
		var first report.SkippedRow
		value := ""
		for i := range bad {
			if value == "" || report.ComparePlaces(places[i], first) < 0 {
				first, value = places[i], fmt.Sprint(-i)
			}
		}
		want := fmt.Sprintf("%s%s: row group %d, row %d: column %q: %s: ", ErrorMark, first.File, first.RowGroup, first.Row, "relevance", value)
		for range 5 {
			_, err := newAssembly(t, r, longRanking(rankingSpec(t, metrics.ExpectedTies))).run(shards, nil)
			require.ErrorContains(t, err, want)
		}
	})
}

// TestReasonOfSeveral: where several rows of an example are bad, each in its way, why
// it is skipped does not depend on their order.
func TestReasonOfSeveral(t *testing.T) {
	list := queryRows(60, func(i int) string { return fmt.Sprint("query ", i) })
	r := rand.New(rand.NewPCG(4, 4))
	rows := itemRows(list)
	below := -1.
	for i := range rows {
		switch r.IntN(6) {
		case 0:
			rows[i].Relevance = nil
		case 1:
			rows[i].Relevance = &below
		case 2:
			rows[i].Item = nil
		}
	}
	labels := labelRows(drawExamples(60), false)
	unknown := "unknown"
	for i := range labels {
		switch r.IntN(20) {
		case 0:
			labels[i].Class = nil
		case 1:
			labels[i].Class = &unknown
		case 2:
			labels[i].Score = 7
		case 3:
			labels[i].Class = labels[i-i%4].Class
		}
	}
	multilabel := long(scenarioNamed(t, "multilabel").spec, nil)
	multilabel.Params.ScoreType = metrics.Probability
	multilabel = complete(t, multilabel)
	for i := range labels {
		if labels[i].Score != 7 {
			labels[i].Score = .5
		}
	}
	for name, run := range map[string]func(*rand.Rand, Spec) (folded, error){
		"items": func(r *rand.Rand, spec Spec) (folded, error) {
			return newAssembly(t, r, spec).run(arranged(t, r, arrangements[5], rows), nil)
		},
		"labels": func(r *rand.Rand, spec Spec) (folded, error) {
			return newAssembly(t, r, spec).run(arranged(t, r, arrangements[5], labels), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := longRanking(rankingSpec(t, metrics.ItemTies))
			if name == "labels" {
				spec = multilabel
			}
			spec.SkipBadRows = true
			var first map[string]int64
			for i := range 12 {
				got, err := run(rand.New(rand.NewPCG(uint64(i), 1)), spec)
				require.NoError(t, err)
				counts := countsOf(t, got)
				if first == nil {
					first = counts.Skipped
					require.Greater(t, len(first), 2)
				}
				require.Equal(t, first, counts.Skipped)
			}
		})
	}
}

// TestTruthAndPredictions: predictions without truth fail or are left out; truth
// without predictions is counted; either twice is bad.
func TestTruthAndPredictions(t *testing.T) {
	noLeaks(t)
	s := scenarioNamed(t, "multiclass")
	rows := drawExamples(40)
	predictions := append(slices.Clone(rows[:30]), rows[3], rows[3]) // 3 thrice
	truth := append(slices.Clone(rows[5:]), rows[7])                 // 0 to 4 are missing; 7 is twice, 30 to 39 are not predicted
	spec := withTruth(s.spec)
	want := foldedShards(t, s.spec, written(t, append(slices.Clone(rows[5:7]), rows[8:30]...), 70))
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		run := func(skipBad, skipMissing bool, predictions, truth []example) (folded, error) {
			spec := spec
			truthSpec := *spec.Truth
			truthSpec.SkipMissing = skipMissing
			spec.SkipBadRows, spec.Truth = skipBad, &truthSpec
			return newAssembly(t, r, spec).run(arranged(t, r, a, predictions), arranged(t, r, a, truth))
		}
		got, err := run(true, true, predictions, truth)
		require.NoError(t, err)
		counts := countsOf(t, got)
		require.Equal(t, map[string]int64{"no truth": 4, "duplicate example": 2}, counts.Skipped)
		counts.Skipped, counts.Sample = nil, nil
		require.Equal(t, shuffle.RowCounts{Read: 30, TruthRead: 35, Unmatched: 10}, counts)
		p := mustDecode(t, got[shuffle.Overall])
		p.Counts = shuffle.RowCounts{Read: 24, Found: p.Counts.Found}
		got[shuffle.Overall] = encoded(t, p)
		requireEqual(t, want, got)

		_, err = run(true, false, rows[:6], rows[5:])
		require.ErrorContains(t, err, `the truth has no row for it; set Truth.SkipMissing to count and skip such examples`)
		_, err = run(false, true, rows[:6], rows[5:])
		require.NoError(t, err)
		_, err = run(false, true, predictions, rows)
		require.ErrorContains(t, err, `column "id": "example 3": there are several rows of the example; expected one (set Spec.SkipBadRows`)
		_, err = run(false, true, rows[5:30], truth)
		require.ErrorContains(t, err, `column "id": "example 7": there are several rows of the example; expected one (set Spec.SkipBadRows`)
	})
}

// TestFailedAssembliesLeaveNoFiles: whichever step fails, here or elsewhere, it
// removes what nobody was told of.
func TestFailedAssembliesLeaveNoFiles(t *testing.T) {
	noLeaks(t)
	r := rand.New(rand.NewPCG(1, 1))
	list := queryRows(60, func(i int) string { return fmt.Sprint("query ", i) })
	good := arranged(t, r, arrangements[4], itemRows(list))[0]
	gone := good
	gone.File = filepath.Join(t.TempDir(), "gone.parquet")
	spec := longRanking(rankingSpec(t, metrics.ExpectedTies))
	spec.PerQuery = true
	empty := func(dir string) {
		require.Empty(t, filesIn(t, dir))
		require.Empty(t, openFiles(t, dir))
	}

	spec.TempDir = t.TempDir()
	keys := &join.KeysFn{Example: "query", TempDir: spec.TempDir}
	keys.Setup()
	for range 2 {
		require.NoError(t, keys.ProcessElement(t.Context(), good, nil))
		err := keys.ProcessElement(t.Context(), gone, nil)
		if err == nil {
			err = keys.FinishBundle(t.Context(), nil)
		}
		require.ErrorContains(t, err, gone.File)
		empty(spec.TempDir)
		require.NoError(t, keys.ProcessElement(t.Context(), good, nil))
		keys.Teardown()
		empty(spec.TempDir)
	}

	for range 2 {
		f := &join.ScatterFn{Job: asSettled(spec).Job}
		f.Setup()
		err := f.ProcessElement(t.Context(), good, nil, nil)
		require.NoError(t, err)
		if err = f.ProcessElement(t.Context(), gone, nil, nil); err == nil {
			err = f.FinishBundle(t.Context(), nil, nil)
		}
		require.ErrorContains(t, err, gone.File)
		empty(spec.TempDir)
		require.NoError(t, f.ProcessElement(t.Context(), good, nil, nil))
		f.Teardown()
		empty(spec.TempDir)

		whole := newFoldFn(spec)
		// All of its examples have rows elsewhere.
		var scattered []shuffle.TaskInput
		for bucket := range new(lanes.Division).BucketCount() {
			scattered = append(scattered, shuffle.TaskInput{Scattered: &shuffle.ScatteredKeys{Shard: shuffle.ShardName(&good), Bucket: bucket, All: true}})
		}
		require.NoError(t, foldShard(t.Context(), whole, good, scattered...))
		if err = foldShard(t.Context(), whole, gone); err == nil {
			err = whole.FinishBundle(t.Context(), nil, nil, nil)
		}
		require.ErrorContains(t, err, gone.File)
		empty(spec.TempDir)
		require.NoError(t, foldShard(t.Context(), whole, good, scattered...))
		whole.Teardown()
		empty(spec.TempDir)
	}

	// The chunks are in files of their own here.
	a := newAssembly(t, r, spec)
	a.spec.TempDir = t.TempDir()
	require.NoError(t, a.scatter([]input.Shard{good}, false))
	for _, damage := range []func(c *shuffle.RowChunk){
		func(c *shuffle.RowChunk) { c.Data = shuffle.Spilled{Bytes: []byte{255, 255, 255}} },
		func(c *shuffle.RowChunk) { c.Data.Parts[0].Size = 1 << 60 },
	} {
		f := newFoldFn(spec)
		var err error
		for part, chunks := range a.rest {
			chunks = slices.Clone(chunks)
			if len(chunks) > 0 {
				rows := *chunks[len(chunks)-1].Rows
				damage(&rows)
				chunks[len(chunks)-1].Rows = &rows
			}
			if err = f.ProcessElement(t.Context(), part, values(append(a.rest[part], chunks...)), nil, nil, nil); err != nil {
				break
			}
		}
		if err == nil {
			err = f.FinishBundle(t.Context(), nil, nil, nil)
		}
		require.ErrorContains(t, err, ErrorMark)
		empty(spec.TempDir)
	}
	require.Empty(t, openFiles(t, a.spec.TempDir))
}
