package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// labelRow is a label of an example.
type labelRow struct {
	ID      string  `parquet:"id"`
	Class   *string `parquet:"class,optional"`
	True    bool    `parquet:"true"`
	Score   float64 `parquet:"score"`
	Chosen  bool    `parquet:"chosen"`
	Weight  float64 `parquet:"weight"`
	Country *string `parquet:"country,optional"`
	Device  string  `parquet:"device"`
}

// labelRows returns a row for each label of examples or, if sparse, for each that
// has a score.
func labelRows(list []example, sparse bool) []labelRow {
	var rows []labelRow
	for i := range list {
		e := &list[i]
		for k, name := range labelNames {
			if sparse && !slices.ContainsFunc(e.Ranked, func(r ranked) bool { return r.Label == name }) {
				continue
			}
			rows = append(rows, labelRow{e.ID, &name, slices.Contains(e.Labels, name), e.Logits[k], slices.Contains(e.Guesses, name), e.Weight, e.Country, e.Device})
		}
	}
	return rows
}

// rankedOnly makes only labels true, and predicted, that have scores.
func rankedOnly(list []example) []example {
	for i := range list {
		e := &list[i]
		unranked := func(name string) bool {
			return !slices.ContainsFunc(e.Ranked, func(r ranked) bool { return r.Label == name })
		}
		e.Labels, e.Guesses = slices.DeleteFunc(e.Labels, unranked), slices.DeleteFunc(e.Guesses, unranked)
	}
	return list
}

// long is a multilabel spec for a row per label, of truth there or elsewhere.
func long(spec Spec, truth *input.Columns) Spec {
	c := &spec.Columns
	*c = input.Columns{Example: "id", Class: "class", Label: "true", Score: c.Score, Prediction: c.Prediction, Weight: c.Weight}
	if c.Score != "" {
		c.Score = "score"
	}
	if c.Prediction != "" {
		c.Prediction = "chosen"
	}
	if spec.Long = true; truth != nil {
		c.Label, spec.Truth = "", &Truth{Columns: *truth}
	}
	return spec
}

// longScenario is a multilabel scenario with rows per label.
type longScenario struct {
	name   string
	spec   Spec
	sparse bool
}

func longScenarios(t testing.TB) []longScenario {
	dense := scenarioNamed(t, "multilabel").spec
	decided := dense
	decided.Columns.Prediction = "guesses"
	decisions := scenarioNamed(t, "multilabel, labels found").spec
	decisions.Labels = dense.Labels
	few := scenarioNamed(t, "multilabel, sparse, labels found").spec
	few.Labels = dense.Labels
	fewDecided := few
	fewDecided.Columns.Prediction = "guesses"
	return []longScenario{
		{"scores", dense, false},
		{"scores and decisions", complete(t, decided), false},
		{"decisions", decisions, false},
		{"sparse", few, true},
		{"sparse, scores and decisions", complete(t, fewDecided), true},
	}
}

// TestRowPerLabel: a row for each label gives what a row for each example does.
func TestRowPerLabel(t *testing.T) {
	noLeaks(t)
	judged := input.Columns{Example: "id", Class: "class", Label: "true"}
	lists := input.Columns{Example: "id", Label: "labels"}
	for _, s := range longScenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			rows := rankedOnly(drawExamples(80))
			want := foldedShards(t, s.spec, written(t, rows, 70))
			everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
				shards := arranged(t, r, a, labelRows(rows, s.sparse))
				assembly := newAssembly(t, r, long(s.spec, nil))
				got, err := assembly.run(shards, nil)
				require.NoError(t, err)
				requireEqual(t, want, got)
				if a.name == "in order" {
					require.Empty(t, assembly.rest, "nothing is shuffled")
				}
				got = assembled(t, r, long(s.spec, &judged), shards, arranged(t, r, a, labelRows(rows, s.sparse)))
				requireEqual(t, want, withoutTruthCounts(t, got))
				got = assembled(t, r, long(s.spec, &lists), shards, arranged(t, r, a, rows))
				requireEqual(t, want, withoutTruthCounts(t, got))
				require.Equal(t, shuffle.RowCounts{Read: 80, TruthRead: 80}, countsOf(t, got))
			})
		})
	}
}

