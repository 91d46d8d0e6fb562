// Package metrics computes evaluation metrics of classifiers, of rankers of labels and
// of items, and of regressors.
//
// # Metrics of slices in memory
//
// Put the examples into the columns of a [Batch]; which columns depends on the task. Name the
// metrics in [Params]. Then [Params.New] makes an empty [Partial], [Partial.Fold] adds the
// examples and [Params.Evaluate] computes the metrics. The first example does that; others
// show parts that are merged, and rankings.
//
// # Metrics of your own
//
// [Register] adds a [Metric]: a name, what it is, which values are better, and a [Formula].
// [OfCounts], [OfConfusion] and [OfCalibration] are formulas of statistics that are here;
// [MeanOf] is the mean of a number that each example has. [OfStatistic] is for all that is
// none of these: it needs a [Statistic], whose laws metricstest.Laws tests. The function of a
// formula returns a [Value]: Value{Number: x}, [Ratio], or [Undefined] with the reason. A
// number that is NaN is undefined, too. If one of these functions panics, Evaluate returns an
// error that says which and where.
//
// Define values so that rows of weight 0 change nothing, and sum with package exact: results
// then do not depend on the order of rows, to the last bit.
//
// # How it works
//
// Every metric is a pure function of a statistic: a confusion matrix, a sum of losses,
// the bins of a reliability diagram, the points of a curve. Every statistic is a
// commutative monoid: it folds batches of examples, merges with others of its kind in
// any order, and encodes to canonical bytes. All sums are exact (package exact).
// Therefore the same examples give the same bits, however they were divided among
// workers, in whatever order they were folded and merged.
//
// [Params] say what to fold: the task, what the examples have, and which metrics are
// asked for. Most of their fields have defaults; see [Params.Complete].
// A [Batch] holds some examples in columns.
// A [Partial] holds the statistics of some examples: [Params.New] makes an empty one,
// [Partial.Fold] adds examples, [Partial.Merge] adds those of another one, and
// [Partial.Append] and [DecodePartial] take it from one machine to another.
// [Params.Evaluate] turns a Partial into a [Result] for each metric, or for each metric
// and label. [Params.Intervals] says how sure results are, by those of the same examples
// without each of several groups.
//
// Metrics of ROC and precision-recall curves need the scores of a label in order. In
// mode [BoundedCurves] they are estimated, within certain bounds, from histograms, which
// are folded as any other statistic. In mode [ExactCurves] the caller makes sorted runs
// of scores (package runs) and hands them, sorted, to [Sweeper.Sweep], a range of scores at
// a time. What it finds is added to what was folded (see [Sweeper.AddTo]).
//
// # Where things are
//
// Each subject has a file, which holds its rows of the catalogue, its formulas and its
// statistic: 2×2 tables (counts.go, and confusion.go for the statistics they are made
// of), agreement, kappa losses, losses, calibration, label sets, rankings of labels and
// of the items of queries, curves, regression. Three tables tie them together: the
// catalogue of metrics (catalogue.go), the statistics (statistic.go) and the parameters
// of names (names.go).
//
// To add a metric, write its function and its row in the file of its subject, and a value
// in testdata/golden/worked.json. To add a mean over examples, write a measure of one
// example instead of the function. To add a statistic, write a file and a row in
// statistic.go; its laws are tested without further ado.
//
// # What it is not
//
// The package knows nothing of Beam, Parquet or files, and shares no memory between
// goroutines: a Partial has one user at a time. It believes batches: they are checked
// where they are made.
package metrics
