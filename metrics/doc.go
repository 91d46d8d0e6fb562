// Package metrics computes evaluation metrics of classifiers, rankers of
// labels and of items, and regressors.
//
// Every metric is a pure function of a statistic, and every statistic is a
// commutative monoid: it folds batches of examples, merges with others of its
// kind in any order, and encodes to canonical bytes. All sums are exact
// (package exact), so that the same examples give the same bits however they
// were divided, ordered and merged.
//
// A [Params] fixes what is folded, and what it leaves open follows from the rest; a
// [Partial] holds the statistics of some examples; [Params.Evaluate] turns a Partial
// into [Result] rows. The catalogue of
// metrics is one table (catalogue.go), that of statistics another
// (statistic.go). To add a metric, write its function, a row of the catalogue
// and a golden value; to add a statistic, a file and a row.
//
// The package knows nothing of Beam, Parquet or files.
package metrics
