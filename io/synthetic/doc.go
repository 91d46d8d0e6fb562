// Package synthetic writes made-up predictions as Parquet files, for benchmarks
// and trials.
//
// # What is written
//
// [Write] spreads the rows over files named part-00000.parquet and so on, and adds
// [ConfigFile], a configuration with which beameval evaluates them. The columns, in
// this order:
//
//	example_id   the number of the example, from 0
//	label        binary: 0 or 1; multiclass: the index of a class; regression: a number
//	labels       multilabel: a list of indices, of names, or of one 0 or 1 for each label
//	score        binary
//	scores       multiclass, multilabel: a dense list
//	prediction   the hard decision, in the form of the label, if asked for;
//	             regression: the predicted number, always
//	weight       between 0.5 and 2, if asked for
//	...          the slice columns, as dictionary-encoded strings
//
// With one row per label, task multilabel has instead of labels and scores
//
//	label_name   the label that the row is about; or label_index, its index
//	label        0 or 1
//	score
//
// and task ranking, whose rows are items of a query or, with one row per query, have
// lists of them in all columns but the first,
//
//	query_id     the number of the query, from 0, as a string
//	doc_id       the item: no two queries share one
//	relevance    a grade from 0 to 3
//	score        or scores
//
// The number of rows is that in the files, whatever the layout: where it is not a
// multiple of the rows of an example, the last example lacks some. Rows of one example
// have the same weight and slice values, and are next to each other in one file unless
// rows are shuffled.
//
// With label names, the metadata of each file has the key labels: a JSON array of all
// names, in the order of the scores.
//
// # The data
//
// Metrics come out neither perfect nor random. A row of task binary and a label of task
// multilabel have true log-odds with a logistic distribution. The label is drawn from
// them; the score is what a model sees of them through logistic noise. Label r of a
// multilabel task is rarer by about r to the power 1.5. Among classes and slice values,
// the frequency of number r falls like r to the power -2/3. Of 100 items of a query about
// 85 have relevance 0, ten 1, four 2 and one 3; grades are 0.7 standard deviations of
// the score apart. Regression has positive, right-skewed labels, and predictions with a
// relative error.
//
// # Determinism
//
// What a row holds depends on the seed and on its number alone: not on the number of
// files or the size of row groups, nor on columns that are added. Both layouts hold the
// same examples. Where a shuffled row is depends on the seed and the number of rows.
// Every draw is a hash
// of a counter, and only operations that IEEE 754 fixes are made on it, so the content
// is the same on every kind of machine. On one kind, the bytes are too, as long as the
// versions of parquet-go and of the compressors are the same.
package synthetic
