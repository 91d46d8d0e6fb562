package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
)

// distances is a statistic of one's own.
type distances struct {
	sum     exact.Sum
	weight  exact.Tally
	largest float64
}

func newDistances(*Params) *distances { return new(distances) }

func (s *distances) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w, d := b.weight(r), math.Abs(b.Target[r]-b.Estimate[r])
		s.sum.AddProduct(w, d)
		s.weight.Add(w)
		if w > 0 {
			s.largest = max(s.largest, d)
		}
	}
}

func (s *distances) Merge(from Statistic) {
	f := from.(*distances)
	s.sum.Merge(&f.sum)
	s.weight.Merge(&f.weight)
	s.largest = max(s.largest, f.largest)
}

func (s *distances) Append(dst []byte) []byte {
	return wire.AppendFloat(s.weight.Append(s.sum.Append(dst)), s.largest)
}

func (s *distances) Decode(d *Decoder) {
	s.sum.Decode(d)
	s.weight.Decode(d)
	s.largest = d.Float()
}

func (s *distances) Reset() {
	s.sum.Reset()
	s.weight.Reset()
	s.largest = 0
}

// fragile is a statistic with methods that may panic.
type fragile struct{ distances }

// howFragile says which functions panic. A test that is not parallel sets it.
var howFragile string

func fail(how string) {
	if howFragile == how {
		panic("as asked for")
	}
}

func (s *fragile) Fold(b *Batch, rows []int32) { fail("Fold"); s.distances.Fold(b, rows) }
func (s *fragile) Merge(from Statistic) {
	fail("Merge")
	s.distances.Merge(&from.(*fragile).distances)
}
func (s *fragile) Append(dst []byte) []byte { fail("Append"); return s.distances.Append(dst) }
func (s *fragile) Decode(d *Decoder)        { fail("Decode"); s.distances.Decode(d) }
func (s *fragile) Reset()                   { fail("Reset"); s.distances.Reset() }

// rebuilt are metrics of this package, built anew as users would: what each is called there.
var rebuilt = map[string]string{
	"my_f1": "f1", "my_precision": "precision", "my_accuracy": "accuracy", "my_calibration": "ece", "my_classwise": "classwise_ece",
	"my_brier": "brier", "my_one_error": "one_error", "my_mrr": "mrr", "my_mae": "mae", "my_max_error": "max_error",
}