// TestDamagedRowsPerLabel: a row that is there twice, is missing or is bad is found, whatever the
// order of the rows.
func TestDamagedRowsPerLabel(t *testing.T) {
	noLeaks(t)
	dense := scenarioNamed(t, "multilabel").spec
	dense.Params.Metrics, dense.Params.Scores, dense.Params.Decisions = []string{"precision", "recall_macro"}, true, true
	dense.Columns.Weight, dense.Slices = "", nil
	decided := dense
	decided.Columns.Score, decided.Columns.Prediction, decided.Params.Scores = "", "guesses", false
	for name, spec := range map[string]Spec{"scores": dense, "decisions": decided} {
		inRows := long(spec, nil)
		list := drawExamples(400)
		want := foldedShards(t, spec, written(t, list, 70))
		everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
			rows := labelRows(list, false)
			got, err := newAssembly(t, r, inRows).run(arranged(t, r, a, rows), nil)
			require.NoError(t, err)
			requireEqual(t, want, got)

			twice := append(slices.Clone(rows), rows[r.IntN(len(rows))])
			_, err = newAssembly(t, r, inRows).run(arranged(t, r, a, twice), nil)
			require.ErrorContains(t, err, "the example has it twice", name)

			missing := slices.Delete(slices.Clone(rows), 7, 8)
			_, err = newAssembly(t, r, inRows).run(arranged(t, r, a, missing), nil)
			if name == "scores" {
				require.ErrorContains(t, err, "labels", name)
			} else {
				require.NoError(t, err, "the label is not true, and not predicted")
			}

			bad := slices.Clone(rows)
			bad[r.IntN(len(bad))].Class = nil
			_, err = newAssembly(t, r, inRows).run(arranged(t, r, a, bad), nil)
			require.ErrorContains(t, err, "null", name)
		})
	}
}

// TestSparseTruth: a label may be true that has no score.
func TestSparseTruth(t *testing.T) {
	s := longScenarios(t)[3]
	rows := drawExamples(80)
	want := foldedShards(t, s.spec, written(t, rows, 70))
	var judged []labelRow
	for _, row := range labelRows(rows, false) {
		if row.True || *row.Class == "a" {
			judged = append(judged, row)
		}
	}
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		spec := long(s.spec, &input.Columns{Example: "id", Class: "class", Label: "true"})
		got := assembled(t, r, spec, arranged(t, r, a, labelRows(rows, true)), arranged(t, r, a, judged))
		requireEqual(t, want, withoutTruthCounts(t, got))
	})
}

// queryRow is a query with lists, itemRow an item that was retrieved for a query, and judgedRow an
// item that was judged; ids have some type.
type queryRow[K any] struct {
	Query     K         `parquet:"query"`
	Items     []string  `parquet:"items,list"`
	Relevance []float64 `parquet:"relevance,list"`
	Scores    []float64 `parquet:"scores,list"`
	Weight    float64   `parquet:"weight"`
	Country   *string   `parquet:"country,optional"`
	Device    string    `parquet:"device"`
}

type itemRow[K any] struct {
	Query     *K       `parquet:"query,optional"`
	Item      *string  `parquet:"item,optional"`
	Relevance *float64 `parquet:"relevance,optional"`
	Score     float64  `parquet:"score"`
	Weight    float64  `parquet:"weight"`
	Country   *string  `parquet:"country,optional"`
	Device    string   `parquet:"device"`
}

type judgedRow[K any] struct {
	ID     K       `parquet:"id"`
	Doc    string  `parquet:"doc"`
	Degree float32 `parquet:"degree"`
}

// queryRows draws n queries. Many scores are equal.
func queryRows[K any](n int, key func(int) K) []queryRow[K] {
	r := rand.New(rand.NewPCG(uint64(n), 9))
	list := make([]queryRow[K], n)
	for i, e := range drawExamples(n) {
		q := queryRow[K]{Query: key(i), Weight: e.Weight, Country: e.Country, Device: e.Device}
		for _, item := range r.Perm(14)[:1+r.IntN(12)] {
			q.Items = append(q.Items, fmt.Sprint("item ", item))
			q.Relevance = append(q.Relevance, float64(max(0, r.IntN(6)-2)))
			q.Scores = append(q.Scores, float64(r.IntN(6))/4)
		}
		list[i] = q
	}
	return list
}

func itemRows[K any](list []queryRow[K]) []itemRow[K] {
	var rows []itemRow[K]
	for _, q := range list {
		for i := range q.Items {
			rows = append(rows, itemRow[K]{&q.Query, &q.Items[i], &q.Relevance[i], q.Scores[i], q.Weight, q.Country, q.Device})
		}
	}
	return rows
}

