package ingest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// drawnQuery is a query with the numbers of its items, those retrieved and those
// judged.
type drawnQuery struct {
	items, judged     []int
	scores, relevance []float64 // relevance of judged, where there is a truth; else of items
}

// itemTypes make a column of ids of the numbers of items, in whose order the texts of ids are.
// Strings share a table.
var itemTypes = map[string]func(dict *columns.Strings, numbers []int) *columns.Column{
	"int": func(_ *columns.Strings, numbers []int) *columns.Column {
		c := ints()
		for _, n := range numbers {
			c.Ints = append(c.Ints, []int64{-1, -10, -9, 0, 1, 10, 1e17, 2, 20, 3, 9, 90}[n])
		}
		return c
	},
	"float": func(_ *columns.Strings, numbers []int) *columns.Column {
		c := floats()
		for _, n := range numbers {
			c.Floats = append(c.Floats, []float64{-0.5, -1, -1.5, 0.25, 0.5, 1, 1.5, 10, 1e21, 2, 2.5, 9}[n])
		}
		return c
	},
	"bool": func(_ *columns.Strings, numbers []int) *columns.Column {
		c := bools()
		for _, n := range numbers {
			c.Ints = append(c.Ints, int64(n))
		}
		return c
	},
	"string": func(dict *columns.Strings, numbers []int) *columns.Column {
		var texts []string
		for _, n := range numbers {
			texts = append(texts, []string{"", "1", "10", "2", "9", "a", "a\x00", "ab", "b", "z", "é", "\xff"}[n])
		}
		return wordsOf(dict, texts...)
	},
}

func rankingInput(queries []drawnQuery, ids func(*columns.Strings, []int) *columns.Column, items, truth bool) Input {
	dict := new(columns.Strings)
	for n := range 12 {
		ids(dict, []int{(5*n + 7) % 12}) // so that codes are in another order than ids
	}
	var numbers, judged, lengths, judgedLengths []int
	var scores, relevance []float64
	for _, q := range queries {
		numbers, judged = append(numbers, q.items...), append(judged, q.judged...)
		scores, relevance = append(scores, q.scores...), append(relevance, q.relevance...)
		lengths, judgedLengths = append(lengths, len(q.items)), append(judgedLengths, len(q.judged))
	}
	in := Input{Rows: len(queries), Of: Columns{roles.Score: listsOf(floats(scores...), lengths...), roles.Label: listsOf(floats(relevance...), lengths...)}}
	if items {
		in.Of[roles.Item] = listsOf(ids(dict, numbers), lengths...)
	}
	if truth {
		in.Of[roles.Label], in.LabelItem = listsOf(floats(relevance...), judgedLengths...), listsOf(ids(dict, judged), judgedLengths...)
	}
	return in
}

func drawQueries(r *rand.Rand, most int, truth bool) []drawnQuery {
	queries := make([]drawnQuery, r.IntN(6))
	for i := range queries {
		q := &queries[i]
		q.items = r.Perm(most)[:r.IntN(most+1)]
		for range q.items {
			q.scores = append(q.scores, float64(r.IntN(4)))
		}
		q.judged = q.items
		if truth {
			q.judged = r.Perm(most)[:r.IntN(most+1)]
		}
		for range q.judged {
			q.relevance = append(q.relevance, float64(r.IntN(3)))
		}
	}
	return queries
}

func rankingSpec(ties metrics.Ties) input.Spec {
	return input.Spec{Columns: columnNames, Params: metrics.Params{
		Task: metrics.Ranking, Labels: 1, Scores: true, ScoreType: metrics.RawScore, Ranking: metrics.RankingOptions{Ties: ties},
	}}
}