func init() {
	const labelled = Binary | Multiclass | Multilabel
	calibrated := OfCalibration(func(bins []CalibrationPoint) Value {
		var gaps, weights exact.Sum
		for _, b := range bins {
			gaps.Add(b.Gap)
			weights.Add(b.Weight)
		}
		if weights.Empty() {
			return Undefined(noExamples)
		}
		return Value{Number: gaps.Float64() / weights.Float64()}
	})
	Register(
		Metric{Name: "my_f1", Tasks: labelled, Definition: "F1", Better: Higher, Scale: confidence.F1, Formula: OfCounts(func(c Counts) Value {
			v := Ratio(2*c.TP, 2*c.TP+c.FN+c.FP, noPositivesAtAll)
			v.Trials = c.TP + c.FP + c.FN
			return v
		})},
		Metric{Name: "my_precision", Tasks: labelled, Definition: "precision", Better: Higher, Scale: confidence.Proportion, Formula: OfCounts(func(c Counts) Value {
			return Ratio(c.TP, c.TP+c.FP, noPredictions)
		})},
		Metric{Name: "my_accuracy", Tasks: Multiclass, Definition: "accuracy", Better: Higher, Scale: confidence.Proportion, Formula: OfConfusion(func(classes int, cells []ConfusionCell) Value {
			var right, all exact.Sum
			for _, c := range cells {
				if all.Add(c.Weight); c.True == c.Predicted {
					right.Add(c.Weight)
				}
			}
			if classes == 0 || all.Float64() == 0 {
				return Undefined(noExamples)
			}
			return Value{Number: right.Float64() / all.Float64(), Trials: all.Float64()}
		})},
		Metric{Name: "my_calibration", Tasks: Binary | Multilabel, Definition: "ECE", Better: Lower, Scale: confidence.Biased, Formula: calibrated},
		Metric{Name: "my_classwise", Tasks: Multiclass, Definition: "ECE", Better: Lower, Scale: confidence.Biased, Formula: calibrated},
		Metric{Name: "my_brier", Tasks: Multiclass, Definition: "Brier", Better: Lower, Scale: confidence.Log, Needs: NeedProbabilities, Formula: MeanOf(func(b *Batch, row int32) float64 {
			total := 0.0
			for class, p := range b.Probability[int(row)*b.Labels:][:b.Labels] {
				truth := float64(oneIf(class == int(b.Class[row])))
				if b.Distribution != nil {
					truth = b.Distribution[int(row)*b.Labels+class]
				}
				total += float64((p - truth) * (p - truth))
			}
			return total
		})},
		Metric{Name: "my_one_error", Tasks: Multilabel, Definition: "one error", Better: Lower, Scale: confidence.Proportion, Needs: NeedScores, Formula: MeanOf(func(b *Batch, row int32) float64 {
			scores, _ := b.Scored(row)
			return float64(1 - oneIf(slices.Contains(b.True.Row(row), int32(TopLabel(scores)))))
		})},
		Metric{Name: "my_mrr", Tasks: Ranking, Definition: "MRR", Better: Higher, Scale: confidence.Logit, Formula: MeanOf(reciprocalRankByItem)},
		Metric{Name: "my_mae", Tasks: Regression, Definition: "MAE", Better: Lower, Scale: confidence.Log, Formula: OfStatistic("distances", newDistances, func(s *distances) Value {
			return average(&s.sum, &s.weight)
		})},
		Metric{Name: "my_max_error", Tasks: Regression, Definition: "largest error", Better: Lower, Scale: confidence.NotSmooth, Formula: OfStatistic("distances", newDistances, func(s *distances) Value {
			if s.weight.Weight() == 0 {
				return Undefined(noExamples)
			}
			return Value{Number: s.largest}
		})},
		Metric{Name: "panicking_mean", Tasks: Regression, Definition: "none", Formula: MeanOf(func(b *Batch, row int32) float64 {
			if howFragile == "mean" {
				return b.Probability[row]
			}
			return 0
		})},
		Metric{Name: "panicking_value", Tasks: Multilabel, Definition: "none", Formula: OfCounts(func(Counts) Value { fail("value"); return Value{} })},
		Metric{Name: "panicking_overall", Tasks: Multiclass, Definition: "none", Formula: OfConfusion(func(int, []ConfusionCell) Value { fail("value"); return Value{} })},
		Metric{Name: "fragile", Tasks: Regression, Definition: "none", Formula: OfStatistic("fragile", func(*Params) *fragile { return new(fragile) }, func(s *fragile) Value {
			fail("value")
			return Value{Number: s.largest}
		})},
		Metric{Name: "nowhere", Tasks: labelled, Definition: "none", Better: Higher, Formula: OfCounts(func(c Counts) Value { return Value{Number: math.NaN()} })},
	)
}

// reciprocalRankByItem is the reciprocal rank of a query, ties being broken by item.
func reciprocalRankByItem(b *Batch, row int32) float64 {
	from, to := b.ItemOffset[row], b.ItemOffset[row+1]
	order := AllRows(nil, int(to-from))
	slices.SortStableFunc(order, func(i, j int32) int { return -cmp.Compare(b.Score[from+i], b.Score[from+j]) })
	for place, i := range order {
		if b.Relevance[from+i] >= 1 {
			return 1 / float64(place+1)
		}
	}
	if b.MissedOffset != nil {
		for _, relevance := range b.Missed[b.MissedOffset[row]:b.MissedOffset[row+1]] {
			if relevance >= 1 {
				return 0
			}
		}
	}
	return math.NaN()
}