// rankingSpec evaluates queries with lists, weighted, by country and device.
func rankingSpec(t testing.TB, ties metrics.Ties) Spec {
	return complete(t, Spec{
		Params: metrics.Params{
			Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore,
			Ranking: metrics.RankingOptions{RelevanceThreshold: 1, MaxRelevance: 4, Ties: ties},
		},
		Columns: input.Columns{Label: "relevance", Score: "scores", Item: "items", Weight: "weight"},
		Slices:  []Slice{by("country"), by("device", "country")},
	})
}

// longRanking is a spec of rankings for a row per item.
func longRanking(spec Spec) Spec {
	spec.Long, spec.Columns = true, input.Columns{Example: "query", Item: "item", Label: "relevance", Score: "score", Weight: spec.Columns.Weight}
	return spec
}

// withQrels is longRanking of truth elsewhere.
func withQrels(spec Spec) Spec {
	spec = longRanking(spec)
	spec.Columns.Label = ""
	spec.Truth = &Truth{Columns: input.Columns{Example: "id", Item: "doc", Label: "degree"}}
	return spec
}

// TestRowPerItem: a row for each item gives what a row for each query does, of
// whatever type ids are.
func TestRowPerItem(t *testing.T) {
	noLeaks(t)
	t.Run("string", func(t *testing.T) { testRowPerItem(t, 120, func(i int) string { return fmt.Sprint("query ", i) }) })
	t.Run("int", func(t *testing.T) { testRowPerItem(t, 60, func(i int) int64 { return int64(i)*1e15 - 3e15 }) })
	t.Run("float", func(t *testing.T) { testRowPerItem(t, 60, func(i int) float64 { return float64(i)/2 - 3 }) })
	t.Run("bool", func(t *testing.T) { testRowPerItem(t, 2, func(i int) bool { return i == 1 }) })
}

func testRowPerItem[K any](t *testing.T, n int, key func(int) K) {
	list := queryRows(n, key)
	for _, ties := range []metrics.Ties{metrics.ExpectedTies, metrics.ItemTies} {
		spec := rankingSpec(t, ties)
		want := foldedShards(t, spec, written(t, list, 7))
		everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
			assembly := newAssembly(t, r, longRanking(spec))
			got, err := assembly.run(arranged(t, r, a, itemRows(list)), nil)
			require.NoError(t, err)
			requireEqual(t, want, got)
			if a.name == "in order" {
				require.Empty(t, assembly.rest, "nothing is shuffled")
			}
		})
	}
}

// naiveQuery is a query as a join in plain loops gives it.
type naiveQuery struct {
	items                      []string
	scores, relevances, missed []float64
	judged                     []bool
}

// batchOf returns a batch of one query. Items come in the order of the ties.
func (q *naiveQuery) batchOf(weight float64, ties metrics.Ties) *metrics.Batch {
	b := &metrics.Batch{Rows: 1, Labels: 1, Weight: []float64{weight}}
	var order []int
	for i := range q.items {
		order = append(order, i)
	}
	if ties == metrics.ItemTies {
		slices.SortFunc(order, func(i, k int) int {
			switch {
			case q.scores[i] != q.scores[k]:
				if q.scores[i] > q.scores[k] {
					return -1
				}
				return 1
			case q.items[i] > q.items[k]:
				return -1
			}
			return 1
		})
	}
	for _, i := range order {
		b.Score, b.Relevance = append(b.Score, q.scores[i]), append(b.Relevance, q.relevances[i])
		b.Judged = append(b.Judged, q.judged[i])
	}
	b.ItemOffset, b.MissedOffset, b.Missed = []int32{0, int32(len(b.Score))}, []int32{0, int32(len(q.missed))}, q.missed
	return b
}

// qrels draws judgements, for some of the items of each query and for items and a query that
// nothing retrieves.
func qrels(list []queryRow[string]) []judgedRow[string] {
	r := rand.New(rand.NewPCG(8, 9))
	var rows []judgedRow[string]
	for _, q := range list {
		for item := range 18 {
			if r.IntN(3) > 0 {
				rows = append(rows, judgedRow[string]{q.Query, fmt.Sprint("item ", item), float32(r.IntN(4))})
			}
		}
		rows = append(rows, judgedRow[string]{q.Query, "one at least", 1})
	}
	return append(rows, judgedRow[string]{"nobody's query", "item 1", 2})
}

