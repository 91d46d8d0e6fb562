// Package transforms evaluates predictions in a Beam pipeline.
//
// [Parquet] evaluates Parquet files and [Predictions] a PCollection of
// [Prediction]; both return an [Evaluation], the merged statistics of every
// slice. [Evaluation.Rows] turns it into a PCollection of metric rows, and
// [Evaluation.WriteReport] into report files.
//
// Rows of files never become elements: files are folded, row group by row
// group and column by column, into statistics where they are read, and only
// those cross a shuffle. The results do not depend on how the work was divided.
//
// Exact curves need the scores of a label in order. Their runs, sorted and packed
// where rows are read, cross a shuffle too; labels with more scores than a
// goroutine should hold ([Spec].WorkerScores) are cut into ranges of scores, and
// every range is swept by itself, from the totals of those above it.
package transforms