// rebuiltCases are Params with metrics that are defined twice: by this package and by the test.
var rebuiltCases = []Params{
	{Task: Binary, Metrics: []string{"f1", "precision", "ece"}},
	{Task: Multiclass, Labels: 4, Bins: 7, Metrics: []string{"f1", "f1_micro", "f1_macro", "f1_weighted", "precision_macro", "accuracy", "classwise_ece", "brier"}},
	{Task: Multilabel, Labels: 5, Metrics: []string{"f1", "f1_micro", "precision", "precision_weighted", "ece", "ece_macro", "ece_micro", "one_error"}},
	{Task: Multilabel, Labels: 3, ScoreType: Logit, Metrics: []string{"ece_weighted", "one_error"}},
	{Task: Multilabel, Labels: 1200, Decisions: true, Metrics: []string{"f1_macro", "precision_weighted"}},
	{Task: Regression, Metrics: []string{"mae", "max_error"}},
	{Task: Ranking, Ranking: RankingOptions{Ties: ItemTies}, Metrics: []string{"mrr"}},
}

// custom returns the parameters with the metrics of this file.
func custom(p Params) Params {
	p.Metrics = slices.Clone(p.Metrics)
	for i, name := range p.Metrics {
		for mine, theirs := range rebuilt {
			for _, average := range allAverages {
				if name == theirs+average {
					p.Metrics[i] = mine + average
				}
			}
		}
		if name == "classwise_ece" {
			p.Metrics[i] = "my_classwise_macro"
		}
	}
	return p
}

// Metrics that are built anew have the same results, replicates and intervals, bit for bit.
func TestCustomMetricsEqualOurs(t *testing.T) {
	for _, ours := range rebuiltCases {
		require.NoError(t, ours.Complete())
		mine := custom(ours)
		for seed := range uint64(13) {
			r := source(seed)
			b := drawBatch(r, &ours, int(seed))
			if slices.Contains(ours.Metrics, "accuracy") {
				b.Weight = nil // weights of cells are rounded, ours are not
			}
			for i := range b.Target { // our sums know more of infinities
				b.Target[i], b.Estimate[i] = float64(r.IntN(1000)), float64(r.IntN(1000))/8
			}
			groups := parts(r, b.Rows, 12)
			for _, zeroDivision := range []float64{0, 1, math.NaN()} {
				o := Options{ZeroDivision: zeroDivision, PerLabel: PerLabel{All: ours.Labels < 10}}
				want, got := inGroups(t, &ours, b, groups, o), inGroups(t, &mine, b, groups, o)
				for i, list := range got.results {
					for j := range list {
						if w := &want.results[i][j]; w.Undefined == noRelevantItems {
							w.Undefined = list[j].Undefined // of a mean of nothing
						}
						require.Equal(t, mine.Metrics[slices.Index(ours.Metrics, want.results[i][j].Name)], list[j].Name)
						list[j].Name = want.results[i][j].Name
					}
				}
				require.True(t, allBits(want) == allBits(got), "%v seed %d", ours.Metrics, seed)
			}
		}
	}
}

// outcome holds the results of a batch and its groups.
type outcome struct {
	results   [][]Result // without each group, and of all
	intervals []confidence.Interval
}

// allBits are all that was computed, as text: NaN equals itself, and 0 is not -0.
func allBits(o outcome) string { return fmt.Sprintf("%+v", o) }

func inGroups(t *testing.T, p *Params, b *Batch, groups [][]int32, o Options) (out outcome) {
	t.Helper()
	partials := make([]*Partial, len(groups))
	whole := new(Partial)
	for i, rows := range groups {
		var err error
		partials[i], err = p.New()
		require.NoError(t, err)
		partials[i].Fold(b, rows)
		partials[i], err = DecodePartial(partials[i].Append(nil))
		require.NoError(t, err)
		whole.Merge(partials[i])
	}
	evaluate := func(partial *Partial) error {
		list, err := p.Evaluate(partial, o)
		out.results = append(out.results, list)
		return err
	}
	require.NoError(t, LeaveOneOut(partials, nil, func(_ int, without *Partial) error { return evaluate(without) }))
	require.NoError(t, evaluate(whole))
	last := len(out.results) - 1
	out.intervals = p.Intervals(IntervalOptions{Level: 0.95, Weighted: b.Weight != nil}, out.results[last], out.results[:last])
	return out
}