// TestQrels compares judgements joined by query and item with a join in plain
// loops: the statistics, and the metrics of each query.
func TestQrels(t *testing.T) {
	noLeaks(t)
	list := queryRows(80, func(i int) string { return fmt.Sprint("query ", i) })
	truth := qrels(list)
	for _, ties := range []metrics.Ties{metrics.ExpectedTies, metrics.ItemTies} {
		spec := withQrels(rankingSpec(t, ties))
		spec.PerQuery = true
		vocab := asSettled(spec).Labels
		params := asSettled(spec).With(&vocab).Params
		sums := make(map[string]*metrics.Partial)
		evaluator, err := params.NewQueryEvaluator()
		require.NoError(t, err)
		want := make(map[string][]float64)
		unjudged, missed := 0, 0
		for _, row := range list {
			var q naiveQuery
			for i, item := range row.Items {
				relevance, judged := 0., false
				for _, j := range truth {
					if j.ID == row.Query && j.Doc == item {
						relevance, judged = float64(j.Degree), true
					}
				}
				if !judged {
					unjudged++
				}
				q.items, q.scores = append(q.items, item), append(q.scores, row.Scores[i])
				q.relevances, q.judged = append(q.relevances, relevance), append(q.judged, judged)
			}
			for _, j := range truth {
				if j.ID == row.Query && !slices.Contains(row.Items, j.Doc) {
					q.missed = append(q.missed, float64(j.Degree))
					missed++
				}
			}
			b := q.batchOf(row.Weight, ties)
			want[row.Query] = slices.Clone(evaluator.Values(b, 0))
			for _, key := range []string{"", row.Device} {
				if sums[key] == nil {
					sums[key], err = params.New()
					require.NoError(t, err)
				}
				sums[key].Fold(b, []int32{0})
			}
		}
		require.NotZero(t, unjudged)
		require.NotZero(t, missed)
		spec.Slices = []Slice{by("device")}
		everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
			spec := spec
			if a.shuffle {
				spec.TempDir = t.TempDir()
			}
			got := assembled(t, r, spec, arranged(t, r, a, itemRows(list)), arranged(t, r, a, truth))
			require.Len(t, got, len(sums))
			for encoded, data := range got {
				key, _, err := slice.Decode([]byte(encoded))
				require.NoError(t, err)
				name := ""
				if len(key) > 0 {
					name = key[0].Value.Text()
				}
				p := mustDecode(t, data)
				require.True(t, string(sums[name].Append(nil)) == string(p.Stats.Append(nil)), "slice %q", name)
				if encoded != shuffle.Overall {
					require.Empty(t, p.Queries)
					continue
				}
				require.Equal(t, shuffle.RowCounts{Read: 80, TruthRead: 81, Unmatched: 1}, p.Counts)
				requireQueries(t, &spec, want, p.Queries)
			}
			if spec.TempDir != "" {
				require.NotEmpty(t, filesIn(t, spec.TempDir))
				require.Empty(t, openFiles(t, spec.TempDir))
			}
		})
	}
}

// requireQueries compares the metrics of single queries, where NaN equals NaN.
func requireQueries(t testing.TB, spec *Spec, want map[string][]float64, data []shuffle.Spilled) {
	t.Helper()
	queries, err := fold.ReadQueries(data)
	require.NoError(t, err)
	names := spec.Params.QueryMetrics()
	require.NotEmpty(t, names)
	require.Len(t, queries, len(want))
	for _, q := range queries {
		values := want[q.ID.Text()]
		require.Len(t, q.Values, len(values), q.ID.Text())
		for i := range values {
			require.Equal(t, math.Float64bits(values[i]), math.Float64bits(q.Values[i]), "%s of %s", names[i], q.ID)
		}
	}
}

