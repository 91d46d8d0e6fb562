// Package synthetic writes synthetic predictions as Parquet files, for benchmarks and trials. It
// does not evaluate them.
//
// # Files
//
// [Write] distributes the rows over files named part-00000.parquet and so on, and adds
// [ConfigFile], a configuration to evaluate them. The columns, in this order, are:
//
//	example_id   the number of the example, from 0, or a text if asked for
//	label        binary: 0 or 1; multiclass: the index of a class; regression: a number
//	             null in the share of examples that are to have none
//	labels       multilabel: a list of indices, of names, or of one 0 or 1 for each label
//	score        binary
//	scores       multiclass, multilabel: a dense list
//	prediction   the hard decision, in the form of the label, if asked for;
//	             regression: the predicted number, always
//	weight       between 0.5 and 2, if asked for
//	...          the slice columns, as dictionary-encoded strings
//
// With one row per label, task multilabel replaces labels and scores with
//
//	label_name   the label that the row is about; or label_index, its index
//	label        0 or 1
//	score
//
// Task ranking has the following columns. A row is an item of a query. With one row per query, all
// columns except the first hold lists of items.
//
//	query_id     the number of the query, from 0, as a string, or another text
//	doc_id       the item, a number or a text: no two queries share one
//	relevance    a grade from 0 to 3
//	score        or scores
//
// Task preference has a row for each comparison of two systems:
//
//	example_id   the number of the comparison, from 0
//	model_a      a system, such as system_07
//	model_b      another
//	winner       model_a, model_b or tie
//
// Task grade has a row for each attempt at an example:
//
//	example_id   the number of the example, from 0
//	passed       whether the attempt passes
//
// Task agreement has a row for each example, and a column for each rater:
//
//	example_id   the number of the example, from 0
//	rater_0      a rating from 1 to 5, or null; and so on
//
// The number of rows is the total over all files in either layout. If it is not a multiple of the
// number of rows of an example, the last example is incomplete. Rows of the same example have the
// same weight and slice values. They are adjacent and in the same file unless rows are shuffled.
//
// If labels are to have files of their own, these have the columns that say what a row is about, and the
// label. They are named _truth-00000.parquet and so on, and their rows are in random order.
//
// With label names, the metadata of each file has the key labels: a JSON array of all names, in the
// order of the scores.
//
// # Data
//
// Metrics are neither perfect nor random. A row of task binary and a label of task multilabel have
// true log-odds with a logistic distribution, from which the label is sampled. The score is what a
// model sees of them through logistic noise. Label r of a multilabel task is rarer by about r to
// the power 1.5. Among classes and slice values, the frequency of number r decreases like r to the
// power -2/3. If a query has 100 items, about 85 have relevance 0, ten 1, four 2 and one 3. Grades
// are 0.7 standard deviations of the score apart. Regression has positive, right-skewed labels, and
// predictions with a relative error. The system with the lower number wins more often; one
// comparison in five is a tie. The chances that attempts at an example pass are spread evenly from 0
// to 1. Raters with a higher number guess more often, and one rating in seven is missing.
//
// # Determinism
//
// The contents of a row depend only on the seed and on its number, not on the number of files, the
// size of row groups or other columns. Both layouts hold the same examples. The place of a shuffled
// row depends on the seed and the number of rows. Every sample is a hash of a counter and is
// processed only by operations that IEEE 754 defines exactly, so the contents are the same on every
// kind of machine. On the same kind of machine, so are the bytes, as long as the versions of
// parquet-go and the compressors are the same.
package synthetic