// Custom metrics are computed only if they are named.
func TestCustomMetricsAreAskedFor(t *testing.T) {
	p := Params{Task: Regression}
	require.NoError(t, p.Complete())
	require.NotContains(t, p.Metrics, "my_mae")
	names, err := p.Select([]string{"my_mae", "mae"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"my_mae", "mae"}, names)
	_, err = p.Select([]string{"my_f1"}, nil)
	require.ErrorContains(t, err, `metric "my_f1" is not one of task regression: it belongs to binary, multiclass, multilabel`)
	_, err = (&Params{Task: Multiclass, Labels: 3, Decisions: true}).Select([]string{"my_brier"}, nil)
	require.ErrorContains(t, err, `metric "my_brier" needs scores`)

	require.Equal(t, Lower, Direction("my_mae"))
	require.Equal(t, Higher, Direction("my_f1_macro"))
	require.Equal(t, "MAE", Definition(Regression, "my_mae"))
	require.Empty(t, Definition(Binary, "my_mae"))
	require.True(t, Registered(Multilabel, "my_f1_micro"))
	require.False(t, Registered(Multilabel, "f1_micro") || Registered(Multilabel, "unheard_of"))
	require.True(t, (&Params{Task: Multilabel, Labels: 2}).OfEachLabel("my_f1"))
	require.Equal(t, []string{"my_mrr", "mrr"}, (&Params{Task: Ranking, Metrics: []string{"my_mrr", "queries", "mrr"}}).QueryMetrics())
}

func TestNaNIsUndefined(t *testing.T) {
	p := &Params{Task: Multilabel, Labels: 2, Metrics: []string{"nowhere", "nowhere_macro"}}
	b := drawBatch(source(1), p, 5)
	for _, r := range evaluated(t, p, b, Options{PerLabel: everyLabel}) {
		require.True(t, math.IsNaN(r.Number))
		require.Equal(t, map[bool]string{true: "not a number", false: noLabel}[r.Label >= 0], r.Undefined)
	}
}

// A function that panics is an error that says whose function it is and where. It is not lost
// when partials are merged and encoded, whatever the order.
func TestPanicsOfCustomMetrics(t *testing.T) {
	regression := drawBatch(source(1), &Params{Task: Regression}, 9)
	message := func(p *Params, b *Batch) string {
		t.Helper()
		require.NoError(t, p.Complete())
		sum := new(Partial)
		for _, rows := range [][]int32{{0, 1}, {}, {2, 3}} {
			partial, err := p.New()
			require.NoError(t, err)
			partial.Fold(b, rows)
			if partial, err = DecodePartial(partial.Append(nil)); err != nil {
				return err.Error()
			}
			sum.Merge(partial)
			sum.Merge(new(Partial))
		}
		_, err := p.Evaluate(sum, Options{PerLabel: everyLabel})
		require.Error(t, err)
		_, again := p.Evaluate(sum, Options{PerLabel: everyLabel})
		require.Equal(t, err, again)
		sum.Reset()
		require.NoError(t, sum.Err())
		return err.Error()
	}
	defer func() { howFragile = "" }()
	howFragile = "mean"
	require.Regexp(t, `^metric "panicking_mean" panics at custom_test.go:\d+: runtime error: index out of range \[0\] with length 0$`,
		message(&Params{Task: Regression, Metrics: []string{"mae", "panicking_mean"}}, regression))
	howFragile = "value"
	labels := drawBatch(source(1), &Params{Task: Multilabel, Labels: 3}, 9)
	require.Regexp(t, `^metric "panicking_value" panics at custom_test.go:\d+: as asked for$`,
		message(&Params{Task: Multilabel, Labels: 3, Metrics: []string{"panicking_value_macro"}}, labels))
	classes := drawBatch(source(1), &Params{Task: Multiclass, Labels: 3}, 9)
	require.Regexp(t, `^metric "panicking_overall" panics at custom_test.go:\d+: as asked for$`,
		message(&Params{Task: Multiclass, Labels: 3, Metrics: []string{"panicking_overall"}}, classes))
	for _, howFragile = range []string{"Fold", "Merge", "Append"} {
		require.Regexp(t, `^statistic "fragile": `+howFragile+` panics at custom_test.go:\d+: as asked for$`,
			message(&Params{Task: Regression, Metrics: []string{"fragile"}}, regression))
	}
	howFragile = "Decode"
	require.Regexp(t, `^decoding statistics: statistic "fragile": Decode panics at custom_test.go:\d+: as asked for$`,
		message(&Params{Task: Regression, Metrics: []string{"fragile"}}, regression))
	howFragile = "value"
	require.Regexp(t, `^metric "fragile" panics at custom_test.go:\d+: as asked for$`,
		message(&Params{Task: Regression, Metrics: []string{"fragile"}}, regression))
}