// TestLargeQueries: queries with more items than are folded at a time, cut by
// batches and by nothing else, are folded whole where they are read.
func TestLargeQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var list []queryRow[int64]
	for i, n := range []int{10, batches.Values - 10, 5, 2*batches.Values + 3, 1, batches.Values, 70, 2} {
		q := queryRow[int64]{Query: int64(i), Weight: 1, Device: "desk"}
		for k := range n {
			q.Items = append(q.Items, fmt.Sprint(k))
			q.Relevance = append(q.Relevance, float64(r.IntN(3)))
			q.Scores = append(q.Scores, float64(r.IntN(1000)))
		}
		list = append(list, q)
	}
	spec := rankingSpec(t, metrics.ExpectedTies)
	spec.Params.Metrics = []string{"ndcg@10", "mrr", "precision@5", "queries"}
	want := foldedShards(t, spec, written(t, list, 100))
	for _, a := range []arrangement{arrangements[0], {"row groups", false, 1, 9000, 2}, {"shuffled", true, 2, 50_000, 1}} {
		assembly := newAssembly(t, r, longRanking(spec))
		got, err := assembly.run(arranged(t, r, a, itemRows(list)), nil)
		require.NoError(t, err)
		requireEqual(t, want, got)
		require.Equal(t, a.name == "in order", len(assembly.rest) == 0)
	}
}

// TestSlicesByID: the column of the ids may be a slice column too, of strings that
// many row groups have.
func TestSlicesByID(t *testing.T) {
	list := queryRows(40, func(i int) string { return fmt.Sprint("query ", i) })
	spec := rankingSpec(t, metrics.ExpectedTies)
	spec.Slices = []Slice{by("query")}
	want := foldedShards(t, spec, written(t, list, 7))
	require.Len(t, want, 41)
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		got := assembled(t, r, longRanking(spec), arranged(t, r, a, itemRows(list)), nil)
		requireEqual(t, want, got)
	})
}

// TestHiveKeysOfExamples: values in the names of folders are slice columns, whichever way rows take
// through the graph.
func TestHiveKeysOfExamples(t *testing.T) {
	list := queryRows(40, func(i int) string { return fmt.Sprint("query ", i) })
	spec := rankingSpec(t, metrics.ExpectedTies)
	spec.Slices = []Slice{by("day"), by("day", "device"), by("month")}
	folders := func(shards []input.Shard) []input.Shard {
		for i := range shards {
			shards[i].Keys = []files.Key{{Name: "day", Value: "7"}, {Name: "month", Null: true}}
		}
		return shards
	}
	want := foldedShards(t, spec, folders([]input.Shard{written(t, list, 7)})...)
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		got := assembled(t, r, longRanking(spec), folders(arranged(t, r, a, itemRows(list))), nil)
		requireEqual(t, want, got)
	})
	// An example in two folders is in two slices.
	spec = longRanking(spec)
	spec.SkipBadRows = true
	r := rand.New(rand.NewPCG(1, 1))
	shards := folders(arranged(t, r, arrangement{"", false, 2, 100, 1}, itemRows(list[:3])))
	shards[1].Keys[0].Value = "8"
	got := assembled(t, r, spec, shards, nil)
	counts := countsOf(t, got)
	require.Equal(t, map[string]int64{"several slices": 1}, counts.Skipped)
	require.EqualValues(t, 3, counts.Read)
}

// TestListsOfRelevance: truth as lists belongs to the lists of scores by place, and
// items only break ties.
func TestListsOfRelevance(t *testing.T) {
	list := queryRows(60, func(i int) string { return fmt.Sprint("query ", i) })
	spec := rankingSpec(t, metrics.ItemTies)
	want := foldedShards(t, spec, written(t, list, 7))
	spec.Truth = &Truth{Columns: input.Columns{Example: "query", Label: "relevance"}}
	spec.Columns.Example, spec.Columns.Label = "query", ""
	everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
		got := assembled(t, r, spec, arranged(t, r, a, list), arranged(t, r, a, list))
		requireEqual(t, want, withoutTruthCounts(t, got))
	})
}

// TestListsInRows: where an example has several rows, a list in one is an error.
func TestListsInRows(t *testing.T) {
	spec := longRanking(rankingSpec(t, metrics.ExpectedTies))
	shard := written(t, queryRows(5, func(i int) string { return fmt.Sprint(i) }), 10)
	for want, columns := range map[string]input.Columns{
		`column "scores" is list<float>`: {Example: "query", Label: "weight", Score: "scores"},
		`column "items" is list<string>`: {Example: "items", Label: "weight", Score: "weight"},
	} {
		spec.Columns = columns
		_, err := newAssembly(t, rand.New(rand.NewPCG(1, 1)), spec).run([]input.Shard{shard}, nil)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, shard.File)
	}
}