// TestRankings compares random queries, of every type of ids and with one
// converter, with a join in plain loops.
func TestRankings(t *testing.T) {
	for name, ids := range itemTypes {
		most := 12
		if name == "bool" {
			most = 2
		}
		for _, ties := range []metrics.Ties{metrics.ExpectedTies, metrics.ItemTies} {
			for _, truth := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ties ", ties, " truth ", truth), func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, 2))
					spec := rankingSpec(ties)
					if spec.Params.Has = 0; truth || ties == metrics.ItemTies {
						spec.Params.Has = metrics.HasItems
					}
					c := NewConverter(&spec, numbered(1), new(Findings))
					for range 200 {
						queries := drawQueries(r, most, truth)
						in := rankingInput(queries, ids, truth || ties == metrics.ItemTies || r.IntN(2) == 0, truth)
						require.NoError(t, c.Check(&in))
						b, good, bad := c.Convert(&in)
						require.Empty(t, bad)
						require.Len(t, good, len(queries))
						for i := range queries {
							requireQuery(t, &queries[i], ties, truth, b, i)
							if spec.Params.Has != 0 {
								requireShown(t, &queries[i], ids, b, i)
							}
						}
					}
				})
			}
		}
	}
}

// requireShown requires the keys of the items, each beside its score, and of the missed items, each
// beside its relevance.
func requireShown(t *testing.T, q *drawnQuery, ids func(*columns.Strings, []int) *columns.Column, b *metrics.Batch, r int) {
	t.Helper()
	type shown struct {
		key    uint64
		number float64
	}
	var retrieved, missed, got, gotMissed []shown
	key := func(number int) uint64 { return groupby.Hash(nil, ids(new(columns.Strings), []int{number}))[0] }
	for i, item := range q.items {
		retrieved = append(retrieved, shown{key(item), q.scores[i]})
	}
	for i, item := range q.judged {
		if !slices.Contains(q.items, item) {
			missed = append(missed, shown{key(item), q.relevance[i]})
		}
	}
	for i := b.ItemOffset[r]; i < b.ItemOffset[r+1]; i++ {
		got = append(got, shown{b.ItemKey[i], b.Score[i]})
	}
	for i := 0; b.MissedOffset != nil && i < int(b.MissedOffset[r+1]-b.MissedOffset[r]); i++ {
		at := int(b.MissedOffset[r]) + i
		gotMissed = append(gotMissed, shown{b.MissedKey[at], b.Missed[at]})
	}
	require.ElementsMatch(t, retrieved, got)
	require.ElementsMatch(t, missed, gotMissed)
}

func requireQuery(t *testing.T, q *drawnQuery, ties metrics.Ties, truth bool, b *metrics.Batch, r int) {
	t.Helper()
	order := make([]int, len(q.items))
	for i := range order {
		order[i] = i
	}
	if ties == metrics.ItemTies {
		slices.SortFunc(order, func(i, k int) int {
			return cmp.Or(cmp.Compare(q.scores[k], q.scores[i]), cmp.Compare(q.items[k], q.items[i]))
		})
	}
	var scores, relevance, missed []float64
	var judged []bool
	for _, i := range order {
		scores = append(scores, q.scores[i])
		at := slices.Index(q.judged, q.items[i])
		if judged = append(judged, at >= 0); at < 0 {
			relevance = append(relevance, 0)
		} else {
			relevance = append(relevance, q.relevance[at])
		}
	}
	for i, item := range q.judged {
		if !slices.Contains(q.items, item) {
			missed = append(missed, q.relevance[i])
		}
	}
	from, to := b.ItemOffset[r], b.ItemOffset[r+1]
	require.Equal(t, scores, append([]float64(nil), b.Score[from:to]...))
	require.Equal(t, relevance, append([]float64(nil), b.Relevance[from:to]...))
	if !truth {
		require.Nil(t, b.Judged)
		require.Nil(t, b.MissedOffset)
		return
	}
	require.Equal(t, judged, append([]bool(nil), b.Judged[from:to]...))
	require.ElementsMatch(t, missed, b.Missed[b.MissedOffset[r]:b.MissedOffset[r+1]])
}

