// Package metrics computes evaluation metrics of classifiers, of rankers of labels and of items, of
// regressors and forecasts, of systems that are compared in pairs, of graded attempts, and of raters.
//
// # Metrics of slices in memory
//
// Put the examples into the columns of a [Batch]; the task determines which columns. Name the
// metrics in [Params]. Then [Params.New] makes an empty [Partial], [Partial.Fold] adds the examples
// and [Params.Evaluate] computes the metrics. The first example does that; others merge parts and
// evaluate rankings.
//
// # Metrics of your own
//
// [Register] adds a [Metric]: its name, its definition, which values are better, and a [Formula].
// [OfCounts], [OfConfusion] and [OfCalibration] are formulas of existing statistics; [MeanOf] is
// the mean of a number that each example has. [OfStatistic] is for everything else: it needs a
// [Statistic], whose laws metricstest.Laws tests. The function of a formula returns a [Value]:
// Value{Number: x}, [Ratio], or [Undefined] with the reason. NaN is undefined, too. If one of these
// functions panics, Evaluate returns an error that says which one and where.
//
// Define values so that rows of weight 0 change nothing, and sum with package exact: then results
// do not depend on the order of rows, down to the last bit.
//
// # How it works
//
// Every metric is a pure function of a statistic: a confusion matrix, a sum of losses, the bins of
// a reliability diagram, the points of a curve. Every statistic is a commutative monoid: it folds
// batches of examples, merges with others of its kind in any order, and has canonical encodings.
// All sums are exact (package exact). Therefore the same examples give the same bits, however they
// were divided among workers and in whatever order they were folded and merged.
//
//	Batch ─Fold─► Partial ─┐
//	Batch ─Fold─► Partial ─┴─Merge─► Partial ─Evaluate─► []Result
//
// [Params] say what to fold: the task, what the examples have, and which metrics are wanted. Most
// of their fields have defaults; see [Params.Complete]. A [Batch] holds some examples in columns. A
// [Partial] holds the statistics of some examples: [Params.New] makes an empty one, [Partial.Fold]
// adds examples, [Partial.Merge] adds another Partial's, and [Partial.Append] and [DecodePartial]
// move it from one machine to another. [Params.Evaluate] turns a Partial into a [Result] for each
// metric, or for each metric and label. [Params.Intervals] computes how uncertain results are, from
// the results for the same examples without each of several folds.
//
// Metrics of ROC and precision-recall curves need the scores of a label in order. In mode
// [BoundedCurves] they are estimated, within certain bounds, from histograms, which are folded like
// any other statistic. In mode [ExactCurves] the caller makes runs of scores (package scoreruns), sorts
// them, and passes them to [Collector.Collect], one range of scores at a time. The resulting curves are
// added to the folded statistics (see [Collector.AddTo]).
//
// # Where things are
//
// Each subject has a file, with its rows of the catalogue, its formulas and its statistic: 2×2
// tables (counts.go; their statistics are in confusion.go), agreement, kappa losses, losses,
// calibration, label sets, rankings of labels and of the items of queries, curves, regression.
// Three tables tie them together: the catalogue of metrics (catalogue.go), the statistics
// (statistic.go) and the parameters of names (arguments.go).
//
// To add a metric, write its function and its row in the file of its subject, and a value in
// testdata/golden/worked.json. To add a mean over examples, write a measure of one example instead
// of the function. To add a statistic, write a file and a row in statistic.go; the tests then check
// its laws automatically.
//
// # What it is not
//
// The package knows nothing of Beam, Parquet or files, and shares no memory between goroutines:
// only one goroutine at a time may use a Partial. It does not validate batches: that is up to
// whoever makes them.
package metrics