func TestWhatCannotBeRegistered(t *testing.T) {
	good := Metric{Name: "unheard_of", Tasks: Binary, Definition: "one", Formula: OfCounts(func(Counts) Value { return Value{} })}
	require.NoError(t, good.check())
	for want, change := range map[string]func(*Metric){
		`a name has lower-case letters, digits, _, @ and dots, a letter first`: func(m *Metric) { m.Name = "Mine" },
		`there is a metric "mae" of task regression already`:                   func(m *Metric) { m.Name = "mae" },
		`there is a metric "tpr" of task binary already`:                       func(m *Metric) { m.Name = "tpr" },
		`there is a metric "my_f1" of task binary already`:                     func(m *Metric) { m.Name = "my_f1" },
		`there is a metric "f3" of task binary already`:                        func(m *Metric) { m.Name = "f3" },
		`there is a metric "ndcg@7" of task multilabel already`:                func(m *Metric) { m.Name = "ndcg@7" },
		`there is a metric "fnr" of task binary already`:                       func(m *Metric) { m.Name = "fnr" },
		`there is a metric "hamming_loss" of task multilabel already`:          func(m *Metric) { m.Name = "hamming_loss" },
		`a name ends in _micro, _macro or _weighted only if`:                   func(m *Metric) { m.Name = "mine_macro" },
		`it has no Formula`: func(m *Metric) { m.Formula = Formula{} },
		`its Tasks are "": with this Formula they may be binary, multiclass`:      func(m *Metric) { m.Tasks = 0 },
		`its Tasks are "binary, regression": with this Formula they may be`:       func(m *Metric) { m.Tasks |= Regression },
		`it needs a Definition of one line`:                                       func(m *Metric) { m.Definition = "" },
		`there is no Better 5`:                                                    func(m *Metric) { m.Better = NearOne + 1 },
		`there is no Scale 99`:                                                    func(m *Metric) { m.Scale = 99 },
		`there are no Needs 128`:                                                  func(m *Metric) { m.Needs = 128 },
		`its statistic "distances" is a *metrics.fragile, that of another metric`: func(m *Metric) { m.Formula = OfStatistic("distances", func(*Params) *fragile { return nil }, nil) },
		`its statistic is called "?"`:                                             func(m *Metric) { m.Formula = OfStatistic("?", newDistances, nil) },
	} {
		bad := good
		change(&bad)
		require.ErrorContains(t, bad.check(), want)
		require.Panics(t, func() { Register(bad) })
	}
}

// What another program has registered is not known here.
func TestStatisticsOfOtherPrograms(t *testing.T) {
	p := Params{Task: Regression, Metrics: []string{"my_mae"}}
	data := folded(t, &p, drawBatch(source(1), &p, 3)).Append(nil)
	known := ownStatistics["distances"]
	delete(ownStatistics, "distances")
	defer func() { ownStatistics["distances"] = known }()
	_, err := DecodePartial(data)
	require.EqualError(t, err, `decoding statistics: this program has no statistic "distances": the programs of all workers must register the same metrics`)
}

// TestLoss: a value is better than another if its loss is lower.
func TestLoss(t *testing.T) {
	for better, order := range map[Better][]float64{ // the best first
		Higher: {2, 1, 0, -1}, Lower: {-1, 0, 1, 2}, NearZero: {0, -0.5, 1, -2}, NearOne: {1, 1.25, 0.5, 2},
	} {
		for i, value := range order[1:] {
			require.Less(t, better.Loss(order[i]), better.Loss(value), "%s: %v and %v", better, order[i], value)
		}
	}
	require.Equal(t, -3.0, Neither.Loss(-3))
}