// TestReusedRankingConverter: nothing of a batch, of its bad queries or of its table
// of strings is left over in the next.
func TestReusedRankingConverter(t *testing.T) {
	for name, ids := range itemTypes {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			spec := rankingSpec(metrics.ItemTies)
			reused := NewConverter(&spec, numbered(1), new(Findings))
			goodRows, badRows := 0, 0
			for range 300 {
				truth := r.IntN(2) == 0
				in := rankingInput(drawQueries(r, 2, truth), ids, true, truth)
				for _, c := range []*columns.Column{in.Of[roles.Label], in.Of[roles.Score], in.Of[roles.Item], in.LabelItem} {
					if c != nil {
						spoil(r, c)
					}
				}
				batch, rows, bad := convertAgain(t, reused, NewConverter(&spec, numbered(1), new(Findings)), &in)
				require.Equal(t, in.Rows, len(rows)+len(bad))
				for _, b := range bad { // has no items
					require.Equal(t, batch.ItemOffset[b.Row], batch.ItemOffset[b.Row+1])
					if truth {
						require.Equal(t, batch.MissedOffset[b.Row], batch.MissedOffset[b.Row+1])
					}
				}
				goodRows, badRows = goodRows+len(rows), badRows+len(bad)
			}
			require.NotZero(t, goodRows)
			require.NotZero(t, badRows)
		})
	}
}

// spoil makes some values of a column bad.
func spoil(r *rand.Rand, c *columns.Column) {
	var nulls []int
	for i := range c.Len() {
		switch {
		case r.IntN(8) > 0:
		case c.Type == columns.Float && r.IntN(2) == 0:
			c.Floats[i] = []float64{nan, inf, -1, 0}[r.IntN(4)]
		case c.Type != columns.String && c.Type != columns.Float && r.IntN(2) == 0:
			c.Ints[i] = 1
		default:
			nulls = append(nulls, i)
		}
	}
	if nulls != nil {
		null(c, nulls...)
	}
	if n := len(c.Offsets) - 1; n > 0 && r.IntN(6) == 0 {
		// A null list has no values, so the last row's go.
		c.RowNull = make([]bool, n)
		c.RowNull[n-1] = true
		c.Offsets[n] = c.Offsets[n-1]
	}
}

// TestBadQueries has what can be wrong with lists that come from a row each.
func TestBadQueries(t *testing.T) {
	spec := rankingSpec(metrics.ExpectedTies)
	got := convert(t, spec, numbered(1), Input{
		Rows: 5,
		Of: Columns{roles.Score: listsOf(null(floats(1, 2, nan, 4), 0), 1, 1, 1, -1, 1),
			roles.Item:  listsOf(ints(1, 2, 3), 1, 0, 1, 0, 1),
			roles.Label: listsOf(floats(1, 1, inf), 1, 1, 1, 0, -1)},
	})
	var texts []string
	for i := range got.bad {
		b := &got.bad[i]
		texts = append(texts, fmt.Sprint(b.Row, " ", b.Reason, ": ", b.Column, ": ", b.DescribeValue(), " ", b.Side == input.OfTruth))
	}
	require.Equal(t, []string{
		"0 null score: s: null (element 0) false",
		"1 lists of unequal length: d: 0 items and 1 scores false",
		"2 not a finite number: y: +Inf (element 0) true",
		"3 null score: s: null false",
		"4 null label: y: null true",
	}, texts)
}

// TestItemsMoveTogether: with ties by item, everything about an item goes where its score goes.
func TestItemsMoveTogether(t *testing.T) {
	spec := rankingSpec(metrics.ItemTies)
	spec.Params.Has = metrics.HasItems | metrics.HasCategories
	in := Input{
		Rows: 2, Of: Columns{roles.Score: listsOf(floats(1, 3, 3, 2, 2), 3, 2), roles.Label: listsOf(floats(0, 1, 2, 3, 4), 3, 2), roles.Item: listsOf(ints(7, 8, 9, 7, 8), 3, 2),
			roles.Category: listsOf(ints(70, 80, 90, 70, 80), 3, 2), roles.ItemFrequency: listsOf(ints(700, 800, 900, 700, 800), 3, 2)},
	}
	c := NewConverter(&spec, numbered(1), new(Findings))
	for range 2 {
		require.NoError(t, c.Check(&in))
		b, _, bad := c.Convert(&in)
		require.Empty(t, bad)
		require.Equal(t, []float64{900, 800, 700, 800, 700}, b.ItemFrequency)
		require.Equal(t, groupby.Hash(nil, ints(90, 80, 70, 80, 70)), b.Category)
		require.Equal(t, groupby.Hash(nil, ints(9, 8, 7, 8, 7)), b.ItemKey)
		require.Equal(t, []float64{2, 1, 0, 4, 3}, b.Relevance)
	}
}
