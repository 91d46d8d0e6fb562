// Package transforms evaluates predictions in a Beam pipeline.
//
// [Parquet] evaluates Parquet files, [Joined] those whose true labels are in other
// files, and [Predictions] a PCollection of [Prediction]; all return an [Evaluation], the
// merged statistics of every slice, or an error that says what is wrong with the [Spec],
// before anything runs. [Evaluation.Rows] turns it into a PCollection of metric rows, and
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
//
// Where an example has several rows ([Spec].Long), or its true labels are in other
// files ([Joined]), rows are put together by the example's id. Examples whose
// rows are next to each other in one row group, and nowhere else, are folded where
// they are read; the rows of others cross the shuffle in tables of columns, divided
// into parts by the hash of the id. Either way batches come out that have a row for
// each example, and from there on all is the same.
package transforms
